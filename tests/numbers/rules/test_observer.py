"""choose_qparams by hand, and where torch's observers are different; see proofs/ranges.py."""

import math
import warnings

import pytest
import torch
from torch.ao.quantization.observer import MinMaxObserver, PerChannelMinMaxObserver

from qlearn import choose_qparams

QSCHEMES = {
    (False, False): torch.per_tensor_affine,
    (True, False): torch.per_tensor_symmetric,
    (False, True): torch.per_channel_affine,
    (True, True): torch.per_channel_symmetric,
}


def observe(low, high, *, dtype, symmetric, **options):
    """Return what a torch observer says after seeing exactly these extremes."""
    per_channel = isinstance(low, torch.Tensor) and low.ndim == 1
    kind = PerChannelMinMaxObserver if per_channel else MinMaxObserver
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # reduce_range warns that it will go
        observer = kind(dtype=dtype, qscheme=QSCHEMES[symmetric, per_channel], **options)
        observer(torch.stack([torch.as_tensor(low), torch.as_tensor(high)], dim=-1))
        return observer.calculate_qparams()


def test_a_mostly_negative_range_in_int32_where_torch_overflows():
    ours = choose_qparams(-1e9, -1.0, dtype=torch.int32)
    assert ours.zero_point.item() == 2**31 - 1
    _, zero_point = observe(-1e9, -1.0, dtype=torch.int32, symmetric=False)
    assert zero_point.item() != 2**31 - 1
    # -3000 lies 3·2^30 steps below 0, which is more than torch's conversion can hold
    assert choose_qparams(-3e3, 1e3, dtype=torch.int32).zero_point.item() == 2**30
    assert observe(-3e3, 1e3, dtype=torch.int32, symmetric=False)[1].item() == 0


def test_zero_always_has_a_code():
    above = choose_qparams(2.0, 5.0, dtype=torch.uint8)
    assert above.zero_point.item() == 0
    assert above.scale.item() == torch.tensor(5.0 / 255).item()
    below = choose_qparams(-5.0, -2.0, dtype=torch.uint8)
    assert below.zero_point.item() == 255


def test_symmetric_int8_divides_by_127_and_a_half():
    assert choose_qparams(-1.0, 0.5, symmetric=True).scale == torch.tensor(1.0) / 127.5


def test_a_symmetric_uint8_range_of_ones_own_has_another_middle():
    default = choose_qparams(-1.0, 1.0, dtype=torch.uint8, symmetric=True)
    spelled_out = choose_qparams(
        -1.0, 1.0, dtype=torch.uint8, symmetric=True, quant_min=0, quant_max=255
    )
    assert (default.zero_point.item(), spelled_out.zero_point.item()) == (128, 127)


def test_accepts_floats_and_tensors_of_any_float_dtype():
    assert choose_qparams(-1, 3) == choose_qparams(
        torch.tensor(-1.0, dtype=torch.float64), torch.tensor(3.0, dtype=torch.float16)
    )


@pytest.mark.parametrize(
    ("low", "high", "options", "message"),
    [
        (1.0, -1.0, {}, "min_val 1.0 exceeds max_val -1.0"),
        (math.nan, 1.0, {}, "min_val is nan"),
        (0.0, math.nan, {}, "max_val is nan"),
        (-math.inf, 1.0, {}, "min_val is -inf"),
        (0.0, math.inf, {}, "max_val is inf"),
        (-3e38, 3e38, {}, "wider than float32"),
        (torch.zeros(0), torch.zeros(0), {"axis": 0}, "empty"),
        (torch.zeros(2), torch.zeros(3), {"axis": 0}, "come in pairs"),
        (torch.zeros(2), torch.ones(2), {}, "axis is None"),
        (0.0, 1.0, {"axis": 0}, r"shape \(C,\)"),
        (0.0, 1.0, {"quant_min": 0}, "both or neither"),
        (0.0, 1.0, {"quant_max": 7}, "both or neither"),
        (0.0, 1.0, {"quant_min": 1, "quant_max": 7}, "does not enclose 0"),
        (0.0, 1.0, {"quant_min": 0, "quant_max": 255}, "does not fit torch.int8"),
        (0.0, 1.0, {"quant_min": 7, "quant_max": -8}, "not below"),
        (0.0, 1.0, {"quant_min": 0, "quant_max": 1, "reduce_range": True}, "not below"),
        (0.0, 1.0, {"dtype": torch.quint8}, "pass torch.uint8"),
        (
            0.0,
            1.0,
            {"dtype": torch.uint8, "symmetric": True, "reduce_range": True},
            "zero point 128, outside 0..127",
        ),
    ],
)
def test_bad_input_is_named(low, high, options, message):
    with pytest.raises(ValueError, match=message):
        choose_qparams(low, high, **options)


@pytest.mark.parametrize("bad", [1j, None, "a", torch.tensor(True)], ids=str)
def test_extremes_that_are_no_real_numbers(bad):
    with pytest.raises(TypeError, match="max_val"):
        choose_qparams(0.0, bad)


def test_a_number_too_large_for_float32_is_named_as_given():
    with pytest.raises(ValueError, match=r"max_val is 1e\+300.*finite in float32"):
        choose_qparams(0.0, torch.tensor(1e300, dtype=torch.float64))


def test_torch_itself_refuses_it_or_returns_a_zero_point_outside_the_range():
    options = {"symmetric": True, "reduce_range": True}
    with pytest.raises(NotImplementedError, match="Cannot reduce range"):
        observe(0.0, 1.0, dtype=torch.quint8, **options)
    _, zero_point = observe(0.0, 1.0, dtype=torch.uint8, **options)
    assert zero_point.item() == 128
