"""The drawing of oscillation: a weight that hops across the boundary between two codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, dot, line, text

TOP, FOOT, LEFT = 40, 200, 14  # pixels from the top; percent, where the first weight lies
HEIGHT = 236


def hops(weights: Sequence[float], marks: tuple[float, float], target: float) -> Drawing:
    """Draw a weight at each step of a training, between two marks and their boundary.

    A weight is an outline; it is red where it lies below the boundary and comes back as the lower
    mark.

    Raises:
        ValueError: a weight lies beyond the marks.

    >>> hops([0.3, 0.26, 0.24, 0.28], (0.0, 0.5), 0.4)
    Drawing: A weight in 4 steps between the marks 0.0 and 0.5. It starts at 0.30, ends at 0.28, \
and lies 1 times below the boundary at 0.25.
    """
    low, high = marks
    for weight in weights:
        if not low <= weight <= high:
            raise ValueError(f"{weight} is not between the marks {low} and {high}")
    boundary = (low + high) / 2

    def height(number: float) -> float:
        return FOOT - (FOOT - TOP) * (number - low) / (high - low)

    places = [LEFT + (98 - LEFT) * i / max(1, len(weights) - 1) for i in range(len(weights))]
    path = [(x, height(weight)) for x, weight in zip(places, weights, strict=True)]
    parts = [line(a, b, REAL, width=1) for a, b in pairwise(path)]
    below = [weight < boundary for weight in weights]
    parts += [dot(*p, LOST if b else REAL, filled=False) for p, b in zip(path, below, strict=True)]
    lines = [
        (high, CODE, f"{high:.1f}", False),
        (target, REAL, f"{target:.1f}", True),
        (boundary, LOST, f"{boundary:.2f}", True),
        (low, CODE, f"{low:.1f}", False),
    ]
    for number, ink, words, dashed in lines:
        parts += _level(height(number), ink, words, dashed=dashed)
    parts += _names([(height(number), ink) for number, ink, _, _ in lines])
    return Drawing(
        f"A weight in {len(weights)} steps between the marks {low} and {high}. It starts at "
        f"{weights[0]:.2f}, ends at {weights[-1]:.2f}, and lies {sum(below)} times below the "
        f"boundary at {boundary:.2f}.",
        tuple(parts),
        HEIGHT,
    )


def _level(y: float, ink: str, words: str, *, dashed: bool) -> Iterator[str]:
    """Yield a level line with its number at the left."""
    yield line((LEFT - 5, y), (100, y), ink, dashed=dashed)
    yield text(0, y + 4, words, anchor="start", size=11)


def _names(levels: Sequence[tuple[float, str]]) -> Iterator[str]:
    """Yield what the lines are, at their right ends, and what lies across."""
    names = ("mark", "asked for", "boundary", "mark")
    for (y, ink), name in zip(levels, names, strict=True):
        yield text(100, y + (16 if name == "boundary" else -6), name, anchor="end", ink=ink)
    yield text(LEFT, FOOT + 26, "steps of the training →", anchor="start", size=11)
