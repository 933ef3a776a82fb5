"""NF4, against bitsandbytes' table of levels and its stored results."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from qlearn import NF4Tensor, nf4_levels, nf4_quantize, pack
from tests.bits import same_bits


def test_a_block_by_hand():
    # amax 2; the numbers are the levels' midpoints, and one just above a midpoint.
    between = (nf4_levels()[:-1] + nf4_levels()[1:]) / 2
    x = torch.cat([2 * between, torch.tensor([2.0])])
    assert nf4_quantize(x, block_size=16).codes.tolist() == [*range(15), 15]  # a tie goes down
    above = torch.nextafter(x, torch.tensor(9.0)).clamp_max(2)
    assert nf4_quantize(above, block_size=16).codes.tolist() == [*range(1, 16), 15]


@given(st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=8, max_size=8), st.booleans())
def test_the_largest_number_of_a_block_comes_back(numbers, double):
    x = torch.tensor(numbers)
    blocks = nf4_quantize(x, block_size=4, double=double)
    assert blocks.dequantize().isfinite().all()
    if not double:
        largest = x.reshape(2, 4).abs().amax(1)
        assert torch.equal(blocks.scales, largest)
        found = blocks.dequantize().reshape(2, 4).abs().amax(1)
        assert torch.equal(found[largest > 1e-38], largest[largest > 1e-38])


def test_zeros_and_denormal_blocks():
    x = torch.tensor([0.0, -0.0, 1e-40, -1e-45])
    blocks = nf4_quantize(x, block_size=2)
    assert blocks.codes[:2].tolist() == [7, 7]
    assert blocks.dequantize()[:2].tolist() == [0.0, 0.0]
    assert (blocks.dequantize() - x).abs().max() < 2e-40
    assert nf4_quantize(torch.zeros(4, 64), double=True).dequantize().abs().max() == 0


def test_empty_and_strided_tensors():
    for shape in [(0,), (2, 0), (0, 64)]:
        for double in (False, True):
            assert nf4_quantize(torch.empty(shape), double=double).dequantize().shape == shape
    x = torch.randn(64, 5)
    for double in (False, True):
        strided, plain = (nf4_quantize(one, double=double) for one in (x.T, x.T.contiguous()))
        assert same_bits(strided.dequantize(), plain.dequantize())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_sixteen_bits_are_what_float32_makes_of_them(dtype):
    x = torch.randn(2, 64).to(dtype)
    ours, plain = nf4_quantize(x), nf4_quantize(x.float())
    assert torch.equal(ours.codes, plain.codes) and same_bits(ours.scales, plain.scales)


def test_what_a_number_costs():
    x = torch.randn(4, 64)
    assert nf4_quantize(x).bits_per_weight == 4.5
    assert round(nf4_quantize(x, double=True).bits_per_weight, 3) == 4.127


ROW = torch.arange(8.0)


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"x": ROW.double()}, TypeError, "x has dtype torch.float64.*pass x.float"),
        ({"x": [1.0]}, TypeError, "x is a list"),
        ({"x": ROW[0]}, ValueError, "axis -1 does not exist"),
        ({"block_size": 3}, ValueError, "block_size is 3 and does not divide 8"),
        ({"block_size": 0}, ValueError, "block_size must be an integer of at least 1"),
        ({"double": None}, TypeError, "double must be True or False"),
        ({"x": ROW * math.nan}, ValueError, "infinities or NaN"),
        ({"x": ROW * -math.inf}, ValueError, "infinities or NaN"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input_is_refused_with_a_sentence(arguments, error, sentence):
    with pytest.raises(error, match=sentence):
        nf4_quantize(**{"x": ROW, "block_size": 4, **arguments})


@pytest.mark.parametrize(
    ("codes", "scales", "size", "error", "sentence"),
    [
        (torch.zeros(4), torch.ones(2), 2, TypeError, "codes have dtype torch.float32"),
        (torch.full((4,), 16, dtype=torch.uint8), torch.ones(2), 2, ValueError, r"in 0\.\.15"),
        (torch.zeros(4, dtype=torch.uint8), torch.ones(3), 2, ValueError, "scales have shape"),
        (torch.zeros(4, dtype=torch.uint8), torch.ones(2).half(), 2, TypeError, "scales has"),
        (torch.zeros(4, dtype=torch.uint8), torch.ones(2), 3, ValueError, "does not divide 4"),
    ],
    ids=["dtype", "range", "blocks", "scales", "size"],
)
def test_parts_that_do_not_fit_are_refused(codes, scales, size, error, sentence):
    with pytest.raises(error, match=sentence):
        NF4Tensor(codes, scales, size)


def test_quantized_scales_are_of_their_kind():
    codes = torch.zeros(4, dtype=torch.uint8)
    with pytest.raises(TypeError, match="quantized_scales is a float: pass what quantize_scales"):
        NF4Tensor(codes, torch.ones(2), 2, 1.0)
    with pytest.raises(ValueError, match="scales holds infinities or NaN"):
        NF4Tensor(codes, torch.ones(2) * math.inf, 2)


def test_the_library_s_bytes():
    codes = nf4_quantize(torch.tensor([1.0, -1.0, 0.0, 0.2]), block_size=4).codes
    assert pack(codes, 4, order="bitsandbytes").tolist() == [0xF0, 0x79]
