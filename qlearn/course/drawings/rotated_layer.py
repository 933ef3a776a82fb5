"""A decoder layer with its rotations: those that go into weights, and the one that cannot."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, line, text

TOP, HIGH, ROW = 60, 40, 96  # pixels: the first row of boxes, a box, from one row to the next
STATE = 34  # pixels: the line of the state, above each row


class Part(NamedTuple):
    """A layer's name, its place and width in percent, and the rotations at its two ends."""

    name: str
    start: float
    wide: float
    before: str = ""  # "H" folded into the weight, "run" done at run time, or nothing
    behind: str = ""


ROWS = (
    (
        Part("norm", 6, 13),
        Part("q, k, v", 27, 17, before="H"),
        Part("attention", 52, 18),
        Part("o", 78, 14, behind="H"),
    ),
    (
        Part("norm", 6, 13),
        Part("gate, up", 27, 17, before="H"),
        Part("SiLU, ×", 52, 14),
        Part("down", 78, 14, before="run", behind="H"),
    ),
)


def rotated_layer() -> Drawing:
    """Draw both halves of a layer below the state, with an H where something is rotated.

    >>> rotated_layer().label[-68:]
    'One rotation is left to do when the model runs: before down, in red.'
    """
    parts: list[str] = []
    for number, row in enumerate(ROWS):
        top = TOP + number * ROW
        name = "the state, rotated everywhere" if number == 0 else "the state, with what was added"
        parts += _state(name, top - STATE + 8)
        parts += _row(row, top)
    label = (
        "Two rows of boxes below a line, the state. First row: norm; q, k, v with H before them; "
        "attention; o with H behind it. Second row: norm; gate, up with H before them; SiLU and "
        "product; down with H behind it. These H go into the weights. One rotation is left to do "
        "when the model runs: before down, in red."
    )
    return Drawing(label, tuple(parts), TOP + ROW + HIGH + 14)


def _state(name: str, y: int) -> Iterator[str]:
    """Yield the thick line of the state with its name."""
    yield line((0, y), (100, y), CODE, width=3)
    yield text(0, y - 8, name, anchor="start", ink=CODE, bold=True)


def _row(row: tuple[Part, ...], top: int) -> Iterator[str]:
    """Yield the boxes of a row, joined, and its way down from the state and back to it."""
    middle, state = top + HIGH / 2, top - STATE + 8
    yield from _path([(2, state), (2, middle), (row[0].start, middle)])
    for part, following in pairwise(row):
        yield line((part.start + part.wide, middle), (following.start, middle), REAL)
    last = row[-1]
    yield from _path([(last.start + last.wide, middle), (98, middle), (98, state)])
    for part in row:
        yield (
            f'<rect x="{part.start:g}%" y="{top}" width="{part.wide:g}%" height="{HIGH}" rx="4" '
            f'fill="none" stroke="{REAL}" stroke-width="2"/>'
        )
        yield text(part.start + part.wide / 2, middle + 4, part.name)
        if part.before == "run":
            yield from _turn(part.start - 5, middle, LOST)
        elif part.before:
            yield from _turn(part.start, top, CODE)
        if part.behind:
            yield from _turn(part.start + part.wide, top, CODE)


def _path(points: list[tuple[float, float]]) -> Iterator[str]:
    for start, end in pairwise(points):
        yield line(start, end, REAL)


def _turn(x: float, y: float, ink: str) -> Iterator[str]:
    """Yield an H on a filled disc."""
    yield f'<circle cx="{x:g}%" cy="{y:g}" r="10" fill="{ink}"/>'
    yield text(x, y + 4, "H", ink="#ffffff", bold=True)
