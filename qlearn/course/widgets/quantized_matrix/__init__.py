"""A part of a real weight in codes: who shares a scale, and what the whole model loses by it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float32
from torch import Tensor
from traitlets import Bool, Bytes, Enum, Int, List, Tuple, Unicode

from qlearn.course.widgets.shared.figure import Figure
from qlearn.course.widgets.shared.traits import Number
from qlearn.course.widgets.shared.values import matrix_shape, stored
from qlearn.formats.groups import quantize_groups

ROWS, COLUMNS = 16, 32  # that are shown
BITS = (8, 6, 4, 3, 2)
SHARED: tuple[Any, ...] = ("tensor", "channel", 32, 16, 8)
SETTINGS = [(bits, shared) for bits in BITS for shared in SHARED]
Grid = Sequence[tuple[int, str | int, float]]


class QuantizedMatrix(Figure):
    """Show 16 × 32 numbers of a weight, their codes, and what the model loses at this setting.

    Args:
        weight: (outputs, inputs); its scales are those of :func:`quantize_groups` for the whole.
        grid: (bits, shared, bits per byte of the model), for each of 8, 6, 4, 3, 2 bits with each
            of "tensor", "channel", 32, 16 and 8.
        first: the row and the column where the part that is shown begins.
        more: ``exact``, bits per byte in float32; ``texts``, (bits, shared, what the model writes);
            ``bits``; ``shared``; whether ``codes`` are shown, and not what they stand for.

    Raises:
        TypeError, ValueError: weight is not float32 or has no such part, or the grid is another.

    >>> grid = [(bits, shared, 1.5) for bits, shared in SETTINGS]
    >>> QuantizedMatrix(torch.linspace(-1, 1, 1024).reshape(16, 64), grid, bits=3, shared=8)
    QuantizedMatrix(3 bits, scale of 8): error 13.4 %, 1.5000 bits per byte
    """

    values = Bytes().tag(sync=True)
    largest = Bytes().tag(sync=True)
    shape = Tuple(Int(), Int()).tag(sync=True)
    grid = List(Tuple(Enum(BITS), Enum(SHARED), Number(min=0.01))).tag(sync=True)
    exact = Number(1.0, min=0.01).tag(sync=True)
    texts = List(Tuple(Enum(BITS), Enum(SHARED), Unicode())).tag(sync=True)
    bits = Enum(BITS, 4).tag(sync=True)
    shared = Enum(SHARED, "channel").tag(sync=True)
    codes = Bool(False).tag(sync=True)

    def __init__(
        self, weight: Float32[Tensor, "n k"], grid: Grid, first: Sequence[int] = (0, 0), **more: Any
    ) -> None:
        (n, k), (row, column) = matrix_shape(weight, "weight", "an output"), first
        if not 0 <= row <= n - ROWS or not 0 <= column < k or (column | k) % COLUMNS:
            raise ValueError(
                f"first is {first} and weight {n} × {k}, but {ROWS} × {COLUMNS} numbers are shown: "
                f"begin at a multiple of {COLUMNS}, which also divides the width"
            )
        if sorted(map(str, SETTINGS)) != sorted(str((each[0], each[1])) for each in grid):
            raise ValueError(f"grid has {len(grid)} rows: pass one for each of {SETTINGS}")
        self._weight = weight.detach()
        self._part = slice(row, row + ROWS), slice(column, column + COLUMNS)
        rows = weight.abs().amax(dim=1)
        super().__init__(
            values=stored(weight=weight[self._part]),
            largest=stored(weight=torch.cat([rows.amax()[None], rows[self._part[0]]])),
            **{"shape": (n, k), "grid": [tuple(each) for each in grid], **more},
        )

    @property
    def restored(self) -> Float32[Tensor, "16 32"]:
        """What the codes of the part stand for."""
        n, k = self.shape
        size: Any = {"tensor": n * k, "channel": k}.get(self.shared, self.shared)
        grouped = quantize_groups(self._weight.reshape(1, -1), bits=self.bits, group_size=size)
        return grouped.dequantize().reshape(n, k)[self._part]

    @property
    def error(self) -> float:
        """The size of the errors of the part, as a share of its own."""
        right = self._weight[self._part].double()
        return (self.restored.double() - right).norm().item() / (right.norm().item() or 1.0)

    def __repr__(self) -> str:
        """Say in one line what the widget shows; a notebook's re-run compares it."""
        found = next(row[2] for row in self.grid if row[:2] == (self.bits, self.shared))
        return (
            f"QuantizedMatrix({self.bits} bits, scale of {self.shared}): "
            f"error {100 * self.error:.1f} %, {found:.4f} bits per byte"
        )
