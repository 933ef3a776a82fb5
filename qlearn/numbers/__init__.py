"""Numbers: codes, scales and zero points, and who chooses them."""
