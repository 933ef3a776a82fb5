"""The bytes of a block: floats in outline, integers filled, and what each part is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from qlearn.course.drawings.svg import CODE, REAL, Drawing, text

BESIDE = 16  # bytes in a line
BOX, NAME = 22, 20  # pixels: a byte, and the room for a name above it


class Part(NamedTuple):
    """A part of a block: what it is, how many bytes, and whether they hold a float."""

    name: str
    size: int
    is_float: bool = False


def block_bytes(data: bytes, parts: Sequence[Part]) -> Drawing:
    """Draw the bytes of a block in hexadecimal, sixteen in a line, with the names of its parts.

    A part of sixteen bytes or more begins a line.

    Raises:
        ValueError: the parts have not as many bytes as the data.

    >>> block_bytes(bytes(range(18)), [Part("d", 2, True), Part("codes", 16)])
    Drawing: 18 bytes: d, 2 bytes; codes, 16 bytes.
    """
    count = sum(part.size for part in parts)
    if count != len(data):
        raise ValueError(f"the parts have {count} bytes, and the data {len(data)}")
    drawn: list[str] = []
    column, first = 0, 0
    height = NAME
    for part in parts:
        if column and (part.size >= BESIDE or column + part.size > BESIDE):
            height += BOX + NAME
            column = 0
        drawn.append(text(100 / BESIDE * column, height - 5, part.name, anchor="start"))
        for byte in data[first : first + part.size]:
            if column == BESIDE:
                height += BOX
                column = 0
            drawn += _box(column, height, f"{byte:02x}", is_float=part.is_float)
            column += 1
        first += part.size
    told = "; ".join(f"{part.name}, {part.size} bytes" for part in parts)
    return Drawing(f"{len(data)} bytes: {told}.", tuple(drawn), height + BOX + 4)


def _box(column: int, top: int, words: str, *, is_float: bool) -> Iterator[str]:
    wide = 100 / BESIDE
    ink = REAL if is_float else CODE
    fill = 'fill="none"' if is_float else f'fill="{CODE}" fill-opacity="0.2"'
    yield (
        f'<rect x="{column * wide + 0.3:.2f}%" y="{top + 1}" width="{wide - 0.6:.2f}%" '
        f'height="{BOX - 2}" {fill} stroke="{ink}" stroke-width="1.2"/>'
    )
    yield text((column + 0.5) * wide, top + 15, words, size=11)
