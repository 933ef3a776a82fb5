"""Numbers rounded to a small float format."""

from __future__ import annotations

import math
from typing import Literal

import torch
from jaxtyping import Float, Float32, Int32
from torch import Tensor

from qlearn.checks.formats import (
    check_format,
    check_has_codes,
    check_overflow,
    check_rounded_dtype,
)
from qlearn.formats.float_format import FloatFormat

Overflow = Literal["saturate", "special"]

# Of a float32: where its exponent's eight bits begin, these bits, and those of the largest number
EXPONENT_AT = 23
EXPONENT_MASK = 255 << EXPONENT_AT
LARGEST_EXPONENT = 254 << EXPONENT_AT


def round_to_float(
    x: Float[Tensor, "*shape"], format: FloatFormat, *, overflow: Overflow = "saturate"
) -> Float32[Tensor, "*shape"]:
    """Return the numbers of the format that are nearest to x, ties to even, in float32.

    ``rint(x/step) · step`` with ``step = 2^(max(⌊log2|x|⌋, 1 − bias) − mantissa_bits)``, the
    distance between two numbers of the format near x. Both operations are exact, because the step
    is a power of two. Then what lies beyond the ends is treated:

    * "saturate": it becomes the end, and so do infinities;
    * "special": it becomes the format's infinity or, where there is none, its NaN. Beyond the end
      lies what would round to the next number if the format went on: 464.01 in E4M3FN, and not
      464, which is halfway from 448 to 480 and goes to the even one.

    NaN stays NaN, and −0 stays −0 but in FNUZ formats, where it becomes 0.

    E8M0FNU has neither sign nor zero: 0 and negative numbers lie beyond its lower end, 2^−127, and
    the numbers from there down to 0 become that end. Halfway between two powers of two means up.
    Between the lowest two, 2^−127 and 2^−126, every number goes up, as in torch and ml_dtypes.

    Args:
        x: float32, or bfloat16 or float16, whose numbers float32 holds; any shape.
        format: the format whose numbers are wanted.
        overflow: "saturate" or "special".

    Returns:
        A new tensor in the shape of x, through which no gradient passes.

    Raises:
        TypeError: ``x`` is no such tensor, or ``format`` no FloatFormat. float64 would be rounded
            twice: that to float32, which comes first, is yours.
        ValueError: an unknown overflow; "special" where the format has neither infinity nor NaN;
            NaN in x where it has no NaN.

    Source: OCP 8-bit Floating Point Specification 1.0. ``Tensor.to`` of torch, bit for bit, with
    "saturate" for E4M3FN (from torch 2.13 on) and with "special" for the other three of eight
    bits; ml_dtypes with "special", and with "saturate" for six and four bits. For E8M0FNU torch
    gives positive numbers the codes of "special", negative ones those of their absolute values,
    and 0 that of 2^−127.

    >>> from qlearn import E4M3FN
    >>> round_to_float(torch.tensor([17.0, 27.0, 1e9]), E4M3FN)
    tensor([ 16.,  28., 448.])
    >>> round_to_float(torch.tensor([464.0, 464.01, 1e9]), E4M3FN, overflow="special")
    tensor([448.,  nan,  nan])
    """
    x = rounded_input(x, format, overflow)
    step = step_at(x, format)
    rounded = torch.round(x / step) * step
    if format.specials == "fnuz":
        rounded = rounded + 0.0  # −0 becomes 0
    if overflow == "saturate":
        return rounded.clamp(format.min, format.max)
    return _with_specials(rounded, x, format)


def step_at(x: Float32[Tensor, "*shape"], format: FloatFormat) -> Float32[Tensor, "*shape"]:
    """Return the distance between two neighbours in the format near each of the numbers.

    A float32 whose bits are those of x's exponent alone is ``2^⌊log2|x|⌋``. It is at least the
    format's smallest normal number, because below that the steps shrink no more.
    """
    powers = (bits_of(x) & EXPONENT_MASK).clamp(bits_of_power(1 - format.bias), LARGEST_EXPONENT)
    return (powers - (format.mantissa_bits << EXPONENT_AT)).view(torch.float32)


def _with_specials(rounded: Tensor, x: Tensor, format: FloatFormat) -> Tensor:
    """Return the rounded numbers with infinity or NaN in place of those beyond the ends."""
    beyond = rounded.abs() > format.max
    if not format.signed:
        beyond |= x <= 0
        rounded = rounded.clamp_min(format.min)
    special = math.nan if format.infinity_code is None else math.inf
    return torch.where(beyond, torch.copysign(torch.full_like(x, special), x), rounded)


def rounded_input(x: Tensor, format: FloatFormat, overflow: Overflow) -> Float32[Tensor, "*shape"]:
    """Return x in float32, or raise if it cannot be rounded to the format in this way."""
    check_format(format)
    check_overflow(overflow, format)
    check_rounded_dtype(x)
    check_has_codes(x, format)
    return x.detach().to(torch.float32)


def bits_of_power(exponent: int) -> int:
    """Return the 32 bits of a power of two that is a normal float32."""
    return (exponent + 127) << EXPONENT_AT


def bits_of(x: Float32[Tensor, "*shape"]) -> Int32[Tensor, "*shape"]:
    """Return the 32 bits of each number as an integer."""
    return x.resolve_neg().view(torch.int32)  # of a conjugate's .imag the sign waits to be set
