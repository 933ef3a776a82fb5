"""Which numbers share a scale: each block holds the large number, or is unharmed."""

from __future__ import annotations

import pytest

from qlearn.course.drawings import scales_on_a_matrix as drawn
from qlearn.course.drawings.svg import CODE, LOST
from tests.course.drawings.drawn import svg_of


def test_each_number_lies_in_one_block() -> None:
    for tall, wide in ((4, 8), (1, 8), (1, 4)):
        corners = list(drawn.blocks(tall, wide))
        inside = {
            (row + y, column + x)
            for row, column in corners
            for y in range(tall)
            for x in range(wide)
        }
        assert len(inside) == len(corners) * tall * wide == drawn.ROWS * drawn.COLUMNS


def test_one_block_of_each_matrix_is_harmed() -> None:
    svg = svg_of(drawn.scales_on_a_matrix())
    inks = [box.get("stroke") for box in svg.iter("rect")]
    assert (inks.count(LOST), inks.count(CODE)) == (4, 3 + 7 + 3)
    red = [dot for dot in svg.iter("circle") if dot.get("stroke") == LOST]
    assert len(red) == 32 + 8 + 4 + 8


@pytest.mark.parametrize(
    ("panel", "said"), [("all together", "1 scale, 31"), ("group", "8 scales, 3")]
)
def test_its_words_say_how_many(panel: str, said: str) -> None:
    assert f"{panel}: {said} harmed" in drawn.scales_on_a_matrix().label
