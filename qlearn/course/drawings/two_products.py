"""Two products laid end to end on the number line, and the 16 bits that their sum has to fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from qlearn.course.drawings.svg import CODE, LOST, REAL, TEXT, Drawing, dot, line, text

LOW, HIGH = -(2**15), 2**15 - 1  # what 16 bits hold
REACH = 67_000  # the number line's ends; no sum of two products is larger than 65,280
TOP, ROW = 34, 90  # pixels: of the first row, and from one row to the next
BARS = 34  # pixels: from a row's beginning to its bars, below its words
Codes = tuple[int, int]


class TwoProducts(NamedTuple):
    """Two activations, 0 … 255, and the weights that they are multiplied by, −128 … 127."""

    activations: Codes
    weights: Codes

    @property
    def first(self) -> int:
        """The first product."""
        return self.activations[0] * self.weights[0]

    @property
    def exact(self) -> int:
        """The sum of the two products."""
        return self.first + self.activations[1] * self.weights[1]

    @property
    def kept(self) -> int:
        """What 16 bits leave of the sum."""
        return min(max(self.exact, LOW), HIGH)

    def __str__(self) -> str:
        """Return the sum as it is written by hand."""
        terms = zip(self.activations, self.weights, strict=True)
        return " + ".join(f"{a} · {written(w)}" for a, w in terms)


def two_products(pairs: Sequence[TwoProducts]) -> Drawing:
    """Draw the sum of each pair of products, and in red the part that 16 bits lose.

    Raises:
        ValueError: a code is none of uint8, or a weight none of int8.

    >>> two_products([TwoProducts((255, 255), (127, 127))])
    Drawing: 16 bits reach from −32,768 to 32,767. 255 · 127 + 255 · 127 = 64,770 becomes 32,767.
    """
    for pair in pairs:
        check_codes(pair)
    foot = TOP + ROW * len(pairs)
    parts = [*_ends(foot)]
    for row, pair in enumerate(pairs):
        y = TOP + ROW * row
        parts += [*_sixteen_bits(y), *_row(pair, y)]
    label = f"16 bits reach from {written(LOW)} to {written(HIGH)}. {' '.join(map(said, pairs))}"
    return Drawing(label, tuple(parts), foot + 16)


def check_codes(pair: TwoProducts) -> None:
    """Raise ValueError if a code does not fit its eight bits."""
    for code in pair.activations:
        if not 0 <= code <= 255:
            raise ValueError(f"{code} is no activation's code: uint8 holds 0 to 255")
    for code in pair.weights:
        if not -128 <= code <= 127:
            raise ValueError(f"{code} is no weight's code: int8 holds −128 to 127")


def said(pair: TwoProducts) -> str:
    """Return in a sentence what becomes of the sum."""
    ends = "fits" if pair.exact == pair.kept else f"becomes {written(pair.kept)}"
    return f"{pair} = {written(pair.exact)} {ends}."


def written(number: int) -> str:
    """Return a number with a minus sign and with commas between thousands.

    >>> written(-32640)
    '−32,640'
    """
    return f"{number:,}".replace("-", "−")


def _at(number: float) -> float:
    """Return the place of a number, in percent of the width."""
    return 50 + 50 * number / REACH


def _ends(foot: int) -> Iterator[str]:
    """Yield the numbers at the ends of the 16 bits, below the last row."""
    yield text(50, TOP - 16, "16 bits", ink=CODE, bold=True)
    for number in (LOW, 0, HIGH):
        yield text(_at(number), foot + 8, written(number), size=11)


def _sixteen_bits(y: int) -> Iterator[str]:
    """Yield the band that 16 bits hold, behind the bars of a row."""
    left, right = _at(LOW), _at(HIGH)
    yield (
        f'<rect x="{left:.2f}%" y="{y + BARS}" width="{right - left:.2f}%" '
        f'height="42" fill="{CODE}" fill-opacity="0.12"/>'
    )
    for place in (left, 50.0, right):
        yield line((place, y + BARS), (place, y + BARS + 42), REAL, width=1, dashed=place == 50)


def _row(pair: TwoProducts, y: int) -> Iterator[str]:
    """Yield a sum: its words, its two products end to end, and what is kept of it."""
    lost = pair.exact != pair.kept
    yield text(0, y + 12, f"{pair} = {written(pair.exact)}", anchor="start", bold=True)
    ends = f"becomes {written(pair.kept)}" if lost else "fits"
    yield text(0, y + 27, ends, anchor="start", ink=LOST if lost else CODE, bold=True)
    yield _bar(0, pair.first, y + BARS + 4)
    yield _bar(pair.first, pair.exact, y + BARS + 16)
    if lost:
        yield line((_at(pair.kept), y + BARS + 32), (_at(pair.exact), y + BARS + 32), LOST, width=4)
        yield dot(_at(pair.exact), y + BARS + 32, LOST, filled=False)
    yield dot(_at(pair.kept), y + BARS + 32, CODE)
    yield line((50, y + BARS + 32), (_at(pair.kept), y + BARS + 32), TEXT, width=1)


def _bar(start: int, end: int, y: int) -> str:
    """Return a product as a bar from where the sum was to where it goes."""
    low, high = sorted((_at(start), _at(end)))
    return (
        f'<rect x="{low:.2f}%" y="{y}" width="{high - low:.2f}%" height="8" '
        f'fill="{CODE}" fill-opacity="0.7"/>'
    )
