"""A stream of batches: dots, ranges, and what lies beyond them, against the numbers."""

from __future__ import annotations

import re

import pytest

from qlearn.course.drawings.batches_and_ranges import LINE, batches_and_ranges
from qlearn.course.drawings.svg import CODE, LOST

BATCHES = [[0.0, 1.0, 4.0], [-4.0, 0.0, 8.0]]
KEPT = {"all": [(0.0, 4.0), (-4.0, 8.0)], "few": [(0.0, 4.0), (-1.0, 5.0)]}


def lines(ink: str) -> list[tuple[float, float]]:
    """Return where the level lines of an ink begin and end."""
    drawn = "".join(batches_and_ranges(BATCHES, KEPT).parts)
    found = re.findall(
        rf'<line x1="([\d.]+)%" y1="(\d+)" x2="([\d.]+)%" y2="\2" stroke="{ink}"', drawn
    )
    return [(float(start), float(end)) for start, _, end in found]


def place(number: float) -> float:
    return LINE[0] + (LINE[1] - LINE[0]) * (number + 4) / 12


def test_each_range_reaches_from_its_low_end_to_its_high_one() -> None:
    wanted = [ends for after in zip(*KEPT.values(), strict=True) for ends in after]
    assert lines(CODE) == [
        pytest.approx((place(low), place(high)), abs=0.01) for low, high in wanted
    ]


def test_red_is_what_lies_beyond_a_range_and_nothing_else() -> None:
    assert lines(LOST) == [
        pytest.approx((place(5), place(8)), abs=0.01),
        pytest.approx((place(-1), place(-4)), abs=0.01),
    ]


def test_each_number_has_a_dot_and_the_words_say_the_ends() -> None:
    drawing = batches_and_ranges(BATCHES, KEPT)
    assert sum(part.startswith("<circle") for part in drawing.parts) == 6
    assert drawing.label == (
        "After batch 1, up to 4: all 4, few 4. After batch 2, up to 8: all 8, few 5."
    )


def test_a_range_for_each_batch_is_needed() -> None:
    with pytest.raises(ValueError, match="'few' has 1 ranges for 2 batches"):
        batches_and_ranges(BATCHES, {"few": [(0.0, 4.0)]})
