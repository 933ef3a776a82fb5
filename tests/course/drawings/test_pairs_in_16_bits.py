"""Four products through 16 bits: each number is drawn, and red is what is wrong."""

from __future__ import annotations

import pytest

from qlearn.course.drawings.pairs_in_16_bits import pairs_in_16_bits
from qlearn.course.drawings.svg import LOST
from qlearn.course.drawings.two_products import TwoProducts
from tests.course.drawings.drawn import svg_of

FITS = TwoProducts((100, 200), (50, -60))
LOSES = TwoProducts((255, 255), (127, 127))


def numbers_and_red(*pairs: TwoProducts) -> tuple[list[str], int]:
    """Return the words in the picture, and how many boxes are red."""
    svg = svg_of(pairs_in_16_bits(pairs))
    red = sum(box.get("stroke") == LOST for box in svg.iter("rect"))
    return [each.text or "" for each in svg.iter("text")], red


def test_a_sum_that_fits_and_one_that_saturates() -> None:
    words, red = numbers_and_red(FITS, LOSES)
    shown = ["100", "200", "50", "−60", "5,000", "−12,000", "32,385", "−7,000"]
    assert set(shown) < set(words)
    assert words[-3:] == ["64,770 → 32,767", "25,767", "57,770"]
    assert red == 2


def test_nothing_is_red_where_all_fits() -> None:
    words, red = numbers_and_red(FITS, FITS)
    assert words[-2:] == ["−14,000", "−14,000"]
    assert red == 0


def test_its_words_say_the_same() -> None:
    label = pairs_in_16_bits([FITS, LOSES]).label
    assert "255 · 127 + 255 · 127 = 64,770, of which 16 bits keep 32,767." in label
    assert "100 · 50 + 200 · −60 = −7,000, which fits 16 bits." in label


@pytest.mark.parametrize(
    ("pairs", "said"),
    [([FITS], "1 pairs"), ([FITS, TwoProducts((1, -1), (1, 1))], "-1 is no activation's code")],
)
def test_what_it_cannot_draw_is_refused(pairs: list[TwoProducts], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        pairs_in_16_bits(pairs)
