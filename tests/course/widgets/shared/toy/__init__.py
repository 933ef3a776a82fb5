"""A figure that uses every helper once, to test them in a browser."""

from __future__ import annotations

import torch
from traitlets import Bool, Bytes, Enum, Float, Int

from qlearn.course.widgets.shared.figure import Figure


class Toy(Figure):
    """Values under a ruler of codes."""

    values = Bytes().tag(sync=True)
    scale = Float(0.25).tag(sync=True)
    bits = Int(4, min=2, max=8).tag(sync=True)
    scheme = Enum(["symmetric", "affine"], "symmetric").tag(sync=True)
    clipped = Bool(True).tag(sync=True)

    def __init__(self) -> None:
        """Draw a thousand values."""
        draw = torch.Generator().manual_seed(0)
        values = torch.randn(1000, generator=draw)
        super().__init__(values=values.numpy().astype("<f4").tobytes())
