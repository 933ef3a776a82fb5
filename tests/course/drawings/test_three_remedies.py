"""Bars of codes: a 0 is red, a number that stays float has an outline."""

from __future__ import annotations

import pytest
import torch

from qlearn.course.drawings.svg import CODE, LOST
from qlearn.course.drawings.three_remedies import LARGEST, TALL, Remedy, remedies_of, three_remedies
from tests.course.drawings.drawn import svg_of

REMEDIES = {
    "as it is": Remedy([0.6, -0.2, 63.5], [1, 0, 127], 1.77),
    "set apart": Remedy([0.6, -0.2, 63.5], [127, -42, None], 1.18),
}


def test_bars_are_as_tall_as_codes() -> None:
    svg = svg_of(three_remedies(REMEDIES))
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


def test_the_three_ways_come_nearer() -> None:
    row, weight = torch.tensor([[[0.5, -31.75, 0.2, 0.3]], [[2.0, 0.01, -1.0, 1.0]]])
    exact = (row @ weight.T).item()
    ways = remedies_of(row, weight)
    off = {name: abs(way.output - exact) for name, way in ways.items()}
    assert off["as it is"] == pytest.approx(0.1, abs=1e-3)  # the codes are 2, −127, 1 and 1
    assert off["set apart"] < 0.005
    assert off["divided"] < 0.005
    assert off["rotated"] < off["as it is"]
    assert ways["set apart"].codes[1] is None
    assert ways["as it is"].codes == [2, -127, 1, 1]
