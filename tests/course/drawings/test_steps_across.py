"""Two ways side by side: a line for each old step, blue where the numbers are the same."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from qlearn.course.drawings.steps_across import RIGHT, steps_across
from qlearn.course.drawings.svg import CODE, Drawing
from tests.course.drawings.drawn import svg_of

OLD, NEW = ["stubs", "fuse", "convert"], ["export", "convert_pt2e"]
EQUAL = [("fuse", "convert_pt2e")]
OTHER = [("stubs", "export"), ("convert", "convert_pt2e")]


def drawn() -> Drawing:
    return steps_across(OLD, NEW, equal=EQUAL, other=OTHER, notes={"export": "finds them"})


def svg() -> ET.Element:
    return svg_of(drawn())


def test_each_step_has_a_box_with_its_name() -> None:
    texts = [each.text for each in svg().iter("text")]
    assert all(texts.count(name) == 1 for name in OLD + NEW)
    assert len(list(svg().iter("rect"))) == len(OLD + NEW)


def test_a_blue_line_ends_at_the_step_that_gives_the_same() -> None:
    (blue,) = (each for each in svg().iter("line") if each.get("stroke") == CODE)
    (name,) = (each for each in svg().iter("text") if each.text == "convert_pt2e")
    assert blue.get("x2") == f"{RIGHT[0]:g}%"
    assert abs(float(blue.get("y2", 0)) - float(name.get("y", 0))) < 6
    assert len(list(svg().iter("line"))) == len(OLD)


def test_its_words_say_the_same() -> None:
    assert drawn().label == (
        "stubs becomes export, with changes; fuse becomes convert_pt2e, equal in every bit; "
        "convert becomes convert_pt2e, with changes; export: finds them."
    )


def test_a_note_stands_below_its_step() -> None:
    places = {each.text: (each.get("x"), float(each.get("y", 0))) for each in svg().iter("text")}
    assert places["finds them"][0] == places["export"][0]
    assert places["export"][1] < places["finds them"][1] < places["convert_pt2e"][1]


def test_a_note_on_no_step_is_refused() -> None:
    with pytest.raises(ValueError, match="stub: a note belongs to a new step"):
        steps_across(OLD, NEW, equal=EQUAL, other=OTHER, notes={"stub": "gone"})


@pytest.mark.parametrize(
    ("equal", "other", "says"),
    [
        ([("fuse", "prepare")], OTHER, "fuse → prepare"),
        ([], OTHER, "fuse went nowhere"),
    ],
    ids=["no such step", "a step left out"],
)
def test_a_picture_that_would_mislead_is_refused(equal, other, says) -> None:
    with pytest.raises(ValueError, match=says):
        steps_across(OLD, NEW, equal=equal, other=other)
