"""Small formats: floats of eight bits and fewer, blocks with a shared scale, integers in groups."""

__all__: list[str] = []
