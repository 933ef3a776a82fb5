"""What is wrong with a quantized model, as far as a program can see."""
