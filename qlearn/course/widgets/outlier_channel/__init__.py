"""A loud channel to play with: what int8 makes of a layer, and three remedies."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float32, Float64
from torch import Tensor
from traitlets import Bytes, Enum, Int

from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.print import noise
from qlearn.course.widgets.shared.traits import Number, present
from qlearn.course.widgets.shared.values import loaded, matrix_shape, stored
from qlearn.language.hadamard import hadamard
from qlearn.language.llm_int8 import vectorwise
from qlearn.language.smoothing import smooth_scales
from qlearn.numbers.metrics import sqnr

REMEDIES = ("none", "llm_int8", "smooth", "hadamard")
Rows = Float32[Tensor, "rows k"]


class OutlierChannel(Figure):
    """Show a layer in int8 with one loud channel, and what three remedies save of its outputs.

    The inputs of the channel are multiplied, its weights divided by as much: the float outputs
    stay. Codes are those of ``linear_llm_int8``, the weight's with a scale for each output.

    Args:
        x: float32 inputs, a row for each token; as many channels as a power of two.
        weight: float32, (outputs, channels).
        start: ``channel`` and ``factor``; ``scales`` of the inputs, one for the "tensor" or for
            each "token"; the ``remedy``, "none", "llm_int8" (with a ``threshold``; loud columns of
            inputs and weight stay float, as in the paper), "smooth" (``alpha``), or "hadamard".

    >>> x, weight = torch.eye(4) + 0.5, torch.linspace(-1, 1, 8).reshape(2, 4)
    >>> OutlierChannel(x, weight, factor=100, remedy="smooth")
    OutlierChannel(channel 0 ×100, a scale for each token, smooth): SQNR 48.45 dB
    """

    values = Bytes().tag(sync=True)
    tokens = Int(1, min=1).tag(sync=True)
    channels = Int(1, min=1).tag(sync=True)
    channel = Int(0, min=0).tag(sync=True)
    factor = Enum((1, 2, 3, 5, 10, 20, 30, 50, 100), 1).tag(sync=True)
    scales = Enum(("tensor", "token"), "token").tag(sync=True)
    remedy = Enum(REMEDIES, "none").tag(sync=True)
    threshold = Number(6.0, min=0.5, max=20).tag(sync=True)
    alpha = Number(0.5, min=0, max=1).tag(sync=True)
    _check_channel = present("channel", lambda self: range(self.channels))

    def __init__(self, x: Rows, weight: Rows, **start: Any) -> None:
        smooth_scales(weight, x)  # says what is wrong with the two
        tokens, width = matrix_shape(x, "x", "a token")
        hadamard(width)  # says if there is none
        super().__init__(values=stored(x=x, weight=weight), tokens=tokens, channels=width, **start)

    def enlarged(self, factor: float) -> tuple[Rows, Rows]:
        """Return inputs and weight with the channel so many times as loud."""
        x, weight = loaded(self.values).view(-1, self.channels).tensor_split([self.tokens])
        x[:, self.channel] *= factor
        weight[:, self.channel] /= factor
        return x, weight

    def remedied(self, remedy: str) -> tuple[Rows, Rows]:
        """Return inputs and weight as this remedy has them rounded."""
        x, weight = self.enlarged(self.factor)
        if remedy == "smooth":
            scales = smooth_scales(weight, x, alpha=self.alpha)
            return x / scales, weight * scales
        turn = hadamard(self.channels) if remedy == "hadamard" else torch.eye(self.channels)
        return x @ turn, weight @ turn

    def sqnr_by(self, remedy: str) -> float:
        """Return the SQNR of the layer's outputs in dB."""
        x, weight = self.remedied(remedy)
        outliers = (x.abs() >= self.threshold) & (remedy == "llm_int8")
        columns, kept = outliers.any(0), x.masked_fill(outliers, 0.0)
        rows = kept.view(1, -1) if self.scales == "tensor" else kept
        inputs = torch.where(columns, x.double(), meant(rows).view_as(x))
        outputs = inputs @ torch.where(columns, weight.double(), meant(weight)).T
        exact_x, exact_weight = (each.double() for each in self.enlarged(1))
        return sqnr(exact_x @ exact_weight.T, outputs)

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        scales = f"a scale for each {self.scales}, {self.remedy}"
        found = noise(self.sqnr_by(self.remedy))
        return f"OutlierChannel(channel {self.channel} ×{self.factor}, {scales}): {found}"


def meant(rows: Rows) -> Float64[Tensor, "rows k"]:
    """Return what the codes of these rows mean, each row with a scale of its own."""
    codes, largest = vectorwise(rows)
    return codes.double() * largest.double() / 127
