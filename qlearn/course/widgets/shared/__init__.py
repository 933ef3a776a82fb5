"""What all widgets share: the figure, its drawing and its fields. README.md lists the helpers."""
