"""One weight under fake quantization: its staircase, its gradient, and a descent by it."""

from __future__ import annotations

from typing import Any

import anywidget
import torch
import traitlets

from qlearn.course.widgets.bundle import bundle, styles
from qlearn.numbers.fake_quantize import fake_quantize
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import quantize
from qlearn.numbers.ranges import quant_range

# The picture shows −2 … 2. A descent may lead out of it, a slider may not.
BOUNDS = {"weight": (-1e3, 1e3), "target": (-2.0, 2.0), "scale": (0.05, 1.0), "rate": (1e-3, 1.0)}


class StraightThrough(anywidget.AnyWidget):
    """Show the code of one weight, the gradient that is passed on to it, and where that leads.

    A step of descent moves the weight against the gradient of ½ (fake-quantized − target)²,
    straight through the rounding. The browser computes everything, so the widget lives on a
    static page too; in a live notebook each move arrives in the traits below, and setting one
    moves the picture.

    Args:
        weight: where to start; the picture shows −2 to 2.
        target: what its fake-quantized value should become, −2 to 2.
        scale: the step of the grid, 0.05 to 1.
        zero_point: a code.
        bits: 2 to 8, of signed codes.
        rate: the learning rate, 0.001 to 1.

    Attributes:
        weight, target, scale, zero_point, bits, rate: as above.

    Raises:
        ValueError: a number lies outside its range. Assignments raise likewise.
        TypeError: ``bits`` or ``zero_point`` is no integer.

    >>> StraightThrough(0.3, target=0.4, scale=0.5)
    StraightThrough(0.3): code 1, fake-quantized 0.5, gradient 1
    >>> StraightThrough(1.9, target=0.4, scale=0.5)
    StraightThrough(1.9): code 1, fake-quantized 0.5, gradient 0
    """

    _esm = bundle("straight_through.js")
    _css = styles("straight_through.css")

    weight = traitlets.Float(0.0).tag(sync=True)
    target = traitlets.Float(0.0).tag(sync=True)
    scale = traitlets.Float(0.5).tag(sync=True)
    zero_point = traitlets.Any(0).tag(sync=True)
    bits = traitlets.Any(2).tag(sync=True)
    rate = traitlets.Float(0.1).tag(sync=True)

    def __init__(
        self,
        weight: float,
        *,
        target: float,
        scale: float = 0.5,
        zero_point: int = 0,
        bits: int = 2,
        rate: float = 0.1,
    ) -> None:
        """Start with these numbers; the bits first, for the zero point is one of their codes."""
        super().__init__()
        self.bits = bits
        self.zero_point = zero_point
        self.weight, self.target, self.scale, self.rate = weight, target, scale, rate

    @property
    def qparams(self) -> QParams:
        """The grid that is shown."""
        return QParams(
            self.scale, self.zero_point, *quant_range(torch.int8, bits=self.bits), torch.int8
        )

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
        (slope,) = torch.autograd.grad(fake_quantize(x, self.qparams), x)
        return slope.item()

    @traitlets.validate("weight", "target", "scale", "rate")
    def _check_number(self, proposal: dict[str, Any]) -> float:
        """Refuse what lies outside its range."""
        name, value = proposal["trait"].name, proposal["value"]
        low, high = BOUNDS[name]
        if not low <= value <= high:
            raise ValueError(
                f"{name} is {value}, but the widget takes {low:g} to {high:g}: pass one of those"
            )
        return float(value)

    @traitlets.validate("bits", "zero_point")
    def _check_integer(self, proposal: dict[str, Any]) -> int:
        """Refuse what is no integer, or has no code."""
        name, value = proposal["trait"].name, proposal["value"]
        if type(value) is not int:
            raise TypeError(f"{name} is {value!r}, but it is an integer: pass an int")
        low, high = (2, 8) if name == "bits" else quant_range(torch.int8, bits=self.bits)
        if not low <= value <= high:
            raise ValueError(
                f"{name} is {value}, but it can be {low} to {high} here: pass one of those"
            )
        if name == "bits":
            low, high = quant_range(torch.int8, bits=value)
            if not low <= self.zero_point <= high:
                raise ValueError(
                    f"bits is {value}, which leaves the codes {low} to {high}, but zero_point is "
                    f"{self.zero_point}: move that first"
                )
        return value

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        return (
            f"StraightThrough({self.weight:.4g}): code {self.code}, "
            f"fake-quantized {self.restored:.4g}, gradient {self.gradient:.0f}"
        )
