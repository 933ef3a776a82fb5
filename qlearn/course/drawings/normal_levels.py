"""A codebook under a bell curve: where its levels lie, and how often each is used."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from qlearn.course.drawings.denser_marks import apart
from qlearn.course.drawings.svg import CODE, REAL, Drawing, line, signed, text

CURVE, MARKS, EVEN, BARS = 96, 118, 174, 274  # pixels: where each of the four parts stands
TALL = 72  # pixels: the bar of the level that is used most
STEPS = 60  # pieces of the curve
WIDEST = 1.8481  # deviations at the ends: the largest quantile that NF4 takes


def normal_levels(levels: Sequence[float], shares: Sequence[float]) -> Drawing:
    """Draw levels from −1 to 1 under a bell curve, evenly spaced ones below, and their use.

    Args:
        levels: in rising order, the ends −1 and 1.
        shares: of the numbers that become each level.

    Raises:
        ValueError: the levels do not rise from −1 to 1, or have not a share each.

    >>> normal_levels([-1.0, 0.0, 1.0], [0.25, 0.5, 0.25]).label[-52:]
    'The levels are used by 25.0 % to 50.0 % of the data.'
    """
    rising = all(a < b for a, b in pairwise(levels))
    if not rising or (levels[0], levels[-1]) != (-1, 1) or len(shares) != len(levels):
        raise ValueError(
            f"{len(levels)} levels and {len(shares)} shares: levels rise from -1 to 1, and each "
            "has a share"
        )
    least, most = (f"{100 * end(shares):.1f}" for end in (min, max))
    drawn = [*_curve(), *_marks(levels), *_bars(levels, shares)]
    label = (
        f"{len(levels)} levels from −1 to 1 under a bell curve, {apart(levels)}. The levels are "
        f"used by {least} % to {most} % of the data."
    )
    return Drawing(label, tuple(drawn), BARS + 24)


def _at(value: float) -> float:
    return 50 + 48 * value


def _curve() -> Iterator[str]:
    """Yield the bell curve in pieces."""
    places = [-1 + 2 * step / STEPS for step in range(STEPS + 1)]
    heights = [CURVE - 76 * math.exp(-((WIDEST * place) ** 2) / 2) for place in places]
    points = [(_at(place), height) for place, height in zip(places, heights, strict=True)]
    for start, end in pairwise(points):
        yield line(start, end, REAL)
    yield text(0, 14, "normal numbers", anchor="start")


def _marks(levels: Sequence[float]) -> Iterator[str]:
    """Yield the levels as marks, and below them as many that are evenly spaced."""
    yield line((_at(-1), MARKS), (_at(1), MARKS), CODE)
    for level in levels:
        yield line((_at(level), MARKS - 20), (_at(level), MARKS), CODE, width=2.5)
    for level in (-1, 0, 1):
        yield text(_at(level), MARKS + 16, signed(level), size=11)
    yield line((_at(-1), EVEN), (_at(1), EVEN), CODE, width=1)
    for number in range(len(levels)):
        place = _at(-1 + 2 * number / (len(levels) - 1))
        yield line((place, EVEN - 12), (place, EVEN), CODE, width=1)
    yield text(0, EVEN - 18, "evenly spaced, for comparison", anchor="start")


def _bars(levels: Sequence[float], shares: Sequence[float]) -> Iterator[str]:
    """Yield a bar for the share of each level, and a line where all would be equal."""
    most = max(shares)
    wide = 100 / len(levels)
    for number, share in enumerate(shares):
        tall = TALL * share / most
        yield (
            f'<rect x="{number * wide + 0.6:.2f}%" y="{BARS - tall:.1f}" '
            f'width="{wide - 1.2:.2f}%" height="{tall:.1f}" fill="{CODE}"/>'
        )
        yield text((number + 0.5) * wide, BARS + 14, f"{100 * share:.0f}", size=11)
    even = BARS - TALL / len(levels) / most
    yield line((0, even), (100, even), REAL, dashed=True)
    yield text(0, BARS - TALL - 8, "how often each level is used, in percent", anchor="start")
