"""x · Wᵀ drawn: one row and one output in the same ink, and one scale for both."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from qlearn.course.drawings.row_and_output import row_and_output
from qlearn.course.drawings.svg import CODE
from tests.course.drawings.drawn import svg_of


def svg(shown: int) -> ET.Element:
    """Return the picture's element."""
    return svg_of(row_and_output(shown))


@pytest.mark.parametrize("shown", [0, 1, 2])
def test_one_row_of_codes_and_its_output_are_blue(shown: int) -> None:
    boxes = list(svg(shown).iter("rect"))
    blue = [box for box in boxes if box.get("stroke") == CODE]
    assert (len(boxes), len(blue)) == (15, 4)
    assert len({box.get("y") for box in blue}) == 1
    assert [box.get("fill") for box in blue] == [CODE] * 3 + ["none"]  # codes, then a float


@pytest.mark.parametrize(("shown", "low"), [(0, "₀"), (1, "₁"), (2, "₂")])
def test_the_scale_stands_outside_of_the_sum(shown: int, low: str) -> None:
    words = [each.text for each in svg(shown).iter("text")]
    assert f"y{low} = s{low} · (x₀·q{low}₀ + x₁·q{low}₁ + x₂·q{low}₂)" in words
    assert f"y{low} = c₀·x₀·q{low}₀ + c₁·x₁·q{low}₁ + c₂·x₂·q{low}₂" in words


@pytest.mark.parametrize(("shown", "low"), [(0, "₀"), (1, "₁"), (2, "₂")])
def test_its_words_say_the_same(shown: int, low: str) -> None:
    label = row_and_output(shown).label
    assert f"Row {shown} and output y{low} are blue: y{low} is s{low} times" in label
    assert f"the sum of x₀·q{low}₀, x₁·q{low}₁ and x₂·q{low}₂" in label


def test_a_row_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="row 3 is none of 0, 1 and 2"):
        row_and_output(3)
