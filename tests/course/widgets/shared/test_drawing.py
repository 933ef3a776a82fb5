"""What can be dragged: the mark on the picture lies under the thumb of its input."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call, with_other

DRAWING = SHARED / "drawing.js"
# A place for each value: 20 to 80 percent, or pixels from 10 to 110 upwards or downwards.
HELD = """({ least, most, ...given }) =>
  right.held({ ...given, at: (value) => least + ((value + 1) / 4) * (most - least) })"""


@pytest.mark.parametrize(
    ("least", "most", "y"),
    [(20, 80, 30), (80, 20, 30), (110, 10, None), (10, 110, None)],
    ids=["rightwards", "leftwards", "upwards", "downwards"],
)
@pytest.mark.parametrize("value", [-1, 0, 3])
def test_the_mark_lies_under_the_thumb(
    node: str, tmp_path: Any, least: int, most: int, y: int | None, value: int
) -> None:
    given = {"least": least, "most": most, "name": "n", "value": value, "domain": [-1, 3]}
    given |= {"y": y} if y else {}
    (held,) = call(node, with_other(tmp_path, DRAWING, "own", HELD), [["own", given]])
    share, place = (value + 1) / 4, least + (value + 1) / 4 * (most - least)
    mark, input_ = held["mark"]["props"], held["input"]["props"]
    style = input_["style"]
    if y:
        start, width = [float(n) for n in re.findall(r"calc\((-?[\d.]+)%", style)]
        assert start + width * (1 - share if "rtl" in style else share) == pytest.approx(place)
        assert (mark["x"], mark["y"] + 11) == (f"{place:g}%", y)
    else:
        top, height = [float(n) for n in re.findall(r"(?:top|height): ([-\d.]+)px", style)]
        assert (top + 13, top + height - 13) == (10, 110) and "vertical" in str(input_)
        down = share if "ltr" in style else 1 - share
        assert 10 + down * 100 == pytest.approx(place) and mark["y"] + 5 == place


def test_a_mark_of_its_own_stands_until_its_value_leaves(node: str, tmp_path: Path) -> None:
    given = {"name": "n", "domain": [0, 1], "mark": "a dot", "y": 30}
    marks = """(values, given) => values.map((value) =>
      right.held({ ...given, value, at: right.across(given.domain) }).mark)"""
    module = with_other(tmp_path, DRAWING, "marks", marks)
    ((inside, beyond),) = call(node, module, [["marks", [0.5, 2], given]])
    assert inside == "a dot" and beyond["type"] == "svg"
