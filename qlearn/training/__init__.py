"""Training with fake quantization, by the rules of torch's kernels."""
