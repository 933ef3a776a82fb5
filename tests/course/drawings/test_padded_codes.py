"""Padding drawn: what a border means, and what a corner becomes by it."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
import torch

from qlearn import QParams
from qlearn.course.drawings.padded_codes import padded_codes
from qlearn.course.drawings.svg import LOST
from tests.course.drawings.drawn import svg_of

IMAGE = QParams(0.02, 50, 0, 255, torch.uint8)


def svg() -> ET.Element:
    """Return the picture's element."""
    return svg_of(padded_codes(IMAGE))


def test_the_codes_are_those_of_the_padded_picture() -> None:
    words = [each.text for each in svg().iter("text")]
    assert [words.count(code) for code in ("100", "50", "0")] == [18, 16, 16]


def test_only_the_wrong_border_and_its_corner_are_red() -> None:
    red = [box for box in svg().iter("rect") if box.get("stroke") == LOST]
    assert len(red) == 16
    said = [each.text for each in svg().iter("text") if each.get("fill") == LOST]
    assert said == ["4 · 1 + 5 · (−1) = −1"]


def test_the_corner_is_what_a_convolution_makes_of_the_codes() -> None:
    words = [each.text or "" for each in svg().iter("text")]
    for border in (50, 0):
        codes = torch.full((5, 5), border)
        codes[1:4, 1:4] = 100
        corner = 0.02 * (codes - 50)[:3, :3].sum().item()
        said = next(
            w
            for w in words
            if w.startswith("4 · 1") and w.endswith(f"= {corner:g}".replace("-", "−"))
        )
        assert said


def test_a_zero_point_of_0_is_refused() -> None:
    with pytest.raises(ValueError, match="code 0 means 0: take one that is larger"):
        padded_codes(QParams(0.02, 0, 0, 255, torch.uint8))
