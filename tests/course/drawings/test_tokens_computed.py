"""Steps of decoding drawn: each token is computed in every step, or once."""

from __future__ import annotations

import pytest

from qlearn.course.drawings.svg import CODE, REAL
from qlearn.course.drawings.tokens_computed import tokens_computed
from tests.course.drawings.drawn import svg_of


def test_each_step_computes_all_or_one() -> None:
    drawing = tokens_computed("Treas")
    svg = svg_of(drawing)
    inks = [box.get("stroke") for box in svg.iter("rect")]
    assert (inks[:15], inks[15:].count(CODE), inks[15:].count(REAL)) == ([CODE] * 15, 5, 10)
    words = [each.text for each in svg.iter("text")]
    assert {"15 tokens computed", "5 computed, 10 read"} <= set(words)
    assert "without a cache 15 are computed, with one 5, and 10 read" in drawing.label


@pytest.mark.parametrize("tokens", ["a", "abcdefghi"])
def test_what_does_not_fit_is_refused(tokens: str) -> None:
    with pytest.raises(ValueError, match="draw two to eight"):
        tokens_computed(tokens)
