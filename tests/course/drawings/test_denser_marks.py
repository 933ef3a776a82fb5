"""Two kinds of rulers under a histogram: marks where they were asked for, bars by their counts."""

from __future__ import annotations

import re

import pytest
import torch

from qlearn.course.drawings.denser_marks import BARS, LEAST, TALLEST, denser_marks, steps
from qlearn.course.drawings.svg import CODE, REAL

X = torch.tensor([0.1] * 100 + [0.9] * 50 + [-6.0])
FLOAT = [-6.0, -4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 6]
EVEN = [6 / 7 * k for k in range(-7, 8)]
RULERS = {"int4": EVEN, "float4": FLOAT}


def marks() -> list[float]:
    """Return the places of the upright blue lines, in percent, ruler after ruler."""
    drawn = "\n".join(denser_marks(X, RULERS).parts)
    found = re.findall(rf'x1="([\d.]+)%" y1="\d+" x2="\1%" y2="\d+" stroke="{CODE}"', drawn)
    return [float(place) for place in found]


def test_each_mark_lies_where_its_number_is() -> None:
    wanted = [50 + 49 * mark / 6 for mark in (*EVEN, *FLOAT)]
    assert marks() == pytest.approx(wanted, abs=0.01)


def test_bars_are_as_tall_as_their_counts_and_never_too_small_to_see() -> None:
    drawn = "".join(denser_marks(X, RULERS).parts)
    heights = [float(h) for h in re.findall(rf'height="([\d.]+)" fill="{REAL}"', drawn)]
    assert sorted(heights) == pytest.approx([LEAST, TALLEST / 2, TALLEST]) and BARS % 2


def test_its_words_say_how_far_marks_are_apart() -> None:
    assert denser_marks(X, RULERS).label == (
        "151 numbers from −6.0 to 0.9. Ruler int4: 15 marks, 0.86 apart. "
        "Ruler float4: 15 marks, 0.5 to 2 apart."
    )
    assert steps(FLOAT) == (0.5, 2.0)


@pytest.mark.parametrize("wrong", [[1.0], [1.0, 1.0], list(range(33))])
def test_what_is_no_ruler_is_refused(wrong: list[float]) -> None:
    with pytest.raises(ValueError, match="'wrong' has .* draw 2 to 32, the lowest first"):
        denser_marks(X, {"wrong": wrong})
