"""A row of weights to play with: groups, each with a ruler of its own, and one large weight."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float32
from torch import Tensor
from traitlets import Bytes, Enum, Int

from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.traits import Number
from qlearn.course.widgets.shared.values import loaded, stored
from qlearn.formats.groups import GroupedTensor, quantize_groups
from qlearn.formats.nf4 import NF4Tensor, nf4_quantize

WEIGHTS, LARGE = 64, 20  # in the row, and the place of the large one
SIZES = (8, 16, 32, 64)
SCHEMES = ("symmetric", "affine", "nf4")


class GroupedRow(Figure):
    """Show a row of 64 weights, quantized in groups, and what a large weight does to its group.

    Args:
        x: 64 float32 weights; in the place of the one at 20 stands the large one.
        outlier: the large weight, 0 … 8.
        group_size: 8, 16, 32 or 64.
        bits: 2 to 8, of the integer schemes.
        scheme: "symmetric", "affine", or "nf4" with its own four bits.

    Raises:
        ValueError: x has not 64 weights.

    >>> GroupedRow(torch.linspace(-1, 1, 64), group_size=16)
    GroupedRow(groups of 16, 4 bits, symmetric, outlier 6): 5 bits a weight, error 21.4 %
    """

    values = Bytes().tag(sync=True)
    outlier = Number(6.0, min=0, max=8).tag(sync=True)
    group_size = Enum(SIZES, default_value=64).tag(sync=True)
    bits = Int(4, min=2, max=8).tag(sync=True)
    scheme = Enum(SCHEMES, default_value="symmetric").tag(sync=True)

    def __init__(self, x: Float32[Tensor, "64"], **traits: Any) -> None:
        if x.shape != (WEIGHTS,):
            raise ValueError(f"x has shape {tuple(x.shape)}, but the row has {WEIGHTS} weights")
        super().__init__(values=stored(x=x), **traits)

    @property
    def row(self) -> Float32[Tensor, "64"]:
        """The weights that are shown, the large one among them."""
        row = loaded(self.values)
        row[LARGE] = self.outlier
        return row

    @property
    def quantized(self) -> GroupedTensor | NF4Tensor:
        """The row in codes."""
        size = self.group_size
        if self.scheme == "nf4":
            return nf4_quantize(self.row, block_size=size)
        symmetric = self.scheme == "symmetric"
        return quantize_groups(self.row, bits=self.bits, group_size=size, symmetric=symmetric)

    @property
    def error(self) -> float:
        """The size of the errors of the 63 other weights, as a share of their own."""
        others = torch.arange(WEIGHTS) != LARGE
        row, restored = self.row.double(), self.quantized.dequantize().double()
        return (row - restored)[others].norm().item() / (row[others].norm().item() or 1.0)

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        bits = 4 if self.scheme == "nf4" else self.bits
        return (
            f"GroupedRow(groups of {self.group_size}, {bits} bits, {self.scheme}, outlier "
            f"{self.outlier:g}): {self.quantized.bits_per_weight:g} bits a weight, "
            f"error {100 * self.error:.1f} %"
        )
