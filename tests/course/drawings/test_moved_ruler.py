"""The ruler that clamping moved: both places, and that all numbers end on its last mark."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
import torch

from qlearn import QParams, choose_qparams, textbook_qparams
from qlearn.course.drawings.moved_ruler import CLAMPED, WANTED, moved_ruler
from qlearn.course.drawings.svg import CODE, LOST
from tests.course.drawings.drawn import svg_of

WARM = 10 + torch.rand(1000, generator=torch.Generator().manual_seed(0))
CLAMPED_RULER = textbook_qparams(WARM, symmetric=False)


def svg() -> ET.Element:
    """Return the picture's element."""
    return svg_of(moved_ruler(WARM, -2679, CLAMPED_RULER))


def ends(picture: ET.Element, y: int) -> tuple[float, float]:
    """Return where a ruler begins and ends, in percent."""
    blue = [e for e in picture.iter("line") if e.get("stroke") == CODE]
    (ruler,) = [e for e in blue if float(e.get("y1", "")) == float(e.get("y2", "")) == y]
    return float(ruler.get("x1", "").rstrip("%")), float(ruler.get("x2", "").rstrip("%"))


def test_the_ruler_keeps_its_length_and_loses_its_place() -> None:
    picture = svg()
    (start, end), (moved, last) = ends(picture, WANTED), ends(picture, CLAMPED)
    assert end - start == pytest.approx(last - moved, abs=0.02)
    numbers = {t.text: float(t.get("x", "").rstrip("%")) for t in picture.iter("text")}
    assert moved == pytest.approx(numbers["0"], abs=0.1)
    assert start == pytest.approx(numbers["10"], abs=0.1)


def test_in_red_all_numbers_go_to_the_last_mark() -> None:
    picture = svg()
    red = [e for e in picture.iter("line") if e.get("stroke") == LOST]
    down = [e for e in red if float(e.get("y2", "")) == CLAMPED - 4]
    assert [float(e.get("x2", "").rstrip("%")) for e in down] == [ends(picture, CLAMPED)[1]]


def test_its_words_say_the_same() -> None:
    assert moved_ruler(WARM, -2679, CLAMPED_RULER).label == (
        "With the zero point −2679 the ruler covers 10 to 11, where the numbers are. With the "
        "zero point −128 it covers 0 to 1, and every number gets its last mark, 127."
    )


def test_numbers_that_are_not_all_clipped_are_refused() -> None:
    fitting = choose_qparams(WARM.min(), WARM.max())
    with pytest.raises(ValueError, match="lies below the last mark, at 11"):
        moved_ruler(WARM, -2679, fitting)


def test_a_scale_for_each_channel_is_refused() -> None:
    rows = QParams(torch.ones(2), torch.zeros(2, dtype=torch.int64), -8, 7, torch.int8, axis=0)
    with pytest.raises(ValueError, match="axis is 0, and one ruler is drawn"):
        moved_ruler(WARM, -2679, rows)
