"""The three rounding rules."""

from fractions import Fraction

import pytest
import torch

from qlearn import QParams, quantize

# x at seven ties of scale 0.5; by hand: x/scale + 1 is 1.5, 2.5, 3.5, 4.5, 5.5, 0.5, -0.5.
TIES = [0.25, 0.75, 1.25, 1.75, 2.25, -0.25, -0.75]
BY_HAND = {
    "fma": [2, 2, 4, 4, 6, 0, 0],
    "add": [2, 2, 4, 4, 6, 0, 0],
    "nearest": [1, 3, 3, 5, 5, 1, -1],
}


@pytest.mark.parametrize("rounding", BY_HAND)
def test_ties_at_an_odd_zero_point_worked_by_hand(rounding):
    qparams = QParams(0.5, 1, -128, 127, torch.int8)
    codes = quantize(torch.tensor(TIES), qparams, rounding=rounding)
    assert codes.tolist() == BY_HAND[rounding]


@pytest.mark.parametrize(
    ("scale", "zero_point", "x", "fused", "added"),
    [(0.7, 2, -1.75, -1, 0), (0.7, 10, -15.75, -13, -12), (0.3, 100, -29.25, 3, 2)],
)
def test_fma_and_add_differ_where_the_product_is_no_float32(scale, zero_point, x, fused, added):
    """x·inv lies a hair beside the tie; add rounds it onto the tie, the fused rule does not."""
    inv = 1 / torch.tensor(scale)
    exact = Fraction(x) * Fraction(inv.item()) + zero_point
    assert round(exact) == fused
    qparams = QParams(scale, zero_point, -128, 127, torch.int8)
    assert quantize(torch.tensor([x]), qparams, rounding="fma").item() == fused
    assert quantize(torch.tensor([x]), qparams, rounding="add").item() == added


def test_an_unknown_rounding_is_named():
    with pytest.raises(ValueError, match="rounding must be 'nearest', 'fma' or 'add', not 'up'"):
        quantize(torch.zeros(1), QParams(1.0, 0, -128, 127, torch.int8), rounding="up")
