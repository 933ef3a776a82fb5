"""Bars of codes: a 0 is red, a number that stays float has an outline."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from qlearn.course.drawings.svg import CODE, LOST
from qlearn.course.drawings.three_remedies import LARGEST, TALL, Remedy, three_remedies

REMEDIES = {
    "as it is": Remedy([0.6, -0.2, 63.5], [1, 0, 127], 1.77),
    "set apart": Remedy([0.6, -0.2, 63.5], [127, -42, None], 1.18),
}


def test_bars_are_as_tall_as_codes() -> None:
    svg = ET.fromstring(three_remedies(REMEDIES)._repr_html_()).find("svg")
    assert svg is not None
    bars = list(svg.iter("rect"))
    filled = [float(bar.get("height", 0)) for bar in bars if bar.get("fill") == CODE]
    assert filled == pytest.approx([2, TALL, TALL, TALL * 42 / LARGEST], abs=0.06)
    assert [bar.get("fill") for bar in bars].count("none") == 1
    assert [each.get("stroke") for each in svg.iter("line")].count(LOST) == 1


def test_its_words_say_codes_and_outputs() -> None:
    said = three_remedies(REMEDIES).label
    assert "−0.2 is code 0, 63.5 is code 127; the output is 1.77." in said
    assert "63.5 stays float; the output is 1.18." in said


def test_each_number_needs_a_code() -> None:
    with pytest.raises(ValueError, match="one has 1 codes for 2 numbers"):
        three_remedies({"one": Remedy([1.0, 2.0], [1], 0.0)})
