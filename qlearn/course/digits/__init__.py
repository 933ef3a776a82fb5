"""The handwritten digits: data, networks that read them, and their quantized layers."""
