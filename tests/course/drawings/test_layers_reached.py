"""The reached layers drawn: filled where weights are integers, and as long as their bytes."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from qlearn.course.drawings.layers_reached import Stored, layers_reached
from qlearn.course.drawings.svg import CODE, REAL
from tests.course.drawings.drawn import svg_of

BEFORE = [Stored("conv", 2000, False), Stored("fc", 8000, False)]
AFTER = [Stored("conv", 2000, False), Stored("fc", 2100, True)]
DRAWN = layers_reached({"before": BEFORE, "after": AFTER})


def boxes() -> list[ET.Element]:
    """Return the boxes."""
    return list(svg_of(DRAWN).iter("rect"))


def test_integers_are_filled_and_floats_are_outlines() -> None:
    inks = [(box.get("stroke"), box.get("fill")) for box in boxes()]
    assert inks == [(REAL, "none")] * 3 + [(CODE, CODE)]


def test_boxes_are_as_long_as_the_bytes_and_follow_each_other() -> None:
    ends = [(box.get("x"), box.get("width")) for box in boxes()]
    assert ends == [
        ("0.00%", "20.00%"),
        ("20.00%", "80.00%"),
        ("0.00%", "20.00%"),
        ("20.00%", "21.00%"),
    ]


def test_its_words_say_the_same() -> None:
    assert DRAWN.label == (
        "before, 10.0 kB: conv 2.0 float32, fc 8.0 float32; "
        "after, 4.1 kB: conv 2.0 float32, fc 2.1 int8."
    )


@pytest.mark.parametrize("models", [{}, {"empty": []}, {"none": [Stored("relu", 0, False)]}])
def test_what_has_no_bytes_is_refused(models: dict[str, list[Stored]]) -> None:
    with pytest.raises(ValueError, match="each has layers with bytes"):
        layers_reached(models)
