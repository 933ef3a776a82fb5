"""dynamic_qparams by hand; that it equals torch's choice is proven in proofs/dynamic.py."""

import math

import pytest
import torch

from qlearn import choose_qparams, dynamic_qparams
from qlearn.numbers.rules.dynamic import choose_dynamic
from qlearn.numbers.rules.kernel import SMALL_SCALE


def test_all_zeros_by_hand():
    assert choose_dynamic(0.0, 0.0, reduce_range=True) == (0.1, 0)


def test_small_scales_are_widened_in_proportion():
    """A range of 255e-6 in 255 steps would have the scale 1e-6; 6.1e-5 takes its place."""
    scale, zero_point = choose_dynamic(-51e-6, 204e-6, reduce_range=False)
    assert scale == SMALL_SCALE and zero_point == 51


def test_it_is_not_the_observers_rule():
    """For −1 … 1 both ends lie 127.5 steps from 0: the observer rounds the lower end's, to 127."""
    assert choose_dynamic(-1.0, 1.0, reduce_range=False)[1] == 128
    assert choose_qparams(-1.0, 1.0, dtype=torch.uint8).zero_point.item() == 127


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (torch.zeros(0), ValueError, "no values"),
        (torch.tensor([math.inf]), ValueError, "infinite or NaN"),
        (torch.tensor([math.nan]), ValueError, "infinite or NaN"),
        (torch.zeros(1, dtype=torch.float64), TypeError, "float64"),
    ],
    ids=["empty", "inf", "nan", "float64"],
)
def test_bad_input_is_named(x, error, message):
    with pytest.raises(error, match=message):
        dynamic_qparams(x)
