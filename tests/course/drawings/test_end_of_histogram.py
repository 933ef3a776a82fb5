"""What each end of a range costs, against torch's own method; and the picture of it."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from torch.ao.quantization.observer import HistogramObserver

from qlearn.course.drawings.end_of_histogram import LEAST, cost_of_end, end_of_histogram
from qlearn.course.drawings.svg import CODE, LOST, REAL

COUNTS = [100, 80, 60, 30, 16, 9, 4, 0, 0, 1]


@pytest.mark.parametrize("codes", [4, 16, 256])
@pytest.mark.parametrize("end", range(1, 11))
def test_the_cost_is_what_torch_s_observer_expects(codes: int, end: int) -> None:
    observer: Any = HistogramObserver(bins=10)
    observer.histogram = torch.tensor(COUNTS, dtype=torch.float32)
    observer.min_val, observer.max_val = torch.tensor(0.0), torch.tensor(10.0)
    observer.dst_nbins = codes
    expected = float(observer._compute_quantization_error(0, end - 1))
    assert sum(cost_of_end(COUNTS, end, codes)) == pytest.approx(expected, rel=1e-4)


def test_a_short_range_clips_a_long_one_rounds() -> None:
    costs = [cost_of_end(COUNTS, end, 4) for end in range(1, 11)]
    rounding, clipping = zip(*costs, strict=True)
    assert sorted(rounding) == list(rounding)
    assert sorted(clipping, reverse=True) == list(clipping)
    assert costs[-1][0] == pytest.approx(300 * 2.5**2 / 12, rel=0.03)
    assert costs[-1][1] == 0


def bars(ink: str) -> list[float]:
    """Return the heights of the bars of an ink."""
    drawn = "".join(end_of_histogram(COUNTS, codes=4).parts)
    return [float(h) for h in re.findall(rf'<rect [^>]*height="([\d.]+)" fill="{ink}"/>', drawn)]


def test_counts_are_grey_in_the_best_range_and_red_beyond() -> None:
    assert bars(REAL) == [100, 80, 60, 30, 16, 9]
    assert bars(LOST)[:2] == [4, LEAST]


def test_each_cost_in_the_picture_is_two_bars_and_the_least_is_bold() -> None:
    assert len(bars(CODE)) == 7  # ends 4 to 10; the shorter ones are too costly to draw
    assert len(bars(LOST)) - 2 == 6  # at 10 nothing is clipped
    bold = [p for p in end_of_histogram(COUNTS, codes=4).parts if "700" in p]
    assert [word for p in bold for word in re.findall(r">(\d+)<", p)] == ["80", "6"]


def test_the_ruler_has_a_mark_for_each_code_inside_the_range() -> None:
    parts = end_of_histogram(COUNTS, codes=4).parts
    marks = [p for p in parts if re.search(r'x1="([\d.]+)%" y1="\d+" x2="\1%"', p)]
    places = [float(re.findall(r'x1="([\d.]+)', mark)[0]) for mark in marks]
    assert places == [7.5, 22.5, 37.5, 52.5]


def test_its_words_say_the_best_end() -> None:
    assert end_of_histogram(COUNTS, codes=4).label == (
        "300 numbers in 10 bins. The range ends best at 6: rounding 55.0, clipping 24.7."
    )


def test_an_empty_histogram_is_refused() -> None:
    with pytest.raises(ValueError, match="all counts are 0"):
        end_of_histogram([0, 0], codes=4)
