"""A loud channel drawn: with a scale a token it harms every other, with one a channel none."""

from __future__ import annotations

from qlearn.course.drawings import loud_channel as drawn
from qlearn.course.drawings.svg import CODE, LOST
from tests.course.drawings.drawn import svg_of


def test_who_is_harmed() -> None:
    drawing = drawn.loud_channel()
    svg = svg_of(drawing)
    boxes = [box.get("stroke") for box in svg.iter("rect")]
    assert boxes == [LOST] * drawn.TOKENS + [CODE] * drawn.CHANNELS
    dots = [(dot.get("r"), dot.get("stroke")) for dot in svg.iter("circle")]
    harmed = drawn.TOKENS * (drawn.CHANNELS - 1)
    assert dots.count(("3", LOST)) == harmed
    assert [r for r, _ in dots].count("7") == 2 * drawn.TOKENS
    assert f"each token: {harmed} others harmed" in drawing.label
    assert "each channel: 0 others harmed" in drawing.label
