"""Numbers between marks: their places, the teeth of the error, and what is refused."""

from __future__ import annotations

import re

import pytest

from qlearn.course.drawings.between_marks import (
    NUMBERS,
    TEETH,
    TOOTH,
    TYPICAL,
    between_marks,
)
from qlearn.course.drawings.svg import LOST


def test_an_error_is_drawn_from_the_number_to_its_mark() -> None:
    parts = "".join(between_marks([0.26], 0.1, (2, 4)).parts)
    (way,) = re.findall(rf'<line x1="([\d.]+)%" y1="{NUMBERS}" x2="([\d.]+)%"[^>]*{LOST}', parts)
    assert [float(place) for place in way] == pytest.approx([100 * 1.1 / 3, 50], abs=0.01)


def test_a_number_below_its_mark_comes_back_too_large() -> None:
    parts = "".join(between_marks([0.26, 0.41], 0.1, (2, 4)).parts)
    heights = [float(y) for y in re.findall(rf'cy="([\d.]+)" r="4" fill="{LOST}"', parts)]
    assert heights == pytest.approx([TEETH - 0.4 * 2 * TOOTH, TEETH + 0.1 * 2 * TOOTH])


def test_there_is_a_tooth_for_each_mark_and_the_typical_errors_are_marked() -> None:
    parts = "".join(between_marks([0.26], 0.1, (2, 4)).parts)
    assert len(re.findall(rf'y1="{TEETH - TOOTH}" x2="[\d.]+%" y2="{TEETH + TOOTH}"', parts)) == 3
    assert abs(12 * TYPICAL**2 - 1) < 1e-15
    assert ">0.29<" in parts and ">−0.29<" in parts


def test_its_words_say_the_same() -> None:
    label = between_marks([0.26, 0.41], 0.1, (2, 4)).label
    assert label.startswith("0.26 lies 0.04 below mark 3; 0.41 lies 0.01 above mark 4.")


def test_a_number_beyond_the_marks_is_refused() -> None:
    with pytest.raises(ValueError, match=r"0\.5 is beyond the marks of the codes 2 … 4"):
        between_marks([0.5], 0.1, (2, 4))
