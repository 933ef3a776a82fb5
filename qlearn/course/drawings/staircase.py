"""The drawing of fake quantization: a staircase, its slope, and the slope that takes its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, dot, line, text

FOOT, RISE = 150, 36  # pixels: where the lowest mark lies, and from one mark to the next
NONE, ONE, GAP = 214, 288, 32  # where a slope of 0 lies in each lower picture; a slope of 1
HEIGHT = 326


def staircase(scale: float, codes: tuple[int, int], number: float) -> Drawing:
    """Draw what comes back over what went in, the slope of that, and the straight-through slope.

    One number is marked: on the axis as a float, on the staircase as what comes back.

    Raises:
        ValueError: there are more than eight codes, or the number is beyond the marks.

    >>> staircase(0.5, (-2, 1), 0.3)
    Drawing: A staircase with steps at −1.0, −0.5, 0.0, 0.5; 0.3 comes back as 0.5. Its slope is 0 \
on every step. The straight-through slope is 1 from −1.25 to 0.75 and 0 beyond.
    """
    first, last = codes
    if not 0 < last - first < 8:
        raise ValueError(f"{last - first + 1} codes from {first} to {last}: draw two to eight")
    if not first - 0.5 < number / scale < last + 0.5:
        raise ValueError(f"{number} is beyond the codes {first} … {last} with a step of {scale}")

    def place(steps: float) -> float:
        return 100 * (steps - first + 1.5) / (last - first + 3)

    def height(code: float) -> float:
        return FOOT - RISE * (code - first)

    parts = [
        *_stairs(first, last, scale, place, height),
        *_number(number / scale, place, height),
        *_slopes(first, last, place),
    ]
    marks = ", ".join(_signed(code * scale, 1) for code in range(first, last + 1))
    ends = _signed((first - 0.5) * scale, 2), _signed((last + 0.5) * scale, 2)
    back = _signed(round(number / scale) * scale, 1)
    return Drawing(
        f"A staircase with steps at {marks}; {_signed(number, 1)} comes back as {back}. Its slope "
        f"is 0 on every step. The straight-through slope is 1 from {ends[0]} to {ends[1]} and 0 "
        "beyond.",
        tuple(parts),
        HEIGHT,
    )


def _stairs(
    first: int,
    last: int,
    scale: float,
    place: Callable[[float], float],
    height: Callable[[float], float],
) -> Iterator[str]:
    """Yield the axis with its marks, the line that is followed, and the steps."""
    yield text(0, 14, "what comes back", anchor="start")
    yield line((0, FOOT + 14), (100, FOOT + 14), REAL, width=1)
    ends = first - 0.5, last + 0.5
    low, high = ((place(end), height(end)) for end in ends)
    yield line(low, high, REAL, dashed=True)
    for code in range(first, last + 1):
        start = place(code - 0.5) if code > first else 0
        stop = place(code + 0.5) if code < last else 100
        yield line((start, height(code)), (stop, height(code)), CODE, width=3)
        yield line((place(code), FOOT + 10), (place(code), FOOT + 18), CODE, width=2)
        yield text(place(code), FOOT + 32, _signed(code * scale, 1), size=11)


def _number(
    steps: float, place: Callable[[float], float], height: Callable[[float], float]
) -> Iterator[str]:
    """Yield the number on the axis, what comes back, and the way between them."""
    top = height(round(steps))
    yield line((place(steps), FOOT + 9), (place(steps), top + 6), REAL, width=1)
    yield dot(place(steps), FOOT + 14, REAL, filled=False)
    yield dot(place(steps), top, CODE)


def _slopes(first: int, last: int, place: Callable[[float], float]) -> Iterator[str]:
    """Yield the slope of the staircase, and the one that backward uses."""
    yield text(0, NONE - 10, "its slope: 0 on every step", anchor="start")
    yield line((0, NONE), (100, NONE), LOST, width=3)
    low, high = place(first - 0.5), place(last + 0.5)
    yield text(0, ONE - GAP - 14, "the slope that backward uses", anchor="start")
    yield line((0, ONE), (low, ONE), LOST, width=3)
    yield line((high, ONE), (100, ONE), LOST, width=3)
    yield line((low, ONE - GAP), (high, ONE - GAP), CODE, width=3)
    for x in (low, high):
        yield line((x, ONE), (x, ONE - GAP), REAL, width=1, dashed=True)
    yield text((low + high) / 2, ONE - GAP + 18, "1 in reach of the codes")
    yield text(low / 2, ONE + 18, "0")
    yield text((high + 100) / 2, ONE + 18, "0")


def _signed(number: float, decimals: int) -> str:
    return f"{number + 0.0:.{decimals}f}".replace("-", "−")
