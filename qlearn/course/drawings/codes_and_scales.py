"""What a quantized weight holds: rows of codes, and beside each row its scale."""

from __future__ import annotations

from collections.abc import Iterator

from jaxtyping import Float32, Int8
from torch import Tensor

from qlearn.course.drawings.svg import CELL, CODE, TEXT, Drawing, cell, signed, text

TOP = 28  # pixels: where the first cell begins
COLUMNS, WIDE, SCALES, SCALE_WIDE = 5, 12.5, 78.0, 22.0  # percent, but for the first
ROWS = 4  # so many are drawn


def codes_and_scales(
    codes: Int8[Tensor, "rows columns"], scales: Float32[Tensor, "rows"], kept: range
) -> Drawing:
    """Draw the first codes of the first four rows, with their scales; ``kept`` rows are blue.

    Raises:
        ValueError: there are fewer than four rows or five columns, or not a scale for each row.

    >>> import torch
    >>> weight = torch.arange(20, dtype=torch.int8).view(4, 5)
    >>> codes_and_scales(weight, torch.ones(4), range(1, 3)).label[:45]
    'Four rows of codes, and beside each row its s'
    """
    rows, columns = codes.shape
    if rows < ROWS or columns < COLUMNS or scales.shape != (rows,):
        raise ValueError(
            f"codes of shape {tuple(codes.shape)} and scales of shape {tuple(scales.shape)}: "
            f"pass at least {ROWS} rows and {COLUMNS} columns, and a scale for each row"
        )
    parts = [*_heads()]
    for row in range(ROWS):
        parts += _row(row, codes[row, :COLUMNS].tolist(), float(scales[row]), row in kept)
    foot = TOP + ROWS * CELL + 22
    words = f"weight[{kept.start}:{kept.stop}]: these rows, with these scales"
    parts.append(text(0, foot, words, anchor="start", ink=CODE, bold=True))
    chosen = " and ".join(str(row) for row in kept)
    said = (
        "Four rows of codes, and beside each row its scale: "
        f"{', '.join(f'{float(scale):.5f}' for scale in scales[:ROWS])}. Rows {chosen} are blue, "
        "and so are their scales."
    )
    return Drawing(said, tuple(parts), foot + 12, width=560)


def _heads() -> Iterator[str]:
    yield text(COLUMNS * WIDE / 2, 16, "codes, int8")
    yield text(SCALES + SCALE_WIDE / 2, 16, "scale, float32")


def _row(row: int, codes: list[int], scale: float, kept: bool) -> Iterator[str]:
    """Yield a row: its codes, three dots for the others, and its scale."""
    y = TOP + row * CELL
    for place, code in enumerate(codes):
        yield from cell(place * WIDE, y, WIDE, signed(code), code=True, shown=kept)
    yield text(COLUMNS * WIDE + 4, y + CELL / 2 + 4, "…", ink=CODE if kept else TEXT)
    yield text(SCALES - 5, y + CELL / 2 + 5, "·", bold=True, size=20)
    yield from cell(SCALES, y, SCALE_WIDE, f"{scale:.5f}", code=False, shown=kept)
