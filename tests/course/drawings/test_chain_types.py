"""The types in a chain drawn: integers are filled, and one tensor between the layers differs."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import torch

from qlearn import QParams, QTensor, linear_dynamic, linear_static
from qlearn.course.drawings.chain_types import CHAINS, chain_types
from qlearn.course.drawings.svg import LOST
from tests.course.drawings.drawn import svg_of


def svg() -> ET.Element:
    """Return the picture's element."""
    return svg_of(chain_types())


def test_integers_are_filled_and_floats_are_outlines() -> None:
    types = [kind for chain in CHAINS.values() for kind in chain]
    filled = [box.get("fill") != "none" for box in svg().iter("rect")]
    assert filled == [kind != "float" for kind in types]


def test_the_chains_differ_between_the_layers_alone() -> None:
    dynamic, static = CHAINS.values()
    differ = [
        place
        for place, kinds in enumerate(zip(dynamic, static, strict=True))
        if len(set(kinds)) > 1
    ]
    assert differ == [3, 4, 5]
    assert dynamic[3] == "float"
    assert static[3] == "uint8"
    searched = [each.text for each in svg().iter("text") if each.get("fill") == LOST]
    assert searched == ["range, q"] * 2  # a dynamic layer looks for the range of each input


def test_the_layers_hand_over_what_is_drawn() -> None:
    weight = QTensor(torch.ones(1, 2, dtype=torch.int8), QParams(0.1, 0, -128, 127, torch.int8))
    ruler = QParams(0.1, 3, 0, 255, torch.uint8)
    assert linear_dynamic(torch.ones(1, 2), weight, None).dtype == torch.float32
    x = QTensor(torch.ones(1, 2, dtype=torch.uint8), ruler)
    assert linear_static(x, weight, None, ruler).values.dtype == torch.uint8


def test_its_words_say_the_same() -> None:
    assert (
        "Two static layers: float, uint8, int32, uint8, int32, uint8, float." in chain_types().label
    )
    assert chain_types().label.endswith("The int32 sums never leave the kernel.")
    assert [each.text for each in svg().iter("text")].count("in the kernel") == 4
