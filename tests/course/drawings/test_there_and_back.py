"""The first drawing: its places against qlearn's numbers, its text, what it refuses."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
import torch

from qlearn import QParams, dequantize, quantize
from qlearn.course.drawings import there_and_back
from qlearn.course.drawings.svg import CODE, LOST, REAL
from qlearn.course.drawings.there_and_back import BACK, NUMBERS, RULER
from tests.course.drawings.drawn import svg_of

RULER_OF_16 = QParams(0.2, 0, -8, 7, torch.int8)
VALUES = [-1.27, -0.66, 0.13, 0.57, 1.08]
AFFINE = QParams(0.5, 3, 0, 15, torch.uint8)


def svg(values: list[float], qparams: QParams) -> ET.Element:
    """Return the picture's element."""
    return svg_of(there_and_back(values, qparams))


def dots(picture: ET.Element, y: float) -> list[float]:
    """Return the places of the dots at a height, in percent."""
    circles = [c for c in picture.iter("circle") if float(c.get("cy", "")) == y]
    return sorted(float(c.get("cx", "").rstrip("%")) for c in circles)


@pytest.mark.parametrize(
    ("values", "qparams"),
    [(VALUES, RULER_OF_16), ([-1.0, 0.0, 2.26, 9.0], AFFINE)],
    ids=["symmetric", "affine and clipped"],
)
def test_dots_lie_where_the_numbers_are(values: list[float], qparams: QParams) -> None:
    picture = svg(values, qparams)
    x = torch.tensor(values)
    back = dequantize(quantize(x, qparams), qparams)
    ends = dequantize(
        torch.tensor([qparams.quant_min, qparams.quant_max]).to(qparams.dtype), qparams
    )
    first = min(x.min(), ends[0]) - qparams.scale / 2
    last = max(x.max(), ends[1]) + qparams.scale / 2
    for y, numbers in ((NUMBERS, x), (RULER, back), (BACK, back)):
        places = sorted((100 * (numbers - first) / (last - first)).tolist())
        assert places[0] >= 0 and places[-1] <= 100
        assert dots(picture, y) == pytest.approx(places, abs=0.01)


def test_inks_tell_what_is_what() -> None:
    circles = list(svg(VALUES, RULER_OF_16).iter("circle"))
    numbers = [c for c in circles if float(c.get("cy", "")) == NUMBERS]
    assert {(c.get("fill"), c.get("stroke")) for c in numbers} == {("none", REAL)}
    codes = [c for c in circles if float(c.get("cy", "")) == RULER]
    assert {c.get("fill") for c in codes} == {CODE}
    errors = [e for e in svg(VALUES, RULER_OF_16).iter("line") if e.get("stroke") == LOST]
    assert len(errors) == len(VALUES)


def test_each_code_is_written_below_its_mark() -> None:
    texts = [t.text for t in svg(VALUES, RULER_OF_16).iter("text")]
    codes = ["−8", "−7", "−6", "−5", "−4", "−3", "−2", "−1", *map(str, range(8))]
    assert [text for text in codes if text not in texts] == []
    assert "0.2" in texts and "−1.27" in texts and "−1.20" in texts


def test_the_text_for_who_cannot_see_it_says_what_the_picture_says() -> None:
    drawing = there_and_back([0.57, -9.0], RULER_OF_16)
    said = "0.57 gets code 3 and comes back as 0.60; −9.00 gets code −8 and comes back as −1.60."
    assert svg([0.57, -9.0], RULER_OF_16).get("aria-label") == said
    assert repr(drawing) == f"Drawing: {said}"


@pytest.mark.parametrize(
    ("qparams", "said"),
    [
        (QParams(0.1, 0, -128, 127, torch.int8), "codes -128 … 127 with axis None"),
        (
            QParams(torch.ones(2), torch.zeros(2, dtype=torch.int64), -8, 7, torch.int8, axis=0),
            "with axis 0 make no single ruler",
        ),
    ],
    ids=["too many marks", "per channel"],
)
def test_what_is_no_single_ruler_is_refused(qparams: QParams, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        there_and_back([0.0, 1.0], qparams)
