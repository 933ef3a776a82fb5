"""How loud channels are: a line for each, red where int8 has hardly a step for it."""

from __future__ import annotations

import re

import pytest
import torch

from qlearn.course.drawings.channel_sizes import TALL, channel_sizes
from qlearn.course.drawings.svg import CODE, LOST, Drawing


def channels(drawing: Drawing, ink: str) -> list[float]:
    """Return how long the lines of an ink are."""
    found = re.findall(
        rf'y1="([\d.]+)" x2="[\d.]+%" y2="([\d.]+)" stroke="{ink}"', str(drawing.parts)
    )
    return [float(foot) - float(top) for foot, top in found]


def test_lines_are_as_long_as_channels_are_loud() -> None:
    drawing = channel_sizes({"rows": torch.tensor([[2.0, -1.0, 0.25], [-8.0, 3.0, 0.1]])})
    assert channels(drawing, CODE) == pytest.approx([TALL, round(TALL * 3 / 8)])
    assert channels(drawing, LOST) == pytest.approx([round(TALL * 0.25 / 8)])
    assert "1 of 3 have fewer than 8 steps" in drawing.label


def test_each_panel_has_a_scale_of_its_own() -> None:
    rows = torch.tensor([[1.0, 2.0]])
    drawing = channel_sizes({"quiet": rows, "loud": 100 * rows})
    assert channels(drawing, CODE) == pytest.approx([TALL / 2, TALL] * 2)


def test_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing to draw"):
        channel_sizes({})
    with pytest.raises(ValueError, match="rows holds zeros alone"):
        channel_sizes({"rows": torch.zeros(2, 2)})
