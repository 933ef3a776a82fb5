"""What a weight costs: bars as long as their bits, and the sums in words."""

from __future__ import annotations

import re

import pytest

from qlearn.course.drawings.weight_costs import weight_costs

FORMATS = {"wide": [("code", 8), ("scale", 2)], "small": [("code", 4), ("a", 0.5), ("b", 0.5)]}


def test_bars_are_as_long_as_their_bits() -> None:
    drawn = "".join(weight_costs(FORMATS).parts)
    bars = re.findall(
        r'<rect x="([\d.]+)%" y="\d+" width="([\d.]+)%" height="14" fill="(\S+?)"', drawn
    )
    assert [(float(left), float(width)) for left, width, _ in bars] == [
        (0, 80), (80, 20), (0, 40), (40, 5), (45, 5),
    ]  # fmt: skip
    assert [fill == "none" for *_, fill in bars] == [False, True, False, True, True]


def test_its_words_hold_the_sums() -> None:
    drawing = weight_costs(FORMATS)
    assert "small: 5 bits a weight, code 4, a 0.5, b 0.5." in drawing.label
    assert ">10 bits<" in "".join(drawing.parts) and ">5 bits<" in "".join(drawing.parts)


@pytest.mark.parametrize("formats", [{}, {"odd": [("code", -1.0)]}])
def test_what_has_no_bits_is_refused(formats: dict) -> None:
    with pytest.raises(ValueError, match="no part below 0"):
        weight_costs(formats)
