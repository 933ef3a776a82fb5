"""Whose scale is whose: a row of numbers under one scale, or under one for each block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from qlearn.course.drawings.svg import CODE, REAL, Drawing, line, text

TOP, ROW, HIGH = 46, 82, 16  # pixels: the first row of codes, from one to the next, a code's height


class Scales(NamedTuple):
    """How many numbers share a scale, what it is, and the bits of a number with its share."""

    block: int
    kind: str
    bits: float


def shared_scales(numbers: int, layouts: Mapping[str, Scales]) -> Drawing:
    """Draw the codes of a row for each layout, with a bracket and a scale for each block.

    Raises:
        ValueError: blocks of a layout do not fill the row.

    >>> shared_scales(64, {"MXFP8": Scales(32, "2ⁿ", 8.25)})
    Drawing: MXFP8: 8.25 bits a number; 2 blocks of 32 numbers, each with a scale: 2ⁿ.
    """
    parts: list[str] = []
    said = []
    for row, (name, layout) in enumerate(layouts.items()):
        if layout.block < 1 or numbers % layout.block:
            raise ValueError(
                f"{name} has blocks of {layout.block}, which do not fill {numbers} numbers: "
                "draw a multiple"
            )
        parts += _row(name, layout, numbers, TOP + ROW * row)
        blocks = numbers // layout.block
        counted = f"{blocks} blocks of {layout.block} numbers, each with a scale"
        one = "a single scale"
        said.append(
            f"{name}: {layout.bits:g} bits a number; {counted if blocks > 1 else one}: "
            f"{layout.kind}."
        )
    return Drawing(" ".join(said), tuple(parts), TOP + ROW * (len(layouts) - 1) + 46)


def _row(name: str, layout: Scales, numbers: int, top: int) -> Iterator[str]:
    """Yield the codes as filled boxes, and below each block its bracket and its scale."""
    unit = 100 / numbers
    yield text(0, top - 10, name, anchor="start", bold=True)
    yield text(100, top - 10, f"{layout.bits:g} bits", anchor="end", ink=CODE)
    for number in range(numbers):
        yield (
            f'<rect x="{number * unit + 0.15:.2f}%" y="{top}" width="{unit - 0.3:.2f}%" '
            f'height="{HIGH}" fill="{CODE}" fill-opacity="0.6"/>'
        )
    for start in range(0, numbers, layout.block):
        left, right = start * unit + 0.4, (start + layout.block) * unit - 0.4
        y = top + HIGH + 6
        yield line((left, y), (right, y), REAL)
        for x in (left, right):
            yield line((x, y - 4), (x, y), REAL)
        yield text((left + right) / 2, y + 16, layout.kind, size=11)
