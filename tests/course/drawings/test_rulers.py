"""Several rulers over one number line: marks where qlearn has them, and the unused ones."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
import torch

from qlearn import QParams, choose_qparams
from qlearn.course.drawings.rulers import ROW, TOP, beyond_the_numbers, rulers
from qlearn.course.drawings.svg import CODE
from tests.course.drawings.drawn import svg_of

X = torch.tensor([[1.541, -0.293, -2.179], [0.568, -1.085, -1.399], [0.403, 0.838, -0.719]])
SYMMETRIC = QParams(X.abs().max() / 7, 0, -8, 7, torch.int8)
AFFINE = choose_qparams(X.min(), X.max(), quant_min=-8, quant_max=7)
LINES = {"symmetric": (X, SYMMETRIC), "affine": (X, AFFINE)}


def svg() -> ET.Element:
    """Return the picture's element."""
    return svg_of(rulers(LINES))


def marks(picture: ET.Element, number: int) -> list[ET.Element]:
    """Return the upright blue lines of one ruler."""
    foot = TOP + ROW * number + 52
    blue = [e for e in picture.iter("line") if e.get("stroke") == CODE]
    return [e for e in blue if float(e.get("y2", "")) == foot and e.get("x1") == e.get("x2")]


def test_marks_are_a_scale_apart_on_one_number_line() -> None:
    picture = svg()
    steps = []
    for number in range(2):
        places = [float(e.get("x1", "").rstrip("%")) for e in marks(picture, number)]
        assert len(places) == 16
        steps.append((places[-1] - places[0]) / 15)
    assert steps[1] / steps[0] == pytest.approx(float(AFFINE.scale / SYMMETRIC.scale), abs=0.01)


def test_marks_beyond_the_numbers_are_thin() -> None:
    picture = svg()
    thin = [sum(e.get("stroke-width") == "1" for e in marks(picture, n)) for n in range(2)]
    beyond = [len(beyond_the_numbers(X, qparams)) for qparams in (SYMMETRIC, AFFINE)]
    assert thin == beyond == [3, 0]


def test_its_words_say_the_same() -> None:
    assert rulers(LINES).label == (
        "symmetric: a mark every 0.311, marks −8 to 7, 3 marks beyond the numbers; "
        "affine: a mark every 0.248, marks −8 to 7, none beyond the numbers."
    )


def test_marks_between_the_numbers_are_not_called_used() -> None:
    ruler = QParams(1.0, 0, 0, 7, torch.uint8)
    ends, short = torch.tensor([0.0, 7.0]), torch.tensor([0.0, 6.0])
    label = rulers({"six between": (ends, ruler), "short": (short, ruler)}).label
    assert label == (
        "six between: a mark every 1, marks 0 to 7, none beyond the numbers; "
        "short: a mark every 1, marks 0 to 7, 1 mark beyond the numbers."
    )


def test_all_numbers_are_drawn_for_each_ruler() -> None:
    circles = list(svg().iter("circle"))
    assert len(circles) == 2 * X.numel()
    assert {c.get("fill") for c in circles} == {"none"}


def test_without_a_ruler_there_is_nothing_to_draw() -> None:
    with pytest.raises(ValueError, match="name at least one"):
        rulers({})


def test_too_many_marks_are_refused() -> None:
    with pytest.raises(ValueError, match="symmetric is no single ruler of at most 32 marks"):
        rulers({"symmetric": (X, QParams(0.1, 0, -128, 127, torch.int8))})


@pytest.mark.parametrize(("end", "labels"), [(3.0, "0 1 2 3"), (30.0, "0 5 10 15 20 25 30")])
def test_a_long_number_line_has_fewer_numbers(end: float, labels: str) -> None:
    x = torch.tensor([0.0, end])
    drawn = rulers({"": (x, QParams(end / 7, 0, 0, 7, torch.uint8))})
    found = svg_of(drawn).iter("text")
    assert [each.text for each in found if each.get("font-size") == "11"] == labels.split()
