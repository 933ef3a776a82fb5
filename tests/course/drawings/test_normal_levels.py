"""A codebook under a bell curve: its marks and its bars."""

from __future__ import annotations

import re

import pytest

from qlearn.course.drawings.normal_levels import normal_levels
from qlearn.course.drawings.svg import CODE

LEVELS = [-1.0, -0.25, 0.0, 0.5, 1.0]
SHARES = [0.05, 0.2, 0.4, 0.25, 0.1]


def test_levels_lie_where_they_are() -> None:
    drawn = "".join(normal_levels(LEVELS, SHARES).parts)
    marks = re.findall(
        rf'<line x1="([\d.]+)%" y1="98" x2="[\d.]+%" y2="118" stroke="{CODE}"', drawn
    )
    assert [float(at) for at in marks] == [50 + 48 * level for level in LEVELS]
    even = re.findall(
        rf'<line x1="([\d.]+)%" y1="162" x2="[\d.]+%" y2="174" stroke="{CODE}"', drawn
    )
    assert [float(at) for at in even] == [2, 26, 50, 74, 98]


def test_bars_are_as_tall_as_their_shares() -> None:
    drawn = "".join(normal_levels(LEVELS, SHARES).parts)
    tall = [float(each) for each in re.findall(r'height="([\d.]+)" fill', drawn)]
    assert tall == pytest.approx([180 * share for share in SHARES], abs=0.06)


def test_its_words_say_the_ends() -> None:
    assert normal_levels(LEVELS, SHARES).label == (
        "5 levels from −1 to 1 under a bell curve, 0.25 to 0.75 apart. "
        "The levels are used by 5.0 % to 40.0 % of the data."
    )


@pytest.mark.parametrize(
    ("levels", "shares"), [([-1, 1, 0], SHARES), (LEVELS, SHARES[1:]), ([-1, 0.9], [0.5, 0.5])]
)
def test_what_is_no_codebook_is_refused(levels: list[float], shares: list[float]) -> None:
    with pytest.raises(ValueError, match="levels rise from -1 to 1"):
        normal_levels(levels, shares)
