"""Saturation to play with: two products, and the sixteen bits that they are added in."""

from __future__ import annotations

import torch
from traitlets import Bool, Int, Tuple

from qlearn.course.widgets.shared.figure import Figure
from qlearn.integers.saturation import saturating_matmul
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import quantize
from qlearn.numbers.ranges import quant_range

Pair = tuple[int, int]


class Saturation(Figure):
    """Show the sum of two products of codes, and what is left of it in 16 bits.

    Args:
        activations: two codes, 0 … 255.
        weights: two codes, −128 … 127.
        reduce_range: give the same two activations the codes 0 … 127.

    >>> Saturation((255, 255), (127, 127))
    Saturation(255·127 + 255·127): 64770, in 16 bits 32767
    >>> Saturation((255, 255), (127, 127), reduce_range=True)
    Saturation(127·127 + 127·127): 32258, in 16 bits 32258
    """

    activations = Tuple(*[Int(min=0, max=255)] * 2, default_value=(255, 255)).tag(sync=True)
    weights = Tuple(*[Int(min=-128, max=127)] * 2, default_value=(127, 127)).tag(sync=True)
    reduce_range = Bool(False).tag(sync=True)

    def __init__(self, activations: Pair = (255, 255), weights: Pair = (127, 127), **traits: bool):
        super().__init__(activations=activations, weights=weights, **traits)

    @property
    def codes(self) -> Pair:
        """The codes that the activations are multiplied as."""
        if not self.reduce_range:
            return self.activations
        # Any largest activation gives these codes; here it is 1.
        full = torch.tensor(self.activations, dtype=torch.float32) / 255
        low, high = quant_range(torch.uint8, reduce_range=True)
        first, second = quantize(full, QParams(1 / high, 0, low, high, torch.uint8)).tolist()
        return first, second

    @property
    def exact(self) -> int:
        """The sum of the two products."""
        return sum(code * weight for code, weight in zip(self.codes, self.weights, strict=True))

    @property
    def pair(self) -> int:
        """What a kernel without VNNI makes of that sum."""
        codes = torch.tensor([self.codes], dtype=torch.uint8)
        return int(saturating_matmul(codes, torch.tensor([self.weights], dtype=torch.int8).T))

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        terms = zip(self.codes, self.weights, strict=True)
        products = " + ".join(f"{code}·{weight}" for code, weight in terms)
        return f"Saturation({products}): {self.exact}, in 16 bits {self.pair}"
