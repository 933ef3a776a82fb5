"""What methods leave of a loss: dots at their shares, the same shares everywhere."""

from __future__ import annotations

import re

import pytest

from qlearn.course.drawings.methods_and_spread import LEFT, RIGHT, methods_and_spread
from qlearn.course.drawings.svg import CODE

TWO = {
    "3 bits": {"nearest": [2.0], "GPTQ": [1.5, 1.6]},
    "4 bits": {"nearest": [1.2], "GPTQ": [1.1, 1.25]},
}


def test_a_share_lies_at_the_same_place_in_each_line() -> None:
    drawing = methods_and_spread(1.0, {**TWO, "5 bits": {"nearest": [1.1], "GPTQ": [1.05]}})
    found = re.findall(r'<circle cx="([\d.]+)%" cy="(\d+)" r="5"', "".join(drawing.parts))
    places = [(float(x) - LEFT) / (RIGHT - LEFT) for x, _ in found]
    assert places == pytest.approx([1, 0.5, 0.6, 1, 0.5, 1.25, 1, 0.5], abs=1e-3)
    assert "4 bits: nearest 1.200; GPTQ leaves 50 % to 125 % of its loss." in drawing.label


def test_the_second_of_two_methods_is_grey_and_the_fourth_blue() -> None:
    four = {"3 bits": {name: [1.5] for name in ("nearest", "clipped", "AWQ", "GPTQ")}}
    drawn = "".join(methods_and_spread(1.0, four).parts)
    assert len(re.findall(f'<circle [^>]*fill="{CODE}"', drawn)) == 2  # in the legend and the line


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "the same methods, one to four"),
        ({**TWO, "2 bits": {"nearest": [3.0]}}, "the same methods, one to four"),
        ({"8 bits": {"nearest": [1.0]}}, "8 bits: nearest loses nothing"),
    ],
)
def test_what_cannot_be_drawn_is_said(settings: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        methods_and_spread(1.0, settings)
