"""The bars of fetching and multiplying: as long as their times, and the longer one decides."""

from __future__ import annotations

import re

import pytest

from qlearn.course.drawings.fetch_and_multiply import LONGEST, fetch_and_multiply
from qlearn.course.drawings.svg import CODE

STEPS = {"1 token": (10.0, 0.5), "64 tokens": (10.0, 20.0)}


def test_bars_are_as_long_as_their_times() -> None:
    drawn = "".join(fetch_and_multiply(STEPS).parts[5:])
    wide = [float(found) for found in re.findall(r'width="([\d.]+)%"', drawn)]
    assert wide == pytest.approx([LONGEST / 2, LONGEST / 40, LONGEST / 2, LONGEST])
    assert drawn.count(f'fill="{CODE}"') == 2


def test_the_longer_time_is_bold_and_named() -> None:
    drawing = fetch_and_multiply(STEPS)
    bold = re.findall(r'font-weight="700">([^<]+)<', "".join(drawing.parts))
    assert bold == ["10.0", "20.0"]
    told = "1 token: fetching takes 10.0 milliseconds, multiplying 0.50; it waits for memory."
    assert told in drawing.label
    assert drawing.label.endswith("it waits for the multipliers.")


@pytest.mark.parametrize("steps", [{}, {"1 token": (0.0, 1.0)}])
def test_times_are_above_zero(steps: dict) -> None:
    with pytest.raises(ValueError, match="draw a step at least, and times above 0"):
        fetch_and_multiply(steps)
