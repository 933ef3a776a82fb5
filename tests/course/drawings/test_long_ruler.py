"""The ruler of 256 codes: where numbers and codes lie, what is lost, and its text."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
import torch

from qlearn import QParams, dequantize, quantize
from qlearn.course.drawings.long_ruler import BACK, NUMBERS, RULER, long_ruler
from qlearn.course.drawings.svg import CODE, LOST, REAL
from tests.course.drawings.drawn import svg_of

QPARAMS = QParams(0.1, 10, -128, 127, torch.int8)
VALUES = [-3.14, 0.0, 8.0, 20.0]


def svg() -> ET.Element:
    """Return the picture's element."""
    return svg_of(long_ruler(VALUES, QPARAMS))


def places(picture: ET.Element, y: int) -> list[float]:
    """Return where the dots at a height lie, in percent."""
    dots = [c for c in picture.iter("circle") if float(c.get("cy", "")) == y]
    return [float(c.get("cx", "").rstrip("%")) for c in dots]


def test_dots_lie_where_the_numbers_are() -> None:
    x = torch.tensor(VALUES)
    back = dequantize(quantize(x, QPARAMS), QPARAMS)
    for y, numbers in ((NUMBERS, x), (RULER, back), (BACK, back)):
        expected = 2 + 96 * (numbers + 13.8) / (20 + 13.8)
        assert places(svg(), y) == pytest.approx(expected.tolist(), abs=0.01)


def test_the_ruler_ends_at_its_last_code_and_the_rest_is_red() -> None:
    lines = list(svg().iter("line"))
    (ruler,) = [e for e in lines if e.get("y1") == e.get("y2") == str(RULER)]
    assert ruler.get("stroke") == CODE
    assert float(ruler.get("x2", "").rstrip("%")) == pytest.approx(places(svg(), RULER)[-1])
    red = [e for e in lines if e.get("stroke") == LOST]
    long = [float(e.get("x1", "")[:-1]) - float(e.get("x2", "")[:-1]) for e in red]
    assert max(long) == pytest.approx(96 * 8.3 / 33.8, abs=0.02)
    outlined = [c for c in svg().iter("circle") if c.get("fill") == "none"]
    assert {c.get("stroke") for c in outlined} == {REAL} and len(outlined) == len(VALUES)


def test_numbers_codes_and_the_zero_point_are_written() -> None:
    words = {t.text for t in svg().iter("text")}
    assert words >= {"−3.14", "−3.1", "−128", "−21", "10", "90", "127", "11.7", "zero point"}


def test_its_text_says_what_the_picture_says() -> None:
    assert long_ruler([20.0], QPARAMS).label == (
        "The codes −128 to 127 are a ruler from −13.8 to 11.7, and code 10 lies at 0. "
        "20 gets code 127 and comes back as 11.7."
    )


def test_a_ruler_for_each_channel_is_refused() -> None:
    rows = QParams(torch.ones(2), torch.zeros(2, dtype=torch.int32), -8, 7, torch.int8, axis=0)
    with pytest.raises(ValueError, match="axis is 0, and one ruler is drawn"):
        long_ruler([0.0], rows)
