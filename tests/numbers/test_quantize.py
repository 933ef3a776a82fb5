"""quantize and dequantize: their properties, their edges, and where torch is different.

That they equal torch's kernels is proven in proofs/codes.py.
"""

import math
import platform

import hypothesis.strategies as st
import pytest
import torch
import torch.ao.quantization.fx._decomposed  # registers the operators of PT2E
from hypothesis import given

from qlearn import QParams, dequantize, quant_range, quantize
from tests.bits import same_bits

QUANTIZED = {torch.int8: torch.qint8, torch.uint8: torch.quint8, torch.int32: torch.qint32}
EIGHT_BIT = [torch.int8, torch.uint8]
DTYPES = [*EIGHT_BIT, torch.int32]
CASES = 150

pytestmark = pytest.mark.filterwarnings("ignore:.*quantized.*:UserWarning")


@pytest.mark.parametrize(("dtype", "expected"), [(torch.int8, 0), (torch.int32, -(2**31))])
def test_nan_per_channel_is_that_of_x86(dtype, expected):
    x = torch.full((2, 9), math.nan)
    qparams = QParams([0.5, 0.25], [3, 4], *quant_range(dtype), dtype, axis=0)
    codes = quantize(x, qparams, rounding="add")
    assert codes.unique().tolist() == [expected]
    if platform.machine() in ("x86_64", "AMD64"):
        oracle = torch.quantize_per_channel(
            x, qparams.scale, qparams.zero_point, 0, QUANTIZED[dtype]
        ).int_repr()
        assert torch.equal(codes, oracle)


def test_a_narrow_range_saturates_at_its_own_ends():
    x = torch.linspace(-3, 3, 601)
    codes = quantize(x, QParams(0.1, 2, -8, 7, torch.int8))
    oracle = torch.ops.quantized_decomposed.quantize_per_tensor(
        x, QParams(0.1, 2, -8, 7, torch.int8).scale.item(), 2, -8, 7, torch.int8
    )
    assert torch.equal(codes, oracle)
    assert (codes.min().item(), codes.max().item()) == (-8, 7)


def test_dequantize_beyond_int32_does_not_wrap_as_torch_does():
    codes = torch.tensor([2**31 - 1, -(2**31)], dtype=torch.int32)
    qparams = QParams(0.5, -5, *quant_range(torch.int32), torch.int32)
    assert dequantize(codes, qparams).tolist() == [2.0**30, -(2.0**30)]
    torchs = torch._make_per_tensor_quantized_tensor(codes, 0.5, -5).dequantize()
    assert torchs[0].item() == -(2.0**30)  # positive became negative


# Properties

eight_bit_qparams = st.builds(
    lambda dtype, exponent, fraction: QParams(
        10.0**exponent,
        round(quant_range(dtype)[0] + fraction * 255),
        *quant_range(dtype),
        dtype,
    ),
    st.sampled_from(EIGHT_BIT),
    st.floats(-6, 3),
    st.floats(0, 1),
)
floats = st.lists(st.floats(-1e4, 1e4, width=32), min_size=1, max_size=30)
roundings = st.sampled_from(["nearest", "fma", "add"])


@given(eight_bit_qparams, roundings)
def test_zero_is_exact(qparams, rounding):
    code = quantize(torch.zeros(3), qparams, rounding=rounding)
    assert (code == qparams.zero_point).all()
    assert dequantize(code, qparams).tolist() == [0.0, 0.0, 0.0]


@given(eight_bit_qparams, floats, roundings)
def test_order_is_kept(qparams, values, rounding):
    x = torch.tensor(sorted(values))
    codes = quantize(x, qparams, rounding=rounding).to(torch.int32)
    assert (codes.diff() >= 0).all()


@given(eight_bit_qparams, floats, roundings)
def test_the_error_inside_the_range_is_at_most_half_a_step(qparams, values, rounding):
    x = torch.tensor(values)
    low, high = dequantize(
        torch.tensor([qparams.quant_min, qparams.quant_max], dtype=qparams.dtype), qparams
    ).tolist()
    inside = x[(x >= low) & (x <= high)].double()
    error = (
        inside - dequantize(quantize(inside.float(), qparams, rounding=rounding), qparams).double()
    )
    # Beyond scale/2, only float32's own rounding: of 1/scale, of the product, of the result.
    slack = 256 * 2.0**-22
    assert (error.abs() <= qparams.scale.double() * (0.5 + slack)).all()


@given(eight_bit_qparams, roundings)
def test_codes_survive_the_round_trip(qparams, rounding):
    codes = torch.arange(qparams.quant_min, qparams.quant_max + 1).to(qparams.dtype)
    again = quantize(dequantize(codes, qparams), qparams, rounding=rounding)
    assert torch.equal(again, codes)


@given(eight_bit_qparams, roundings)
def test_both_ends_saturate(qparams, rounding):
    codes = quantize(torch.tensor([-math.inf, -3e38, 3e38, math.inf]), qparams, rounding=rounding)
    low, high = qparams.quant_min, qparams.quant_max
    assert codes.tolist() == [low, low, high, high]


# Shapes, strides and dtypes

INT8 = QParams(0.1, 10, -128, 127, torch.int8)


def test_a_zero_dimensional_tensor_gives_one_code():
    code = quantize(torch.tensor(1.0), INT8)
    assert code.shape == () and code.item() == 20
    assert dequantize(code, INT8).shape == ()


def test_an_empty_tensor_gives_no_codes():
    assert quantize(torch.zeros(0, 3), INT8).shape == (0, 3)
    assert dequantize(torch.zeros(0, 3, dtype=torch.int8), INT8).shape == (0, 3)


def test_strides_do_not_matter_and_the_result_is_contiguous():
    x = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
    for view in (x.t(), x[::2, ::3], x[:, :1].expand(6, 5)):
        codes = quantize(view, INT8)
        assert codes.is_contiguous() and dequantize(codes.T, INT8).is_contiguous()
        assert torch.equal(codes, quantize(view.contiguous(), INT8))


def test_inputs_are_not_changed():
    x = torch.randn(100, generator=torch.Generator().manual_seed(0))
    before = x.clone()
    codes = quantize(x, INT8)
    kept = codes.clone()
    dequantize(codes, INT8)
    assert same_bits(x, before) and torch.equal(codes, kept)


def test_a_tensor_that_requires_grad_is_quantized_without_one():
    assert not quantize(torch.ones(2, requires_grad=True), INT8).requires_grad


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16, torch.int32])
def test_other_dtypes_are_refused_with_a_way_out(dtype):
    with pytest.raises(TypeError, match=rf"{dtype}.*pass x.float\(\)"):
        quantize(torch.zeros(2, dtype=dtype), INT8)


def test_a_list_is_refused():
    with pytest.raises(TypeError, match="x is a list"):
        quantize([1.0], INT8)
    with pytest.raises(TypeError, match="q is a list"):
        dequantize([1], INT8)


def test_what_is_no_dense_float_tensor_gets_its_own_way_out():
    quantized = torch.quantize_per_tensor(torch.zeros(2), 0.1, 0, torch.qint8)
    with pytest.raises(TypeError, match=r"pass x\.dequantize\(\)"):
        quantize(quantized, INT8)
    with pytest.raises(TypeError, match=r"pass x\.to_dense\(\)"):
        quantize(torch.zeros(2).to_sparse(), INT8)


@pytest.mark.parametrize("call", [quantize, dequantize], ids=["quantize", "dequantize"])
def test_qparams_of_another_type_are_refused(call):
    x = torch.zeros(2, dtype=torch.float32 if call is quantize else torch.int8)
    with pytest.raises(TypeError, match=r"the qparams are a tuple: pass a QParams\("):
        call(x, (0.1, 10))


def test_codes_of_another_dtype_are_refused():
    with pytest.raises(TypeError, match=r"torch\.uint8.*store torch\.int8"):
        dequantize(torch.zeros(2, dtype=torch.uint8), INT8)
    quantized = torch.quantize_per_tensor(torch.zeros(2), 0.1, 0, torch.qint8)
    with pytest.raises(TypeError, match="int_repr"):
        dequantize(quantized, INT8)
