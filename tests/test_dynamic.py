"""dynamic_qparams against torch's dynamic quantization, scale and zero point in every bit."""

import math

import pytest
import torch

from qlearn import choose_qparams, dynamic_qparams, quantize
from qlearn.dynamic import SMALL_SCALE, choose_dynamic
from tests.hard_values import random_code

pytestmark = pytest.mark.filterwarnings("ignore:.*quantized.*:UserWarning")


def batches(n=3000):
    """Yield values over eighty decades: two-sided, one-sided, all zeros, far from zero."""
    generator = torch.Generator().manual_seed(6)
    for case in range(n):
        low, high = (-9, 5) if case % 5 else (-44, 36)
        magnitude = 10.0 ** random_code(low, high, generator)
        x = torch.randn(1 + case % 6, generator=generator) * magnitude
        yield [x, x.abs(), -x.abs(), x * 0, x.abs() + magnitude][case % 9 % 5]


@pytest.mark.parametrize("reduce_range", [True, False])
def test_equals_torch(reduce_range):
    for x in batches():
        torchs = torch.quantize_per_tensor_dynamic(x, torch.quint8, reduce_range)
        low, high = (end.item() for end in torch.aminmax(x))
        scale, zero_point = choose_dynamic(low, high, reduce_range=reduce_range)
        assert (scale, zero_point) == (torchs.q_scale(), torchs.q_zero_point()), x
        qparams = dynamic_qparams(x, reduce_range=reduce_range)
        assert torch.equal(quantize(x, qparams, rounding="fma"), torchs.int_repr()), x


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
