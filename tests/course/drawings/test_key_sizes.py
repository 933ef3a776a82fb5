"""Bars of channels: as long as their sizes, on one scale, the loud ones red."""

from __future__ import annotations

import pytest

from qlearn.course.drawings.key_sizes import TALL, key_sizes
from qlearn.course.drawings.svg import LOST, REAL
from tests.course.drawings.drawn import svg_of


def test_bars_are_as_long_as_their_sizes() -> None:
    drawing = key_sizes({"keys": [1, 2], "loud keys": [4, 2]}, loud=[0])
    svg = svg_of(drawing)
    bars = [(float(bar.get("height") or 0), bar.get("stroke")) for bar in svg.iter("rect")]
    assert bars == [(TALL / 4, REAL), (TALL / 2, REAL), (TALL, LOST), (TALL / 2, REAL)]
    assert "keys: 1.0 to 2.0. loud keys: 2.0 to 4.0. Red: 0." in drawing.label


@pytest.mark.parametrize("tensors", [{}, {"keys": [-1.0]}])
def test_what_has_no_size_is_refused(tensors: dict) -> None:
    with pytest.raises(ValueError, match="a size is not below 0"):
        key_sizes(tensors)
