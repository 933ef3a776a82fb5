"""The error of a first weight moves the second one by its share."""

from __future__ import annotations

import re

import pytest

from qlearn.course.drawings.error_passed_on import _place, error_passed_on
from qlearn.course.drawings.svg import CODE, LOST, REAL


def dots(drawn: str, ink: str) -> list[float]:
    return [float(x) for x in re.findall(rf'<circle cx="([\d.]+)%" [^>]*"{ink}"', drawn)]


def test_weights_codes_and_where_the_second_goes() -> None:
    drawn = "".join(error_passed_on(1.4, 0.4, 0.5).parts)
    assert dots(drawn, REAL) == pytest.approx([_place(1.4), _place(0.4)], abs=0.01)
    assert dots(drawn, LOST) == pytest.approx([_place(0.6)], abs=0.01)
    assert dots(drawn, CODE) == pytest.approx([_place(1), _place(1)], abs=0.01)


def test_an_error_below_zero_moves_to_the_left() -> None:
    drawing = error_passed_on(0.6, 0.4, 1.0)
    assert "Of its error −0.4 the share 1.00 is −0.40" in drawing.label
    assert "becomes 0.00 and is rounded to 0" in drawing.label


@pytest.mark.parametrize("weights", [(2.4, 0.0), (0.4, -1.2), (1.4, 1.9)])
def test_weights_lie_on_the_marks(weights: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="the marks reach from -1 to 2"):
        error_passed_on(*weights, 1.0)
