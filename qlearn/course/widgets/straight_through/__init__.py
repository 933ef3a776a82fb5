"""One weight under fake quantization: its staircase, its gradient, and a descent by it."""

from __future__ import annotations

from typing import Any

import torch
from traitlets import Int, validate

from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.traits import Number
from qlearn.numbers.fake_quantize import fake_quantize
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import quantize
from qlearn.numbers.ranges import quant_range


class StraightThrough(Figure):
    """Show the code of one weight, the gradient that is passed on to it, and where that leads.

    A step of descent moves the weight against the gradient of ½ (fake-quantized − target)²,
    straight through the rounding.

    Args:
        weight: where to start; the picture shows −2 to 2, but a descent may lead out of it.
        grid: the other traits: the ``target`` that its fake-quantized value should become, −2 to
            2; the ``scale``, 0.01 to 1, and the ``zero_point`` of its grid, which is one of its
            codes; their ``bits``, 2 to 8; the learning ``rate``, 0.001 to 1.

    >>> StraightThrough(1.9, target=0.4, scale=0.5)
    StraightThrough(1.9): code 1, fake-quantized 0.5, gradient 0
    """

    weight = Number(0.0, min=-1e3, max=1e3).tag(sync=True)
    target = Number(0.0, min=-2.0, max=2.0).tag(sync=True)
    scale = Number(0.5, min=0.01, max=1.0).tag(sync=True)
    zero_point = Int(0).tag(sync=True)
    bits = Int(2, min=2, max=8).tag(sync=True)
    rate = Number(0.1, min=1e-3, max=1.0).tag(sync=True)

    def __init__(self, weight: float, *, target: float, **grid: Any) -> None:
        super().__init__(weight=weight, target=target, **grid)

    @validate("bits", "zero_point")
    def _check_code(self, proposal: dict[str, Any]) -> Any:
        """Refuse a zero point that is no code; traitlets asks once both are set."""
        shown(**self.state() | {proposal["trait"].name: proposal["value"]})
        return proposal["value"]

    @property
    def qparams(self) -> QParams:
        """The grid that is shown."""
        return shown(**self.state())

    @property
    def code(self) -> int:
        """The weight's code."""
        return int(quantize(torch.tensor(self.weight), self.qparams))

    @property
    def restored(self) -> float:
        """The fake-quantized weight."""
        return fake_quantize(torch.tensor(self.weight), self.qparams).item()

    @property
    def gradient(self) -> float:
        """The derivative of the fake-quantized weight with respect to the weight: 1 or 0."""
        x = torch.tensor(self.weight, requires_grad=True)
        return torch.autograd.grad(fake_quantize(x, self.qparams), x)[0].item()

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        found = f"fake-quantized {self.restored:.4g}, gradient {self.gradient:.0f}"
        return f"StraightThrough({self.weight:.4g}): code {self.code}, {found}"


def shown(scale: float, zero_point: int, bits: int, **_: float) -> QParams:
    """Return the grid of a state; raise ValueError where the zero point is no code."""
    return QParams(scale, zero_point, *quant_range(torch.int8, bits=bits), torch.int8)
