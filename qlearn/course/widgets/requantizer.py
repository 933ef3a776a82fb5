"""Requantization to play with: one int32 sum, and the code that each rule makes of it."""

from __future__ import annotations

import math
from typing import Any

import anywidget
import torch
import traitlets

from qlearn.checks import check_choice
from qlearn.course.widgets.bundle import bundle, styles
from qlearn.integers.fixed_point import fixed_point_multiplier, fixed_point_product
from qlearn.integers.requantization import requantize
from qlearn.numbers.qparams import QParams

RULES = ("qnnpack", "onednn", "fixed")
# So that the multiplier is from 10^-6 to a half, and no sum with its bias overflows int32
BOUNDS: dict[str, tuple[float, float]] = {
    "total": (-(2**29), 2**29),
    "x_scale": (0.001, 0.1),
    "weight_scale": (0.001, 0.05),
    "output_scale": (0.01, 1.0),
    "zero_point": (0, 255),
    "bias": (-10.0, 10.0),
    "bits": (4, 31),
}


class Requantizer(anywidget.AnyWidget):
    """Show the way of one sum to its code, and which sums another rule gives another code.

    The browser computes everything, so the widget lives on a static page too; in a live
    notebook each move arrives in the traits below, and setting one moves the picture.

    Args:
        total: the int32 sum of the products, zero points subtracted.
        x_scale, weight_scale, output_scale: of the layer's input, weight and output.
        zero_point: of the output.
        bias: a real number.
        relu: make no code smaller than the zero point.
        rule: what to compare fbgemm with, "qnnpack", "onednn", or "fixed", an integer
            multiplier and a shift.
        bits: of that integer.

    Attributes:
        total, x_scale, weight_scale, output_scale, zero_point, bias, relu, rule, bits: as above.

    Raises:
        ValueError: a number outside its bounds, or an unknown rule. Assignments raise likewise.

    >>> Requantizer(101_875, x_scale=0.02, weight_scale=0.01, output_scale=0.25)
    Requantizer(sum 101875, multiplier 0.0008): fbgemm 82, fixed 81
    """

    _esm = bundle("requantizer.js")
    _css = styles("requantizer.css")

    total = traitlets.Int(0).tag(sync=True)
    x_scale = traitlets.Float(0.02).tag(sync=True)
    weight_scale = traitlets.Float(0.01).tag(sync=True)
    output_scale = traitlets.Float(0.25).tag(sync=True)
    zero_point = traitlets.Int(0).tag(sync=True)
    bias = traitlets.Float(0.0).tag(sync=True)
    relu = traitlets.Bool(False).tag(sync=True)
    rule = traitlets.Unicode("fixed").tag(sync=True)
    bits = traitlets.Int(31).tag(sync=True)

    def __init__(
        self,
        total: int,
        *,
        x_scale: float,
        weight_scale: float,
        output_scale: float,
        zero_point: int = 0,
        bias: float = 0.0,
        relu: bool = False,
        rule: str = "fixed",
        bits: int = 31,
    ) -> None:
        """Start with this sum and this layer."""
        super().__init__(
            total=total,
            x_scale=x_scale,
            weight_scale=weight_scale,
            output_scale=output_scale,
            zero_point=zero_point,
            bias=bias,
            relu=relu,
            rule=rule,
            bits=bits,
        )

    @property
    def multiplier(self) -> float:
        """What a sum is multiplied by."""
        x_scale, weight_scale, output_scale = self._scales()
        return (x_scale * weight_scale / output_scale).item()

    def code(self, rule: str) -> int:
        """Return the code by a rule, or by "fbgemm"."""
        if rule == "fixed":
            return self._fixed_code()
        check_choice(rule, "rule", ("fbgemm", *RULES))
        x_scale, weight_scale, output_scale = self._scales()
        codes = requantize(
            torch.tensor([[self.total]], dtype=torch.int32),
            x_scale,
            weight_scale,
            torch.tensor([self.bias]),
            QParams(output_scale, self.zero_point, 0, 255, torch.uint8),
            relu=self.relu,
            engine="fbgemm" if rule == "fbgemm" else "qnnpack" if rule == "qnnpack" else "onednn",
        )
        return int(codes)

    def _fixed_code(self) -> int:
        """The code in fixed point; the bias joins as in qnnpack, as a whole number of steps."""
        x_scale, weight_scale, _ = self._scales()
        steps = torch.round(torch.tensor(self.bias) * (1 / (x_scale * weight_scale)))
        total = torch.tensor(self.total, dtype=torch.int32) + steps.to(torch.int32)
        product = fixed_point_product(total, *fixed_point_multiplier(self.multiplier, self.bits))
        least = self.zero_point if self.relu else 0
        return min(max(int(product) + self.zero_point, least), 255)

    def _scales(self) -> torch.Tensor:
        return torch.tensor([self.x_scale, self.weight_scale, self.output_scale])

    @traitlets.validate(*BOUNDS)
    def _check_bounds(self, proposal: dict[str, Any]) -> float:
        """Refuse a number that the page has no room for."""
        name, value = proposal["trait"].name, proposal["value"]
        low, high = BOUNDS[name]
        if not low <= value <= high or not math.isfinite(value):
            raise ValueError(f"{name} is {value!r}: pass a number from {low:g} to {high:g}")
        return float(value) if isinstance(low, float) else int(value)

    @traitlets.validate("rule")
    def _check_rule(self, proposal: dict[str, Any]) -> str:
        """Refuse a rule that the page does not know."""
        check_choice(proposal["value"], "rule", RULES)
        return str(proposal["value"])

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        return (
            f"Requantizer(sum {self.total}, multiplier {self.multiplier:.4g}): "
            f"fbgemm {self.code('fbgemm')}, {self.rule} {self.code(self.rule)}"
        )
