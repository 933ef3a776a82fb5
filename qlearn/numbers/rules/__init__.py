"""Who chooses scale and zero point: observers, kernels, textbooks, TensorFlow, torchao."""
