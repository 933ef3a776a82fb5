"""The way of four products through vpmaddubsw: added in pairs in 16 bits, then in 32."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qlearn.course.drawings.svg import CODE, LOST, REAL, Drawing, line, text
from qlearn.course.drawings.two_products import TwoProducts, check_codes, written

BOX, GAP = 22.0, 4.0  # percent: a box of one byte or product, and the space beside it
TALL, STEP, LINES = 26, 56, 14  # pixels: a box, from one row to the next, lines between rows
ROWS = (
    "activations, uint8",
    "weights, int8",
    "products",
    "pairs, added in 16 bits",
    "the pairs, added in 32 bits",
    "with VNNI: all four products, added in 32 bits",
)


def pairs_in_16_bits(pairs: Sequence[TwoProducts]) -> Drawing:
    """Draw two pairs of codes and weights, their products, their sums, and the sum of all.

    Raises:
        ValueError: there are not two pairs, or a code does not fit its eight bits.

    >>> pairs = [TwoProducts((100, 200), (50, -60)), TwoProducts((255, 255), (127, 127))]
    >>> pairs_in_16_bits(pairs).label[-64:]
    'In 32 bits they are 25,767. With VNNI the four add up to 57,770.'
    """
    if len(pairs) != 2:
        raise ValueError(f"{len(pairs)} pairs were given: the drawing has two")
    for pair in pairs:
        check_codes(pair)
    parts = [*_heads(), *_codes(pairs), *_lines(), *_sums(pairs)]
    return Drawing(_label(pairs), tuple(parts), _top(5) + TALL + 12, width=560)


def _label(pairs: Sequence[TwoProducts]) -> str:
    told = " ".join(
        f"{pair} = {written(pair.exact)}, which fits 16 bits."
        if pair.exact == pair.kept
        else f"{pair} = {written(pair.exact)}, of which 16 bits keep {written(pair.kept)}."
        for pair in pairs
    )
    kept, exact = sum(pair.kept for pair in pairs), sum(pair.exact for pair in pairs)
    return (
        f"{told} In 32 bits they are {written(kept)}. "
        f"With VNNI the four add up to {written(exact)}."
    )


def _top(row: int) -> int:
    """Return where the boxes of a row begin; below two of the rows there are lines."""
    return STEP * row + 18 + LINES * (max(0, min(row, 4) - 2))


def _left(place: int) -> float:
    return place * (BOX + GAP)


def _heads() -> Iterator[str]:
    for row, words in enumerate(ROWS):
        yield text(0, _top(row) - 6, words, anchor="start")


def _box(left: float, width: float, row: int, words: str, *, lost: bool = False) -> Iterator[str]:
    """Yield a filled box with a number: an integer, red where a part of it is lost."""
    ink = LOST if lost else CODE
    yield (
        f'<rect x="{left:.1f}%" y="{_top(row)}" width="{width:.1f}%" height="{TALL}" '
        f'fill="{ink}" fill-opacity="0.2" stroke="{ink}" stroke-width="1.5"/>'
    )
    yield text(left + width / 2, _top(row) + 17, words, bold=lost)


def _codes(pairs: Sequence[TwoProducts]) -> Iterator[str]:
    """Yield the four activations, the four weights, and their products."""
    for number, pair in enumerate(pairs):
        products = (pair.first, pair.exact - pair.first)
        for row, codes in enumerate((pair.activations, pair.weights, products)):
            for place, code in enumerate(codes):
                yield from _box(_left(2 * number + place), BOX, row, written(code))


def _lines() -> Iterator[str]:
    """Yield a line from each product towards its pair, and from each pair towards the sum."""
    for place in range(4):
        start = _left(place) + BOX / 2
        towards = _left(place // 2 * 2) + BOX + GAP / 2
        yield _slanted(start, towards, 2)
    for pair in range(2):
        yield _slanted(_left(2 * pair) + BOX + GAP / 2, 50, 3)


def _slanted(start: float, towards: float, row: int) -> str:
    """Return a line from below a row's box, part of the way to the place of the sum."""
    y = _top(row) + TALL + 2
    return line((start, y), (start + 0.7 * (towards - start), y + LINES), REAL)


def _sums(pairs: Sequence[TwoProducts]) -> Iterator[str]:
    """Yield the two sums in 16 bits, and the sums in 32 bits without and with VNNI."""
    for number, pair in enumerate(pairs):
        lost = pair.exact != pair.kept
        words = written(pair.kept)
        if lost:
            words = f"{written(pair.exact)} → {words}"
        yield from _box(_left(2 * number), 2 * BOX + GAP, 3, words, lost=lost)
    kept, exact = sum(pair.kept for pair in pairs), sum(pair.exact for pair in pairs)
    yield from _box(0, 100, 4, written(kept), lost=kept != exact)
    yield from _box(0, 100, 5, written(exact))
