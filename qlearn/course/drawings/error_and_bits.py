"""Error against size: curves of formats, and single ones, each at its bits a weight."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from qlearn.course.drawings.svg import CODE, REAL, TEXT, Drawing, dot, line, text

TALL, TOP, HEAD = 230, 44, 18  # pixels: the picture, where it begins, a line above it
LEFT, RIGHT = 12.0, 96.0  # percent: where the fewest and the most bits are
TICKS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)  # percent, of which those in range are shown


class Point(NamedTuple):
    """A format: its bits a weight, its error in percent, and its name in the picture."""

    bits: float
    error: float
    name: str


class Axes(NamedTuple):
    """The ends of both axes; errors are on a scale on which halving is always as far."""

    low: Point
    high: Point

    def place(self, bits: float, error: float) -> tuple[float, float]:
        """Return where these bits and this error lie, in percent and pixels."""
        across = (bits - self.low.bits) / (self.high.bits - self.low.bits)
        up = math.log(error / self.low.error) / math.log(self.high.error / self.low.error)
        return LEFT + (RIGHT - LEFT) * across, TOP + TALL * (1 - up)


def error_and_bits(curves: Mapping[str, Sequence[Point]], alone: Sequence[Point] = ()) -> Drawing:
    """Draw points by their bits and errors: those of a curve are joined, the others named.

    The first curve is solid, with its names above; further ones are dashed, with names below.

    Raises:
        ValueError: there is no curve, or one has fewer than two points.

    >>> error_and_bits({"groups": [Point(4.125, 11.0, "128"), Point(4.5, 9.5, "32")]})
    Drawing: groups: 128 has 4.125 bits and 11.0 %, 32 has 4.5 bits and 9.5 %.
    """
    if not curves or min(map(len, curves.values())) < 2:
        raise ValueError("a curve needs two points at least, and there must be one")
    every = [point for curve in curves.values() for point in curve] + list(alone)
    bits, errors = [p.bits for p in every], [p.error for p in every]
    first, last = math.floor(2 * min(bits)) / 2, math.ceil(2 * max(bits)) / 2
    axes = Axes(Point(first, 0.85 * min(errors), ""), Point(last, 1.15 * max(errors), ""))
    drawn = [*_scales(axes)]
    for number, (name, curve) in enumerate(curves.items()):
        drawn += _curve(name, [(*axes.place(p.bits, p.error), p.name) for p in curve], number)
    for point in alone:
        x, y = axes.place(point.bits, point.error)
        drawn += [dot(x, y, TEXT, radius=4), text(x + 1.5, y + 4, point.name, anchor="start")]
    told = [f"{name}: {_listed(curve)}." for name, curve in curves.items()]
    told += [f"{_listed(alone)}."] if alone else []
    return Drawing(" ".join(told), tuple(drawn), TOP + TALL + 42)


def _listed(points: Sequence[Point]) -> str:
    return ", ".join(f"{p.name} has {p.bits:.5g} bits and {p.error:.1f} %" for p in points)


def _scales(axes: Axes) -> Iterator[str]:
    """Yield a line for each round error, and a number for each half bit."""
    for error in TICKS:
        if axes.low.error <= error <= axes.high.error:
            _, y = axes.place(axes.low.bits, error)
            yield line((LEFT - 3, y), (100, y), REAL, width=0.5)
            yield text(LEFT - 4, y + 4, f"{error} %", anchor="end", size=11)
    yield text(0, TOP - 2, "error", anchor="start", size=11)
    foot = TOP + TALL
    yield line((LEFT - 3, foot), (100, foot), REAL, width=1)
    for half in range(math.ceil(2 * axes.low.bits), math.floor(2 * axes.high.bits) + 1):
        x, _ = axes.place(half / 2, axes.low.error)
        yield line((x, foot), (x, foot + 5), REAL, width=1)
        yield text(x, foot + 18, f"{half / 2:g}", size=11)
    yield text(100, foot + 34, "bits for each weight", anchor="end")


def _curve(name: str, points: Sequence[tuple[float, float, str]], number: int) -> Iterator[str]:
    """Yield a curve with the names of its points, and in the head a piece of it with its own."""
    head, dashed = 12 + HEAD * number, number > 0
    yield line((LEFT - 3, head - 4), (LEFT + 5, head - 4), CODE, dashed=dashed)
    yield dot(LEFT + 1, head - 4, CODE, filled=not dashed, radius=4)
    yield text(LEFT + 7, head, name, anchor="start")
    for (x1, y1, _), (x2, y2, _) in pairwise(points):
        yield line((x1, y1), (x2, y2), CODE, dashed=dashed)
    for x, y, words in points:
        yield dot(x, y, CODE, filled=not dashed, radius=4)
        if dashed:
            yield text(x - 1, y + 14, words, anchor="end", size=11)
        else:
            yield text(x, y - 10, words, size=11)
