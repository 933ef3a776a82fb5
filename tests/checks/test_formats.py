"""What small floats are refused for: the format, the numbers, the codes and the scales."""

import math

import pytest
import torch

from qlearn import E2M1FN, E4M3FN, E5M2, E8M0FNU
from qlearn.checks.formats import (
    check_block_scales,
    check_element_format,
    check_float_codes,
    check_format,
    check_has_codes,
    check_overflow,
    check_rounded_dtype,
)

ONES = torch.ones(2)
QUANTIZED = torch.quantize_per_tensor(ONES, 1.0, 0, torch.qint8)
NAN = torch.tensor([1.0, math.nan])
CODES = torch.tensor([0, 15], dtype=torch.uint8)
FLOAT4 = CODES.view(torch.float4_e2m1fn_x2)
FLOAT8 = ONES.to(torch.float8_e4m3fn)


@pytest.mark.parametrize(
    ("check", "arguments", "error", "message"),
    [
        (check_format, ["E4M3FN"], TypeError, "must be a FloatFormat, as E4M3FN, .* not 'E4M3FN'"),
        (check_element_format, [None], TypeError, "must be a FloatFormat, .* not None"),
        (check_element_format, [E8M0FNU], ValueError, "E8M0FNU has neither sign .* as E4M3FN or"),
        (check_rounded_dtype, [1.0], TypeError, "x is a float: pass a float32, bfloat16 or"),
        (check_rounded_dtype, [ONES.double()], TypeError, r"float64, but float32.*pass x\.float"),
        (check_rounded_dtype, [QUANTIZED, "y"], TypeError, r"y has .*qint8.*pass y\.dequantize"),
        (
            check_rounded_dtype,
            [ONES * 1j],
            TypeError,
            r"complex64, but .*pass x\.real and x\.imag o",
        ),
        (check_has_codes, [NAN, E2M1FN], ValueError, r"NaN, as at index \(1,\), .* E2M1FN .*: rep"),
        (check_overflow, ["wrap", E5M2], ValueError, "be 'saturate' or 'special', not 'wrap'"),
        (check_overflow, ["special", E2M1FN], ValueError, "E2M1FN has neither .* be 'saturate', n"),
        (check_float_codes, [CODES, "E5M2"], TypeError, "must be a FloatFormat.* not 'E5M2'"),
        (check_float_codes, [[0], E5M2], TypeError, "codes is a list: pass a tensor of torch.uint"),
        (check_float_codes, [CODES.int(), E5M2], TypeError, r"int32.*pass codes\.to\(torch\.uint8"),
        (check_float_codes, [FLOAT8, E4M3FN], TypeError, r"e4m3fn.*pass codes\.view\(torch\.uint8"),
        (
            check_float_codes,
            [FLOAT4, E2M1FN],
            TypeError,
            r'pass unpack\(codes.*, 4, order="onnx"\)',
        ),
        (check_float_codes, [CODES + 1, E2M1FN], ValueError, "to 16, but E2M1FN .* 0 to 15: take"),
        (check_block_scales, [ONES, E8M0FNU, (2,)], TypeError, "scales have dtype torch.float32"),
        (check_block_scales, [CODES, E8M0FNU, (2, 1)], ValueError, r"\(2,\), .* \(2, 1\): pass on"),
    ],
    ids=lambda value: getattr(value, "__name__", "") if callable(value) else "",
)
def test_each_refusal_names_the_value_the_rule_and_the_way_out(check, arguments, error, message):
    with pytest.raises(error, match=message):
        check(*arguments)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_three_dtypes_are_rounded(dtype):
    check_rounded_dtype(ONES.to(dtype))


def test_nan_needs_a_code_and_infinity_none():
    check_has_codes(NAN, E4M3FN)
    check_has_codes(torch.tensor([math.inf, -math.inf]), E2M1FN)  # both ends saturate
    check_has_codes(torch.empty(0), E2M1FN)


def test_what_lies_beyond_the_ends_may_become_nan_where_there_is_one():
    for format in (E4M3FN, E5M2, E8M0FNU):
        check_overflow("special", format)
    check_overflow("saturate", E2M1FN)


@pytest.mark.parametrize(("format", "last"), [(E2M1FN, 15), (E4M3FN, 255), (E8M0FNU, 255)], ids=str)
def test_codes_reach_to_the_last_one_of_their_format(format, last):
    check_float_codes(torch.tensor([0, last], dtype=torch.uint8), format)
    check_float_codes(torch.empty(0, dtype=torch.uint8), format)
    check_block_scales(torch.full((2, 1), last, dtype=torch.uint8), format, (2, 1))
