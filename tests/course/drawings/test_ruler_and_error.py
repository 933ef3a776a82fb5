"""The drawing that names scale, zero point and error: its places and words against qlearn's."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
import torch

from qlearn import QParams, choose_qparams, dequantize, quantize
from qlearn.course.drawings.ruler_and_error import NUMBERS, RULER, ruler_and_error
from qlearn.course.drawings.svg import CODE, LOST, REAL
from tests.course.drawings.drawn import svg_of

VALUES = [1.541, -0.293, -2.179, 0.568, -1.085, -1.399, 0.403, 0.838, -0.719]
AFFINE = choose_qparams(-2.179, 1.541, quant_min=-8, quant_max=7)


def percent(element: ET.Element, name: str) -> float:
    return float(element.get(name, "").rstrip("%"))


def test_each_number_is_an_outline_and_its_code_is_filled() -> None:
    circles = list(svg_of(ruler_and_error(VALUES, 4, AFFINE)).iter("circle"))
    floats = [c for c in circles if float(c.get("cy", "")) == NUMBERS]
    (code,) = [c for c in circles if float(c.get("cy", "")) == RULER]
    assert len(floats) == len(VALUES)
    assert {(c.get("fill"), c.get("stroke")) for c in floats} == {("none", REAL)}
    assert code.get("fill") == CODE


def test_the_error_is_as_long_as_it_is() -> None:
    picture = svg_of(ruler_and_error(VALUES, 4, AFFINE))
    (error,) = [e for e in picture.iter("line") if e.get("stroke") == LOST]
    width = percent(error, "x2") - percent(error, "x1")
    marks = [e for e in picture.iter("line") if float(e.get("y2", "")) == RULER]
    places = sorted({percent(e, "x1") for e in marks} - {0.0})
    step = (places[-1] - places[0]) / (len(places) - 1)
    x = torch.tensor(VALUES[4:5])
    off = (dequantize(quantize(x, AFFINE), AFFINE) - x).item()
    assert width / step == pytest.approx(off / float(AFFINE.scale), abs=0.01)


def test_its_words_name_the_parts() -> None:
    drawing = ruler_and_error(VALUES, 4, AFFINE)
    words = [each.text for each in svg_of(drawing).iter("text")]
    assert {"zero point", "scale 0.248", "error", "−1.085", "−8", "7"} <= set(words)
    assert drawing.label == (
        "The marks −8 to 7 of a ruler are 0.248 apart: this is the scale. Mark 1 lies at 0: this "
        "is the zero point. The number −1.085 gets the nearest mark, −3, and its error is 0.09."
    )


def test_the_zero_point_is_named_below_the_0_of_the_numbers() -> None:
    words = {each.text: each for each in svg_of(ruler_and_error(VALUES, 4, AFFINE)).iter("text")}
    assert percent(words["zero point"], "x") == percent(words["1"], "x")


@pytest.mark.parametrize(
    "qparams",
    [
        QParams(0.1, 0, -128, 127, torch.int8),
        QParams(torch.ones(2), torch.zeros(2, dtype=torch.int64), -8, 7, torch.int8, axis=0),
    ],
    ids=["too many marks", "per channel"],
)
def test_what_is_no_single_ruler_is_refused(qparams: QParams) -> None:
    with pytest.raises(ValueError, match="make no single ruler of at most 32 marks"):
        ruler_and_error(VALUES, 0, qparams)
