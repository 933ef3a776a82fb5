"""The two editions of ChooseQuantizationParams, by hand and where they part.

That they equal torch's kernels is proven in proofs/dynamic.py and proofs/fake_quantize.py.
"""

import math

import pytest
import torch

from qlearn import choose_qparams, dynamic_qparams
from qlearn.numbers.rules.kernel import (
    SMALL_SCALE,
    choose_dynamic,
    choose_quantization_params,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*quantized.*:UserWarning")


def fused(low, high, quant_min, quant_max):
    """Return what the kernel of training chooses, which asks FBGEMM."""
    infinity = torch.tensor([torch.inf])
    scale, zero_point = torch.ones(1), torch.zeros(1, dtype=torch.int32)
    on = torch.tensor([1])
    state = on, on, infinity, -infinity, scale, zero_point
    options = 0.01, quant_min, quant_max, -1, False, False
    torch.fused_moving_avg_obs_fake_quant(torch.tensor([low, high]), *state, *options)
    return scale.item(), zero_point.item()


def dynamic(low, high):
    """Return what the dynamic kernels choose, which ask ATen."""
    q = torch.quantize_per_tensor_dynamic(torch.tensor([low, high]), torch.quint8, False)
    return q.q_scale(), q.q_zero_point()


def test_aten_and_fbgemm_part_where_the_zero_point_is_half_way():
    """For −1 … 1 it is 127.5: in float64 it rounds to 128, with FBGEMM's float32 scale to 127."""
    aten = choose_quantization_params(-1.0, 1.0, 0, 255, library="aten")
    fbgemm = choose_quantization_params(-1.0, 1.0, 0, 255, library="fbgemm")
    assert aten == (2 / 255, 128) == dynamic(-1.0, 1.0)
    assert fbgemm == (torch.tensor(2 / 255).item(), 127) == fused(-1.0, 1.0, 0, 255)


def test_fbgemm_adds_where_aten_subtracts():
    """−1.485 … 1.065 puts 0 half-way between 20 and 21: the upper end says 21, the lower 20."""
    low, high = torch.tensor([-1.485, 1.065]).tolist()
    scale, zero_point = choose_quantization_params(low, high, -128, 127, library="fbgemm")
    assert (round(-128 - low / scale), round(127 - high / scale)) == (20, 21)
    assert (scale, zero_point) == fused(low, high, -128, 127) == (scale, 21)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(-1.0, 1.0, (1 / 127, 0)), (0.0, 1.0, (1 / 255, -128)), (-1.0, 0.0, (1 / 255, 127))],
    ids=["both sides", "positive", "negative"],
)
def test_only_a_range_around_zero_is_made_symmetric(low, high, expected):
    chosen = choose_quantization_params(
        low, high, -128, 127, library="fbgemm", preserve_sparsity=True
    )
    assert chosen == (torch.tensor(expected[0]).item(), expected[1])


def test_small_ranges_are_widened_by_the_float32_scale():
    """Here the growth by the float64 scale would give 64."""
    end = 2.0010161279060412e-06
    torchs = torch.quantize_per_tensor_dynamic(torch.tensor([-end, end]), torch.quint8, True)
    assert choose_quantization_params(-end, end, 0, 127) == (SMALL_SCALE, 63)
    ignored = torch.backends.quantized.engine == "qnnpack"  # ... that the range is to be reduced
    assert (torchs.q_scale(), torchs.q_zero_point()) == (SMALL_SCALE, 128 if ignored else 63)


@pytest.mark.parametrize("library", ["aten", "fbgemm"])
def test_zeros_get_a_tenth(library):
    scale, zero_point = choose_quantization_params(0.0, 0.0, 0, 255, library=library)
    assert scale == pytest.approx(0.1) and zero_point == 0


def test_what_cannot_be_chosen_is_refused():
    with pytest.raises(ValueError, match="over 1 steps gives a scale that float32 cannot express"):
        choose_quantization_params(-3e38, 3e38, 0, 1)
    with pytest.raises(
        ValueError, match=r"range -3\.4e\+38\.\.3\.4e\+38, made symmetric, over 255 st"
    ):
        choose_quantization_params(-3.4e38, 3.4e38, -128, 127, preserve_sparsity=True)
    with pytest.raises(ValueError, match="above its middle, and 2 codes have none"):
        choose_quantization_params(-1.0, 1.0, 0, 1, preserve_sparsity=True)


@pytest.mark.parametrize(
    ("ends", "error", "message"),
    [
        (("0", 1.0), TypeError, "low must be an int or a float, not '0'"),
        ((0.0, True), TypeError, "high must be an int or a float, not True"),
        ((2.0, 1.0), ValueError, r"2\.0\.\.1\.0 must have two finite ends"),
        ((0.0, math.nan), ValueError, "drop infinities and NaN"),
    ],
)
def test_what_is_not_a_range_is_named(ends, error, message):
    with pytest.raises(error, match=message):
        choose_quantization_params(*ends, 0, 255)


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
