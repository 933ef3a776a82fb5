"""The staircase: its steps, the marked number, and the slope that ends where clipping begins."""

from __future__ import annotations

import re

import pytest
import torch

from qlearn import QParams, fake_quantize
from qlearn.course.drawings.staircase import FOOT, GAP, NONE, ONE, RISE, staircase
from qlearn.course.drawings.svg import CODE, LOST

RULER = QParams(0.5, 0, -2, 1, torch.int8)


def level(ink: str, y: float) -> list[tuple[float, float]]:
    """Return the thick level lines of an ink at a height, each from place to place."""
    drawn = "".join(staircase(0.5, (-2, 1), 0.3).parts)
    found = re.findall(rf'x1="([\d.]+)%" y1="{y}" x2="([\d.]+)%" y2="{y}" stroke="{ink}"', drawn)
    return [(float(a), float(b)) for a, b in found]


def test_each_code_has_a_step_and_together_they_cover_the_line() -> None:
    steps = [level(CODE, FOOT - RISE * row) for row in range(4)]
    assert all(len(found) == 1 for found in steps)
    places = [found[0] for found in steps]
    assert places[0][0] == 0 and places[-1][1] == 100
    assert [a[1] for a in places[:-1]] == [b[0] for b in places[1:]]


def test_the_slope_that_backward_uses_is_that_of_fake_quantize() -> None:
    ((low, high),) = level(CODE, ONE - GAP)
    x = torch.linspace(-1.7, 1.2, 300, requires_grad=True)
    fake_quantize(x, RULER).sum().backward()
    assert x.grad is not None
    place = 100 * (x.detach() / 0.5 + 2 + 1.5) / 6
    assert torch.equal(x.grad == 1, (place > low) & (place < high))


def test_the_true_slope_is_a_line_of_nothing() -> None:
    assert level(LOST, NONE) == [(0, 100)]
    assert "Its slope is 0 on every step." in staircase(0.5, (-2, 1), 0.3).label


def test_a_number_is_marked_on_the_axis_and_on_its_step() -> None:
    drawn = "".join(staircase(0.5, (-2, 1), 0.3).parts)
    marks = re.findall(r'<circle cx="([\d.]+)%" cy="(\d+)"', drawn)
    assert [float(x) for x, _ in marks] == pytest.approx([100 * 4.1 / 6] * 2, abs=0.01)
    assert [int(y) for _, y in marks] == [FOOT + 14, FOOT - 3 * RISE]


@pytest.mark.parametrize(
    ("codes", "number", "message"),
    [((-8, 7), 0.3, "16 codes from -8 to 7"), ((-2, 1), 0.9, r"0\.9 is beyond the codes")],
    ids=["codes", "number"],
)
def test_what_cannot_be_drawn_is_refused(
    codes: tuple[int, int], number: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        staircase(0.5, codes, number)
