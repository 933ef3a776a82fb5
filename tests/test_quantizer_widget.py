"""The quantizer's Python side: what it stores, what it says, what it refuses."""

import math

import pytest
import torch

from qlearn import choose_qparams, dequantize, mse, quantize
from qlearn.widgets import Quantizer


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


def test_the_qparams_follow_the_traits(x):
    widget = Quantizer(x)
    widget.scale, widget.zero_point, widget.bits = 0.5, 1, 4
    assert widget.qparams.scale.item() == 0.5
    assert (widget.qparams.zero_point.item(), widget.qparams.quant_max) == (1, 7)


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (torch.zeros(0), ValueError, "0 values"),
        (torch.zeros(10_001), ValueError, "10001 values.*pass a sample"),
        (torch.tensor([1.0, math.inf]), ValueError, "1 values that are infinite"),
        (torch.zeros(3, dtype=torch.float64), TypeError, "float64"),
    ],
)
def test_bad_values_are_named(bad, error, message):
    with pytest.raises(error, match=message):
        Quantizer(bad)
