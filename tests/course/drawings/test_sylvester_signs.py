"""Sylvester's signs: four copies of the matrix before, the last one turned over."""

from __future__ import annotations

import pytest

from qlearn.course.drawings.svg import CODE
from qlearn.course.drawings.sylvester_signs import sylvester_signs
from tests.course.drawings.drawn import svg_of


def test_its_words_are_the_matrices() -> None:
    said = sylvester_signs((2, 4)).label
    assert said.endswith("Size 2: ++ +−. Size 4: ++++ +−+− ++−− +−−+.")


def test_a_filled_square_is_a_plus() -> None:
    svg = svg_of(sylvester_signs((8,)))
    inks = [square.get("fill") for square in svg.iter("rect")]
    assert (len(inks), inks.count(CODE)) == (64, 8 + 7 * 4)


def test_other_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="n is 3"):
        sylvester_signs((3,))
    with pytest.raises(ValueError, match="powers of two up to 16"):
        sylvester_signs((32,))
