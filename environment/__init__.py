"""What the Makefile needs around .venv: a lock for two makes, a browser, pins."""
