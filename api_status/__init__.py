"""What each entry point of torch's quantization does today, found by calling it."""
