"""The drawing of a rounding error: numbers between marks, and the errors that they can have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, dot, line, text

NUMBERS, MARKS, TEETH, BOX, HEIGHT = 44, 74, 148, 236, 282  # pixels from the top
TOOTH, TALL = 26, 30  # half a step of error, and how tall the box is
TYPICAL = 12**-0.5  # of a step: the root of the mean square


def between_marks(numbers: Sequence[float], scale: float, codes: tuple[int, int]) -> Drawing:
    """Draw numbers over the marks from one code to another, their errors, and all that can be.

    Three pictures share one width: the numbers, each with a red line to its mark; the error of
    every number, a row of teeth; and the errors from −½ to ½ step, all equally likely.

    Raises:
        ValueError: a number lies more than half a step beyond the marks.

    >>> between_marks([0.26, 0.41], 0.1, (2, 4))
    Drawing: 0.26 lies 0.04 below mark 3; 0.41 lies 0.01 above mark 4. The error of a number \
between −½ and ½ step, all equally likely; the typical one is 0.29 of a step.
    """
    first, last = codes
    for number in numbers:
        if not first - 0.5 <= number / scale <= last + 0.5:
            raise ValueError(
                f"{number} is beyond the marks of the codes {first} … {last} with a step of "
                f"{scale}: draw more codes"
            )

    def place(steps: float) -> float:
        return 100 * (steps - first + 0.5) / (last - first + 1)

    parts = [*_marks(first, last, scale, place), *_teeth(first, last, place), *_box()]
    for number in numbers:
        parts += _number(number, scale, place)
    said = "; ".join(_said(number, scale) for number in numbers)
    return Drawing(
        f"{said}. The error of a number between −½ and ½ step, all equally likely; the typical "
        f"one is {TYPICAL:.2f} of a step.",
        tuple(parts),
        HEIGHT,
    )


def _marks(first: int, last: int, scale: float, place: Callable[[float], float]) -> Iterator[str]:
    yield line((0, NUMBERS), (100, NUMBERS), REAL, width=1)
    yield line((0, MARKS), (100, MARKS), CODE)
    for code in range(first, last + 1):
        yield line((place(code), MARKS - 10), (place(code), MARKS), CODE, width=2)
        yield text(place(code), MARKS + 16, f"{code} → {code * scale:.1f}", size=11)


def _number(number: float, scale: float, place: Callable[[float], float]) -> Iterator[str]:
    """Yield a number, and the red line from it to where its mark is."""
    steps = number / scale
    yield line((place(steps), NUMBERS), (place(round(steps)), NUMBERS), LOST, width=4)
    yield dot(place(steps), NUMBERS, REAL, filled=False)
    yield text(place(steps), NUMBERS - 12, f"{number:.2f}")
    yield dot(place(steps), TEETH - 2 * TOOTH * (round(steps) - steps), LOST, radius=4)


def _teeth(first: int, last: int, place: Callable[[float], float]) -> Iterator[str]:
    """Yield the error over the numbers: half a step above, through 0 at the mark, below."""
    yield text(0, TEETH - TOOTH - 8, "error: what comes back minus the number", anchor="start")
    yield line((0, TEETH), (100, TEETH), REAL, width=0.75, dashed=True)
    for code in range(first, last + 1):
        start, end = (place(code - 0.5), TEETH - TOOTH), (place(code + 0.5), TEETH + TOOTH)
        yield line(start, end, LOST, width=2)


def _box() -> Iterator[str]:
    """Yield the flat distribution of errors, and the typical ones in it."""
    yield text(0, BOX - TALL - 10, "all errors, equally likely", anchor="start")
    yield (
        f'<rect x="10%" y="{BOX - TALL}" width="80%" height="{TALL}" fill="none" '
        f'stroke="{LOST}" stroke-width="2"/>'
    )
    yield line((0, BOX), (100, BOX), REAL, width=1)
    for sign in (-1, 1):
        x = 50 + sign * 80 * TYPICAL
        yield line((x, BOX - TALL), (x, BOX + 6), LOST, dashed=True)
        yield text(x, BOX + 20, "−0.29" if sign < 0 else "0.29", size=11)
    for x, words in ((10, "−½ step"), (50, "0"), (90, "½ step")):
        yield line((x, BOX), (x, BOX + 6), REAL)
        yield text(x, BOX + (36 if words != "0" else 20), words, size=11)


def _said(number: float, scale: float) -> str:
    mark = round(number / scale)
    off = number - mark * scale
    side = "above" if off > 0 else "below"
    return f"{number:.2f} lies {abs(off):.2f} {side} mark {mark}"
