"""The change of ruler drawn: a sum lies above its code, and sum 0 above the zero point."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
import torch

from qlearn import QParams, requantize
from qlearn.course.drawings.change_of_ruler import change_of_ruler
from qlearn.course.drawings.svg import CODE, REAL
from tests.course.drawings.drawn import svg_of

OUTPUT = QParams(0.05, 60, 0, 255, torch.uint8)
SUMS = [3160, -3210]


def svg() -> ET.Element:
    """Return the picture's element."""
    return svg_of(change_of_ruler(SUMS, 0.01, OUTPUT, 4000))


def test_the_codes_are_those_of_requantize() -> None:
    total = torch.tensor([SUMS], dtype=torch.int32).T
    scales = torch.tensor(0.05), torch.tensor(0.01)
    codes = requantize(total, *scales, None, OUTPUT, relu=False, engine="fbgemm")
    bold = [each for each in svg().iter("text") if each.get("fill") == CODE]
    assert [int(each.text or "") for each in bold] == codes.flatten().tolist()


def test_a_way_leads_from_each_sum_to_the_mark_of_its_code() -> None:
    ways = [each for each in svg().iter("line") if each.get("y1") == "70"]
    places = [(each.get("x1"), each.get("x2")) for each in ways]
    assert places == [("89.5%", "90%"), ("9.88%", "10%")]  # 3,160 to 3,200; −3,210 to −3,200


def test_there_is_a_mark_for_each_code_and_a_band_for_the_sums() -> None:
    marks = [each for each in svg().iter("line") if each.get("y2") == "140"]
    assert len([each for each in marks if each.get("stroke-width") == "1"]) == 81
    assert len(list(svg().iter("rect"))) == 1
    dashed = [each for each in svg().iter("line") if each.get("stroke-dasharray")]
    assert [(each.get("x1"), each.get("stroke")) for each in dashed] == [("50%", REAL)]


def test_the_numbers_at_its_ends_stay_within_the_ruler() -> None:
    numbers = {each.text: each.get("text-anchor") for each in svg().iter("text")}
    wanted = {"−4,000": "start", "−2,000": "middle", "4,000": "end"}
    assert {number: numbers[number] for number in wanted} == wanted


def test_its_words_say_the_same() -> None:
    label = change_of_ruler(SUMS, 0.01, OUTPUT, 4000).label
    assert "one of its steps is as wide as 100 steps of the sums" in label
    assert "Sum 3,160 lies above code 92. Sum −3,210 lies above code 28." in label


def test_a_sum_beyond_the_ruler_is_refused() -> None:
    with pytest.raises(ValueError, match="sum 5000 is beyond the ruler's end"):
        change_of_ruler([5000], 0.01, OUTPUT, 4000)
