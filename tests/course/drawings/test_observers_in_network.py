"""Observers in a network: a place for each, what it keeps, and what becomes of it."""

from __future__ import annotations

import re

import torch

from qlearn import QParams
from qlearn.course.drawings.observers_in_network import (
    CALIBRATE,
    CONVERT,
    observers_in_network,
)
from qlearn.course.drawings.svg import CODE

INPUTS = {
    "conv1": ((-0.5, 1.0), QParams(0.00588, 85, 0, 255, torch.uint8)),
    "fc": ((0.0, 8.15), QParams(0.0296, 0, 0, 255, torch.uint8)),
}


def test_each_layer_is_drawn_twice_and_has_one_eye() -> None:
    parts = observers_in_network(INPUTS).parts
    boxes = [part for part in parts if part.startswith("<rect")]
    assert [int(re.findall(r' y="(\d+)"', box)[0]) + 15 for box in boxes] == [
        CALIBRATE,
        CONVERT,
    ] * 2
    assert sum(part.startswith("<circle") for part in parts) == 2 * len(INPUTS)


def test_only_below_there_are_rulers_and_codes() -> None:
    blue = [part for part in observers_in_network(INPUTS).parts if CODE in part]
    heights = [int(y) for part in blue for y in re.findall(r'y\d="(\d+)"', part)]
    assert blue and min(heights) > CALIBRATE + 40 and max(heights) == CONVERT


def test_it_says_the_ranges_and_what_they_become() -> None:
    drawing = observers_in_network(INPUTS)
    words = re.findall(r">([^<]+)</text>", "".join(drawing.parts))
    for said in ("−0.5 … 1", "scale 0.0059", "zero point 85", "0 … 8.2", "scale 0.0296"):
        assert said in words and said in drawing.label
    assert drawing.label.startswith("Before conv1 an observer keeps −0.5 … 1, which becomes")
