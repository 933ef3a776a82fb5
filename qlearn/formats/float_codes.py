"""Codes of small floats: from numbers, and back."""

from __future__ import annotations

from functools import cache

import torch
from jaxtyping import Float, Float32, Int32, UInt8
from torch import Tensor

from qlearn.checks.formats import check_float_codes
from qlearn.formats.float_format import FloatFormat
from qlearn.formats.float_rounding import (
    EXPONENT_AT,
    Overflow,
    bits_of,
    bits_of_power,
    round_to_float,
    rounded_input,
    step_at,
)
from qlearn.formats.pieces import by_pieces

# With a mantissa of at most so many bits, a code follows from the upper half of a float32.
LONGEST_IN_TABLE = 5


def encode_float(
    x: Float[Tensor, "*shape"], format: FloatFormat, *, overflow: Overflow = "saturate"
) -> UInt8[Tensor, "*shape"]:
    """Return the codes of the format's numbers that are nearest to x, one in each byte.

    With y, what :func:`round_to_float` makes of x, and the step there,
    ``|y|/step + (e << mantissa_bits)`` is the code without the sign, where e counts the steps'
    doublings above the least one. A significand with its leading 1 raises e by one, and so does
    one that was rounded up to the next power of two: the sum carries by itself. The codes are
    looked up in a table that this rule has filled.

    NaN becomes ``format.nan_code``, with the sign it has in float32 where the format can keep one.

    Args:
        x: float32, or bfloat16 or float16, whose numbers float32 holds; any shape.
        format: the format of the codes.
        overflow: "saturate" or "special", for what lies beyond the ends.

    Raises:
        TypeError: ``x`` is no such tensor, or ``format`` no FloatFormat.
        ValueError: an unknown overflow; "special" where the format has neither infinity nor NaN;
            NaN in x where it has no NaN.

    Source: ``Tensor.to`` of torch and ml_dtypes, as for round_to_float; for NaN in E5M2 torch
    writes 0x7f, as here, and ml_dtypes 0x7e.

    >>> from qlearn import E2M1FN
    >>> encode_float(torch.tensor([0.5, 1.0, -6.0, 100.0]), E2M1FN)
    tensor([ 1,  2, 15,  7], dtype=torch.uint8)
    """
    x = rounded_input(x, format, overflow)
    if format.mantissa_bits > LONGEST_IN_TABLE:
        return by_pieces(lambda piece: codes_by_rule(piece, format, overflow), x, torch.uint8)
    table = _table(format, overflow).to(x.device)
    return by_pieces(lambda piece: table.index_select(0, _place(piece)), x, torch.uint8)


def codes_by_rule(
    x: Float32[Tensor, "*shape"], format: FloatFormat, overflow: Overflow
) -> UInt8[Tensor, "*shape"]:
    """Return the codes by the formula of encode_float, which looks up what this function gave."""
    y = round_to_float(x, format, overflow=overflow)
    step = step_at(y, format)
    least_step = bits_of_power(1 - format.bias - format.mantissa_bits)
    doublings = (bits_of(step) - least_step) >> EXPONENT_AT
    significands = (y.abs() / step).nan_to_num(0, 0, 0).to(torch.int32)
    codes = significands + (doublings << format.mantissa_bits)
    if format.infinity_code is not None:
        codes = torch.where(y.isinf(), format.infinity_code, codes)
    if format.nan_code is not None:
        codes = torch.where(y.isnan(), format.nan_code, codes)
    if format.signed:
        negative = torch.where(y.isnan(), x, y).signbit()
        codes |= negative.to(torch.int32) << (format.bits - 1)
    return codes.to(torch.uint8)


@cache
def _table(format: FloatFormat, overflow: Overflow) -> UInt8[Tensor, "65536"]:
    """Return the code for each upper half of a float32, counted from −2^15."""
    halves = torch.arange(-(2**15), 2**15, dtype=torch.int32, device="cpu")
    numbers = (halves << 16).view(torch.float32)
    if format.nan_code is None:
        numbers = torch.where(numbers.isnan(), 0.0, numbers)
    return codes_by_rule(numbers, format, overflow)


def _place(x: Float32[Tensor, "n"]) -> Int32[Tensor, "n"]:
    """Return where in the table the codes of x stand.

    The upper half of a float32 holds seven bits of the mantissa, two more than the longest here:
    enough to see a tie, but not whether the lower half lifts a number above it. So where a bit of
    the lower half is set, the last bit of the upper one is set too, which rounds to odd.
    """
    bits = bits_of(x)
    odd = (bits & 0xFFFF).add_(0xFFFF).bitwise_or_(bits)  # in place, as all here: a third faster
    return odd.bitwise_right_shift_(16).add_(2**15)


def decode_float(codes: UInt8[Tensor, "*shape"], format: FloatFormat) -> Float32[Tensor, "*shape"]:
    """Return what the codes mean: ``format.value(code)`` for each, in float32, which is exact.

    Raises:
        TypeError: ``codes`` is not a uint8 tensor, or ``format`` no FloatFormat.
        ValueError: a code has more bits than the format.

    Source: OCP 8-bit Floating Point Specification 1.0 and OCP Microscaling Formats 1.0; torch and
    ml_dtypes, each code. NaN comes back without the sign and the other bits it may have had.

    >>> from qlearn import E4M3FN
    >>> decode_float(torch.tensor([0, 1, 0x7E, 0xFE, 0x7F], dtype=torch.uint8), E4M3FN)
    tensor([ 0.0000e+00,  1.9531e-03,  4.4800e+02, -4.4800e+02,         nan])
    """
    check_float_codes(codes, format)
    values = _values(format).to(codes.device)
    return values.index_select(0, codes.reshape(-1).to(torch.int32)).reshape(codes.shape)


@cache
def _values(format: FloatFormat) -> Float32[Tensor, "codes"]:
    """Return what each code of the format means."""
    values = [format.value(code) for code in range(2**format.bits)]
    return torch.tensor(values, dtype=torch.float32, device="cpu")
