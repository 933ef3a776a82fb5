"""The integer layer drawn: integers are filled, floats are outlines, and the sum is right."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
import torch

from qlearn import QParams, QTensor, linear_dynamic
from qlearn.course.drawings.integer_layer import integer_layer
from qlearn.course.drawings.svg import CODE, REAL, Drawing
from tests.course.drawings.drawn import svg_of

X, CODES = [1.0, -0.5, 2.0, 0.25], [32, -64, 16, 127]
RULER = QParams(4 / 127, 32, 0, 127, torch.uint8)
DRAWN = integer_layer(X, CODES, RULER, 2 / 127.5, 0.1)


def parts(drawing: Drawing, kind: str) -> list[ET.Element]:
    """Return the elements of a kind."""
    return list(svg_of(drawing).iter(kind))


def test_integers_are_filled_and_floats_are_outlines() -> None:
    inks = [(box.get("stroke"), box.get("fill")) for box in parts(DRAWN, "rect")]
    assert inks == [(REAL, "none")] * 4 + [(CODE, CODE)] * 14 + [(REAL, "none")]


def test_its_numbers_are_those_of_the_layer() -> None:
    words = [each.text for each in parts(DRAWN, "text")]
    for said in ("64", "−1024", "5080", "7640", "− 32 · 111 =", "4088", "2.12"):
        assert said in words
    weight = QTensor(
        torch.tensor([CODES], dtype=torch.int8), QParams(2 / 127.5, 0, -128, 127, torch.int8)
    )
    batch = torch.tensor([X, [0.5, 3.0, -1.0, 0.0]])
    y = linear_dynamic(batch, weight, torch.tensor([0.1]))[0].item()
    assert f"{y:.2f}" == "2.12"


def test_its_words_say_the_same() -> None:
    for said in ("codes 64, 16, 96 and 40", "sum is 7640", "32 · 111", "4088 is left", "is 2.12."):
        assert said in DRAWN.label


@pytest.mark.parametrize(("x", "weight"), [([1.0], [1, 2]), ([], []), ([0.0] * 5, [0] * 5)])
def test_what_has_no_room_is_refused(x: list[float], weight: list[int]) -> None:
    with pytest.raises(ValueError, match="the drawing has room for one to four"):
        integer_layer(x, weight, RULER, 1.0, 0.0)
