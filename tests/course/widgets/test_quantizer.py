"""The quantizer's Python side: what it stores, what it says, what it refuses."""

import math

import pytest
import torch

from qlearn import choose_qparams, dequantize, mse, quantize
from qlearn.course.widgets import Quantizer


@pytest.fixture
def x():
    return torch.randn(100, 3, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("symmetric", [True, False])
def test_starts_from_what_torchs_observer_chooses(x, signed, symmetric):
    widget = Quantizer(x, signed=signed, symmetric=symmetric)
    dtype = torch.int8 if signed else torch.uint8
    expected = choose_qparams(x.min(), x.max(), dtype=dtype, symmetric=symmetric)
    assert widget.qparams == expected
    assert widget.mse == mse(x, dequantize(quantize(x, expected), expected))


def test_starts_where_it_is_told_to(x):
    widget = Quantizer(x, symmetric=False, scale=0.01, zero_point=10)
    assert (widget.qparams.scale.item(), widget.zero_point) == (widget.scale, 10)
    restored = dequantize(quantize(x, widget.qparams), widget.qparams)
    assert widget.mse == mse(x, restored) and widget.clipped_share > 0
    with pytest.raises(ValueError, match="scale is -1"):
        Quantizer(x, scale=-1.0)


def test_fewer_bits_are_a_range_of_ones_own(x):
    widget = Quantizer(x, bits=3)
    assert (widget.qparams.quant_min, widget.qparams.quant_max) == (-4, 3)
    # max|x| lies half a step beyond the last code, so the rule itself clips one value or none.
    assert widget.clipped_share <= 1 / x.numel() and widget.sqnr < 20


def test_the_page_gets_the_values_as_little_endian_float32(x):
    stored = torch.frombuffer(bytearray(Quantizer(x.t()).values), dtype=torch.float32)
    assert torch.equal(stored, x.t().flatten())


def test_without_an_error_there_is_no_ratio():
    widget = Quantizer(torch.zeros(3))
    assert widget.sqnr is None and "no error" in repr(widget)


def test_another_setting_is_fitted_and_measured_anew(x):
    widget = Quantizer(x, symmetric=False)
    for name, value in {"bits": 4, "signed": False, "symmetric": True}.items():
        setattr(widget, name, value)
        settings = {n: getattr(widget, n) for n in ("bits", "signed", "symmetric")}
        fresh = Quantizer(x, **settings)
        assert repr(widget) == repr(fresh) and widget.qparams == fresh.qparams
        assert (widget.mse, widget.clipped_share) == (fresh.mse, fresh.clipped_share)


def test_a_move_after_another_setting_is_kept(x):
    widget = Quantizer(x, symmetric=False)
    widget.bits, widget.scale, widget.zero_point = 4, 0.5, 1
    qparams = widget.qparams
    assert (qparams.scale.item(), qparams.zero_point.item(), qparams.quant_max) == (0.5, 1, 7)
    assert widget.mse == mse(x, dequantize(quantize(x, qparams), qparams))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [("scale", -1.0, "scale is -1"), ("zero_point", 1000, "zero_point 1000 lies outside")],
)
def test_an_assignment_that_makes_no_qparams_changes_nothing(x, name, value, message):
    widget = Quantizer(x, symmetric=False)
    before = repr(widget)
    with pytest.raises(ValueError, match=message):
        setattr(widget, name, value)
    assert repr(widget) == before


def test_symmetric_codes_keep_their_zero_point(x):
    with pytest.raises(ValueError, match="zero_point is 50.*set symmetric=False"):
        Quantizer(x, zero_point=50)
    widget = Quantizer(x, signed=False)
    with pytest.raises(ValueError, match="have the zero point 128"):
        widget.zero_point = 50


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (torch.zeros(0), ValueError, "0 values"),
        (torch.zeros(10_001), ValueError, "10001 values.*pass a sample"),
        (torch.tensor([1.0, math.inf]), ValueError, "1 values that are infinite"),
        (torch.tensor([-3e38, math.nan, 1.0]), ValueError, "2 values that are infinite"),
        (torch.zeros(3, dtype=torch.float64), TypeError, "float64"),
    ],
)
def test_bad_values_are_named(bad, error, message):
    with pytest.raises(error, match=message):
        Quantizer(bad)
