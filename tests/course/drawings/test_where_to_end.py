"""Clipping against rounding: bars, marks and red lines against qlearn's numbers."""

from __future__ import annotations

import re

import pytest
import torch

from qlearn import QParams, choose_qparams, clipped_share
from qlearn.course.drawings.svg import CODE, LOST, REAL
from qlearn.course.drawings.where_to_end import BARS, LEAST, TALLEST, where_to_end

X = torch.tensor([-1.0] * 40 + [0.1] * 100 + [0.9] * 50 + [8.0])
LONG = choose_qparams(-8.0, 8.0, symmetric=True, quant_min=-8, quant_max=7)
SHORT = choose_qparams(-2.0, 2.0, symmetric=True, quant_min=-8, quant_max=7)
RULERS = {"long": LONG, "short": SHORT}


def bars(ink: str) -> list[float]:
    """Return the heights of the bars of an ink, from left to right."""
    drawn = "".join(where_to_end(X, RULERS).parts)
    return [float(h) for h in re.findall(rf'<rect [^>]*height="([\d.]+)" fill="{ink}"/>', drawn)]


def test_bars_are_as_tall_as_their_counts_and_never_too_small_to_see() -> None:
    assert bars(REAL) == pytest.approx([0.4 * TALLEST, TALLEST, 0.5 * TALLEST])
    assert bars(LOST) == [LEAST]


def test_only_what_the_last_ruler_clips_is_red() -> None:
    assert bars(LOST) and clipped_share(X, SHORT) == 1 / len(X)
    alone = "".join(where_to_end(X, {"long": LONG}).parts)
    assert f'fill="{LOST}"' not in alone


def test_each_code_has_a_mark_and_the_red_line_leads_to_the_farthest_number() -> None:
    parts = where_to_end(X, RULERS).parts
    marks = [p for p in parts if p.startswith("<line") and CODE in p and 'y1="24' in p]
    assert len([p for p in marks if re.search(r'x1="([\d.]+)%".*x2="\1%"', p)]) == 16
    (red,) = (p for p in parts if p.startswith("<line") and LOST in p)
    reach = 8 * float(LONG.scale)  # the first mark of the long ruler is the farthest of all
    assert f'x2="{50 + 49 * 8.0 / reach:.2f}'.rstrip("0") in red


def test_its_words_say_the_same() -> None:
    label = where_to_end(X, RULERS).label
    assert label == (
        "191 numbers from −1.00 to 8.00. Ruler long: a step of 1.1, nothing is clipped. "
        "Ruler short: a step of 0.27, 0.5 % are clipped."
    )


def test_all_numbers_are_in_a_bar() -> None:
    parts = "".join(where_to_end(torch.linspace(-8, 8, 1000), {"long": LONG}).parts)
    assert 0 < parts.count("<rect") <= BARS


@pytest.mark.parametrize(
    ("qparams", "said"),
    [
        (QParams(0.1, 0, -128, 127, torch.int8), "codes -128 … 127 and axis None"),
        (
            QParams(torch.ones(2), torch.zeros(2, dtype=torch.int64), -8, 7, torch.int8, axis=0),
            "axis 0: draw at most 16 marks",
        ),
    ],
    ids=["too many marks", "per channel"],
)
def test_what_is_no_single_ruler_is_refused(qparams: QParams, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        where_to_end(X, {"wrong": qparams})
