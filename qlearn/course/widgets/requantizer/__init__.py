"""Requantization to play with: one int32 sum, and the code that each rule makes of it."""

from __future__ import annotations

from typing import Any

import torch
from traitlets import Bool, Enum, Int

from qlearn.checks import check_choice
from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.traits import Number
from qlearn.integers.fixed_point import fixed_point_multiplier, fixed_point_product
from qlearn.integers.requantization import requantize
from qlearn.numbers.qparams import QParams

RULES = ("qnnpack", "onednn", "fixed")


class Requantizer(Figure):
    """Show how one int32 sum becomes a code, and which sums get another code by a second rule.

    Args:
        total: the int32 sum of the products, zero points subtracted.
        layer: the other traits: scales of input, weight and output, the output's zero point, a
            real bias, whether ReLU is fused, the ``rule`` to compare fbgemm with ("fixed" is an
            integer multiplier and a shift), its bits, and the ``goal`` that the reader is given.

    >>> Requantizer(101_875, x_scale=0.02, weight_scale=0.01, output_scale=0.25)
    Requantizer(sum 101875, multiplier 0.0008): fbgemm 82, fixed 81
    """

    # The bounds keep the multiplier from 10^-6 to a half, and each sum with its bias in int32.
    total = Int(0, min=-(2**29), max=2**29).tag(sync=True)
    x_scale = Number(0.02, min=0.001, max=0.1).tag(sync=True)
    weight_scale = Number(0.01, min=0.001, max=0.05).tag(sync=True)
    output_scale = Number(0.25, min=0.01, max=1.0).tag(sync=True)
    zero_point = Int(0, min=0, max=255).tag(sync=True)
    bias = Number(0.0, min=-10.0, max=10.0).tag(sync=True)
    relu = Bool(False).tag(sync=True)
    rule = Enum(RULES, "fixed").tag(sync=True)
    bits = Int(31, min=4, max=31).tag(sync=True)
    goal = Enum(("same_code", "all_codes"), "same_code").tag(sync=True)

    def __init__(self, total: int, **layer: Any) -> None:
        super().__init__(total=total, **layer)

    @property
    def step(self) -> torch.Tensor:
        """The real number that 1 in the sum stands for, in float32."""
        return torch.tensor(self.x_scale) * torch.tensor(self.weight_scale)

    @property
    def multiplier(self) -> float:
        """What a sum is multiplied by."""
        return (self.step / torch.tensor(self.output_scale)).item()

    def code(self, rule: Any) -> int:
        """Return the code by a rule's name, or by "fbgemm"; onednn's as with AVX-512."""
        check_choice(rule, "rule", ("fbgemm", *RULES))
        total, bias = torch.tensor([[self.total]], dtype=torch.int32), torch.tensor([self.bias])
        if rule == "fixed":  # the bias joins as in qnnpack, as a whole number of steps
            total += torch.round(bias * (1 / self.step)).to(torch.int32)
            code = fixed_point_product(total, *fixed_point_multiplier(self.multiplier, self.bits))
            return int((code + self.zero_point).clamp(self.zero_point if self.relu else 0, 255))
        output = QParams(self.output_scale, self.zero_point, 0, 255, torch.uint8)
        layer = (torch.tensor(self.x_scale), torch.tensor(self.weight_scale), bias, output)
        how: dict[str, Any] = {"engine": rule, "variant": "apart" if rule == "onednn" else None}
        return int(requantize(total, *layer, relu=self.relu, **how))

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        codes = f"fbgemm {self.code('fbgemm')}, {self.rule} {self.code(self.rule)}"
        return f"Requantizer(sum {self.total}, multiplier {self.multiplier:.4g}): {codes}"
