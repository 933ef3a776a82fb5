"""A few numbers on several rulers: their ways against qlearn's codes."""

from __future__ import annotations

import re

import pytest
import torch

from qlearn import QParams, fake_quantize, split_mse
from qlearn.course.drawings.several_rulers import several_rulers
from qlearn.course.drawings.svg import LOST, REAL

EIGHT = [-1.1, -0.9, -0.2, 0.1, 0.3, 0.8, 1.0, 2.5]


def three_marks(step: float) -> QParams:
    return QParams(step, 0, quant_min=-1, quant_max=1, dtype=torch.int8)


def ways(step: float, ink: str) -> list[tuple[float, float]]:
    """Return where the ways of an ink begin and end, in percent."""
    drawn = several_rulers(EIGHT, {"one": three_marks(step)}).parts
    pattern = rf'<line x1="([\d.]+)%" y1="45" x2="([\d.]+)%" y2="70" stroke="{ink}"'
    return [(float(a), float(b)) for a, b in re.findall(pattern, "".join(drawn))]


@pytest.mark.parametrize(("step", "clipped"), [(2.5, 0), (1.2, 1), (0.7, 2)])
def test_each_way_leads_to_the_mark_that_the_number_gets(step: float, clipped: int) -> None:
    assert len(ways(step, LOST)) == clipped
    found = sorted(ways(step, LOST) + ways(step, REAL))
    x = torch.tensor(EIGHT)
    places = [50 + 47 * v / 2.5 for v in x.tolist()]
    back = [50 + 47 * v / 2.5 for v in fake_quantize(x, three_marks(step)).tolist()]
    for (start, end), place, mark in zip(found, places, back, strict=True):
        assert (start, end) == pytest.approx((place, mark), abs=0.01)


def test_a_tie_inside_the_ruler_is_not_clipped() -> None:
    # −1.75 is −2.5 steps of 0.7: half a step from its mark, and in float32 a hair more
    drawn = several_rulers([-1.75, 0.3], {"": QParams(0.7, 0, -4, 3, torch.int8)})
    assert LOST not in "".join(drawn.parts)


def test_its_words_hold_both_sums() -> None:
    rounding, clipping = split_mse(torch.tensor(EIGHT), three_marks(1.2))
    drawing = several_rulers(EIGHT, {"middle": three_marks(1.2)})
    said = f"rounding {8 * rounding:.2f}, clipping {8 * clipping:.2f}"
    assert drawing.label == f"Ruler middle, a step of 1.2: {said}."
    assert f">{said.replace(', ', ' + ')}<" in "".join(drawing.parts)


@pytest.mark.parametrize(
    ("qparams", "said"),
    [
        (QParams(0.1, 0, -8, 7, torch.int8), "codes -8 … 7 and axis None"),
        (
            QParams(torch.ones(2), torch.zeros(2, dtype=torch.int64), -1, 1, torch.int8, axis=0),
            "axis 0: draw at most 8 marks",
        ),
    ],
    ids=["too many marks", "per channel"],
)
def test_what_is_no_single_short_ruler_is_refused(qparams: QParams, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        several_rulers(EIGHT, {"wrong": qparams})
