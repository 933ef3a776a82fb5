"""The three rules at a tie: what each rounds, and where it goes."""

from __future__ import annotations

import re
from typing import get_args

import pytest
import torch

from qlearn import QParams, quantize
from qlearn.course.drawings.svg import CODE, REAL
from qlearn.course.drawings.three_rules import HAIR, LEFT, RIGHT, three_rules
from qlearn.numbers.rounding import Rounding

ODD = QParams(0.5, 1, -128, 127, torch.int8)
NEAR = QParams(0.7, 2, -128, 127, torch.int8)
RULES = get_args(Rounding)


def dots(x: float, qparams: QParams, radius: int, style: str) -> list[float]:
    """Return the places of the dots of a size and style, one for each rule."""
    parts = "".join(three_rules(x, qparams).parts)
    return [
        float(at)
        for at in re.findall(rf'cx="([\d.]+)%" cy="\d+" r="{radius}" fill="{style}"', parts)
    ]


@pytest.mark.parametrize(
    ("x", "qparams"), [(0.75, ODD), (-0.25, ODD), (-1.75, NEAR)], ids=["tie", "below 0", "near"]
)
def test_each_rule_says_its_code(x: float, qparams: QParams) -> None:
    codes = [int(quantize(torch.tensor([x]), qparams, rounding=rule)) for rule in RULES]
    parts = "".join(three_rules(x, qparams).parts)
    said = [int(code.replace("−", "-")) for code in re.findall(r">code (−?\d+)<", parts)]
    assert said == codes


def test_the_rules_go_opposite_ways_at_a_tie() -> None:
    assert dots(0.75, ODD, 5, CODE) == [RIGHT, LEFT, LEFT]
    assert dots(0.75, ODD, 4, "none") == [(LEFT + RIGHT) / 2] * 3


def test_a_hair_beside_the_tie_is_drawn_beside_it() -> None:
    middle = (LEFT + RIGHT) / 2
    assert dots(-1.75, NEAR, 4, "none") == [middle, middle - HAIR, middle]
    assert REAL in "".join(three_rules(-1.75, NEAR).parts)


def test_its_words_say_the_same() -> None:
    label = three_rules(-1.75, NEAR).label
    assert "fma rounds −0.5, a hair beside a tie, to −1: code −1." in label


def test_fma_rounds_what_float32_leaves_of_the_sum() -> None:
    label = three_rules(0.74999994, QParams(0.5, 100, -128, 127, torch.int8)).label
    assert "fma rounds 101.5, a tie, to 102: code 102." in label


def test_a_number_that_is_no_tie_is_refused() -> None:
    with pytest.raises(ValueError, match=r"0\.6 is 1\.2 steps, no tie"):
        three_rules(0.6, ODD)
