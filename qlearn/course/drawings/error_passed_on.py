"""What GPTQ does with two weights: the error of the first one moves the second."""

from __future__ import annotations

from collections.abc import Iterator

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, dot, line, signed, text

LEFT, RIGHT = 18.0, 96.0  # percent: of the first and the last mark
LINES = (70, 160)  # pixels: where the two number lines lie
MARKS = (-1, 0, 1, 2)


def error_passed_on(first: float, second: float, share: float) -> Drawing:
    """Draw two weights on rulers of step 1: the first rounded, the second moved, then rounded.

    Args:
        first: the weight whose column comes first.
        second: the weight that makes up for its error.
        share: which share of the first one's error is added to the second.

    Raises:
        ValueError: a weight, or where the second one goes, lies beyond the marks −1 … 2.

    >>> error_passed_on(1.4, 0.4, 5 / 6)
    Drawing: The first weight, 1.4, is rounded to 1. Of its error 0.4 the share 0.83 is 0.33, \
which is added to the second weight, 0.4. That becomes 0.73 and is rounded to 1, where rounding \
to nearest gives 0.
    """
    error = first - round(first)
    moved = second + share * error
    if not all(MARKS[0] <= number <= MARKS[-1] for number in (first, second, moved)):
        raise ValueError(
            f"the weights are {first} and {second}, and the second one goes to {moved:g}: "
            f"the marks reach from {MARKS[0]} to {MARKS[-1]}"
        )
    upper, lower = LINES
    parts = [
        *_ruler("first", upper),
        *_ruler("second", lower),
        *_rounded(first, upper),
        *_moved(second, moved, lower),
        text(0, lower + 52, "dashed: rounding to nearest", anchor="start", size=11),
        text(100, lower + 52, "red: what is passed on", anchor="end", size=11, ink=LOST),
    ]
    told = (
        f"The first weight, {signed(first, 'g')}, is rounded to {signed(round(first))}. Of its "
        f"error {signed(error, '.2g')} the share {share:.2f} is {signed(error * share, '.2f')}, "
        f"which is added to the second weight, {signed(second, 'g')}. That becomes "
        f"{signed(moved, '.2f')} and is rounded to {signed(round(moved))}, where rounding to "
        f"nearest gives {signed(round(second))}."
    )
    return Drawing(told, tuple(parts), lower + 60, width=520)


def _place(number: float) -> float:
    """Return where a number lies, in percent."""
    return LEFT + (RIGHT - LEFT) * (number - MARKS[0]) / (MARKS[-1] - MARKS[0])


def _rounded(first: float, y: int) -> Iterator[str]:
    """Yield the first weight on its way to the nearest mark, and its error."""
    start, end = _place(first), _place(round(first))
    error = f"error {signed(first - round(first), '.2g')}"
    yield line((start, y - 10), (end, y - 10), LOST, width=3)
    yield text(start, y - 24, signed(first, "g"), size=11)
    yield text((start + end) / 2, y - 40, error, ink=LOST, bold=True)
    yield dot(start, y - 10, REAL, filled=False)
    yield dot(end, y - 10, CODE)


def _moved(second: float, moved: float, y: int) -> Iterator[str]:
    """Yield the second weight: moved and then rounded, and where it goes without the move."""
    start, there = _place(second), _place(moved)
    share = signed(moved - second, "+.2f")
    yield line((start, y - 10), (there, y - 10), LOST, width=3)
    yield text((start + there) / 2, y - 24, share, ink=LOST, bold=True)
    yield line((start, y - 10), (_place(round(second)), y), REAL, dashed=True)
    yield line((there, y - 10), (_place(round(moved)), y - 10), CODE, width=1.5)
    yield dot(start, y - 10, REAL, filled=False)
    yield dot(there, y - 10, LOST, filled=False)
    yield dot(_place(round(moved)), y - 10, CODE)


def _ruler(name: str, y: int) -> Iterator[str]:
    """Yield a number line with its marks, and its name before it."""
    yield text(0, y + 4, name, anchor="start", bold=True)
    yield line((LEFT - 3, y), (100, y), REAL, width=1)
    for mark in MARKS:
        yield line((_place(mark), y), (_place(mark), y + 8), CODE, width=2)
        yield text(_place(mark), y + 24, signed(mark))
