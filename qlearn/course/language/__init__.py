"""A small language model, the text it was trained on, and what the chapters do with both."""
