"""A weight that hops: its places, its inks, and what is refused."""

from __future__ import annotations

import re

import pytest

from qlearn.course.drawings.hops import FOOT, LEFT, TOP, hops
from qlearn.course.drawings.svg import LOST, REAL

WEIGHTS = [0.3, 0.26, 0.24, 0.28]


def dots() -> list[tuple[float, float, str]]:
    drawn = "".join(hops(WEIGHTS, (0.0, 0.5), 0.4).parts)
    found = re.findall(r'<circle cx="([\d.]+)%" cy="([\d.]+)" .*?stroke="(#\w+)"', drawn)
    return [(float(x), float(y), ink) for x, y, ink in found]


def test_a_weight_is_as_high_as_it_is_large() -> None:
    wanted = [FOOT - (FOOT - TOP) * weight / 0.5 for weight in WEIGHTS]
    assert [y for _, y, _ in dots()] == pytest.approx(wanted, abs=0.01)


def test_steps_go_from_left_to_right() -> None:
    places = [x for x, _, _ in dots()]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (LEFT, 98)


def test_below_the_boundary_a_weight_is_red() -> None:
    assert [ink for _, _, ink in dots()] == [REAL, REAL, LOST, REAL]


def test_a_weight_beyond_the_marks_is_refused() -> None:
    with pytest.raises(ValueError, match=r"0\.6 is not between the marks 0\.0 and 0\.5"):
        hops([0.6], (0.0, 0.5), 0.4)
