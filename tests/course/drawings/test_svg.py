"""What drawings are made of."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from qlearn.course.drawings import svg
from qlearn.course.widgets.shared.figure import SHARED
from tests.course.drawings.drawn import svg_of


def drawn(*parts: str, label: str = "A line") -> ET.Element:
    """Return the picture's element."""
    return svg_of(svg.Drawing(label, parts, 40))


def test_the_inks_are_those_of_the_widgets() -> None:
    css = (SHARED / "figure.css").read_text(encoding="utf-8")
    inks = dict(re.findall(r"--qb-(real|code|lost): (#[0-9a-f]{6});", css))
    assert inks == {"real": svg.REAL, "code": svg.CODE, "lost": svg.LOST}


def test_a_picture_is_named_for_who_cannot_see_it() -> None:
    picture = drawn(label='"a" < b & c')
    assert (picture.get("role"), picture.get("aria-label")) == ("img", '"a" < b & c')
    assert repr(svg.Drawing("A line", (), 40)) == "Drawing: A line"


def test_words_are_escaped_and_take_the_colour_of_the_page() -> None:
    (words,) = drawn(svg.text(50, 10, "a < b & c"))
    assert (words.text, words.get("fill"), words.get("x")) == ("a < b & c", "currentColor", "50%")


def test_places_are_percent_across_and_pixels_down() -> None:
    line, circle = drawn(svg.line((0, 1), (33.333, 2), svg.REAL), svg.dot(100, 7.5, svg.CODE))
    assert [line.get(name) for name in ("x1", "y1", "x2", "y2")] == ["0%", "1", "33.33%", "2"]
    assert (circle.get("cx"), circle.get("cy")) == ("100%", "7.5")


def test_a_float_is_an_outline_and_a_code_is_filled() -> None:
    outline, filled = drawn(svg.dot(1, 1, svg.REAL, filled=False), svg.dot(1, 1, svg.CODE))
    assert (outline.get("fill"), outline.get("stroke")) == ("none", svg.REAL)
    assert (filled.get("fill"), filled.get("stroke")) == (svg.CODE, None)


def test_a_number_that_rounds_to_0_has_no_sign() -> None:
    (line,) = drawn(svg.line((-0.001, 1e-9), (1, 2), svg.LOST, dashed=True))
    assert (line.get("x1"), line.get("y1")) == ("0%", "0")
    assert line.get("stroke-dasharray") == "4 3"
