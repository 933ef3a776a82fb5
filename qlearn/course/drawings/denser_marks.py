"""Two rulers under one histogram: marks at equal distances, and marks denser towards zero."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.course.drawings.svg import CODE, REAL, Drawing, line, signed, text

FOOT, TALLEST, LEAST = 104, 86, 3  # pixels: where bars stand, the tallest, the smallest of all
RULER, ROW = 158, 70  # of the first ruler, and from one to the next
BARS, MOST_MARKS = 41, 32


def denser_marks(x: Float32[Tensor, "..."], rulers: Mapping[str, Sequence[float]]) -> Drawing:
    """Draw a histogram in grey, and below it the marks of each ruler in blue.

    A bar with few numbers is three pixels high, so that it can be seen.

    Raises:
        ValueError: a ruler has fewer than 2 marks or more than 32, or they do not grow.

    >>> x = torch.tensor([-2.0, 0.3, 4.0])
    >>> denser_marks(x, {"float": [-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0]})
    Drawing: 3 numbers from −2.0 to 4.0. Ruler float: 7 marks, 1 to 2 apart.
    """
    for name, marks in rulers.items():
        grow = all(a < b for a, b in pairwise(marks))
        if not 2 <= len(marks) <= MOST_MARKS or not grow:
            raise ValueError(
                f"ruler {name!r} has {len(marks)} marks, or they do not grow: draw 2 to "
                f"{MOST_MARKS}, the lowest first"
            )
    reach = max(x.abs().max().item(), *(abs(mark) for marks in rulers.values() for mark in marks))

    def place(number: float) -> float:
        return 50 + 49 * number / reach

    parts = [*_histogram(x.flatten(), reach, place)]
    for row, (name, marks) in enumerate(rulers.items()):
        parts += _ruler(name, marks, RULER + ROW * row, place)
    said = " ".join(
        f"Ruler {name}: {len(marks)} marks, {apart(marks)}." for name, marks in rulers.items()
    )
    low, high = (signed(float(end), ".1f") for end in torch.aminmax(x))
    label = f"{x.numel():,} numbers from {low} to {high}. {said}"
    return Drawing(label, tuple(parts), RULER + ROW * (len(rulers) - 1) + 26)


def _histogram(
    x: Float32[Tensor, " n"], reach: float, place: Callable[[float], float]
) -> Iterator[str]:
    """Yield the bars and the line below them; counted in float64, the same on every machine."""
    width = 2 * reach / BARS
    counts = torch.bincount(
        torch.floor((x.double() + reach) / width).long().clamp(0, BARS - 1), minlength=BARS
    )
    for bar, count in enumerate(counts.tolist()):
        if count:
            height = max(LEAST, round(TALLEST * count / int(counts.max()), 1))
            left, right = place(bar * width - reach), place((bar + 1) * width - reach)
            yield (
                f'<rect x="{left:.2f}%" y="{FOOT - height:.1f}" width="{right - left - 0.2:.2f}%" '
                f'height="{height:.1f}" fill="{REAL}"/>'
            )
    yield text(0, 14, "numbers", anchor="start")
    yield line((0, FOOT), (100, FOOT), REAL, width=1)
    yield text(50, FOOT + 16, "0", size=11)


def _ruler(
    name: str, marks: Sequence[float], y: int, place: Callable[[float], float]
) -> Iterator[str]:
    """Yield a mark for each number of a ruler, its name, and its steps in words."""
    words = apart(marks, " … ")
    yield text(0, y - 24, name, anchor="start", bold=True)
    yield text(100, y - 24, words, anchor="end", ink=CODE)
    yield line((place(marks[0]), y), (place(marks[-1]), y), CODE)
    for mark in marks:
        yield line((place(mark), y - (16 if mark == 0 else 10)), (place(mark), y), CODE, width=2)
    for mark in (marks[0], marks[-1]):
        yield text(place(mark), y + 16, signed(mark, ".3g"), size=11)


def steps(marks: Sequence[float]) -> tuple[float, float]:
    """Return the shortest and the longest distance of two neighbours.

    >>> steps([0.0, 0.5, 1.0, 2.0])
    (0.5, 1.0)
    """
    # To six digits: the marks of an even ruler are products, and their last bits differ.
    between = [float(f"{b - a:.6g}") for a, b in pairwise(marks)]
    return min(between), max(between)


def apart(marks: Sequence[float], to: str = " to ") -> str:
    """Say the shortest and the longest distance of two neighbours.

    >>> apart([0.0, 0.5, 1.0, 2.0])
    '0.5 to 1 apart'
    """
    return f"{to.join(dict.fromkeys(f'{step:.2g}' for step in steps(marks)))} apart"
