"""Error against size: halving the error is as far everywhere, and so is half a bit."""

from __future__ import annotations

import re

import pytest

from qlearn.course.drawings.error_and_bits import Point, error_and_bits
from qlearn.course.drawings.svg import CODE, TEXT

CURVES = {"one": [Point(4.0, 20.0, "128"), Point(5.0, 10.0, "32"), Point(6.0, 5.0, "8")]}


def dots(drawn: str, ink: str) -> list[tuple[float, float]]:
    """Return the places of the dots of an ink, without the one in the head."""
    found = re.findall(rf'<circle cx="([\d.]+)%" cy="([\d.]+)" r="4" \w+="{ink}"', drawn)
    return [(float(x), float(y)) for x, y in found if float(y) > 40]


def test_points_lie_where_their_numbers_are() -> None:
    drawing = error_and_bits(CURVES, [Point(4.5, 10.0, "NF4")])
    drawn = "".join(drawing.parts)
    (x1, y1), (x2, y2), (x3, y3) = dots(drawn, CODE)
    assert x2 - x1 == pytest.approx(x3 - x2) and y2 - y1 == pytest.approx(y3 - y2)
    ((x, y),) = dots(drawn, TEXT)
    assert (x, y) == pytest.approx(((x1 + x2) / 2, y2))
    assert drawing.label.endswith("NF4 has 4.5 bits and 10.0 %.")


def test_a_second_curve_is_dashed_and_hollow() -> None:
    drawn = "".join(error_and_bits({**CURVES, "two": CURVES["one"]}).parts)
    assert drawn.count('fill="none"') == 4 and drawn.count("stroke-dasharray") == 3


@pytest.mark.parametrize("curves", [{}, {"one": CURVES["one"][:1]}])
def test_a_curve_needs_two_points(curves: dict) -> None:
    with pytest.raises(ValueError, match="two points at least"):
        error_and_bits(curves)
