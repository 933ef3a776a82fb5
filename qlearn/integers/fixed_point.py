"""Multiplication by a real number in integers alone: an integer multiplier and a right shift.

Jacob et al. (2018), gemmlowp and TensorFlow Lite requantize this way, for processors without
floating-point arithmetic. On x86 torch multiplies in float32:
see :mod:`qlearn.integers.requantization`. What ARM's library does is in
:mod:`qlearn.integers.arm_compute`.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Int32, Int64
from torch import Tensor

from qlearn.checks import check_integer, check_number, check_tensor

MOST_BITS = 31  # an int32 has no more for a positive number
SMALLEST = 2.0**-31  # with room to spare: fixed_point_product shifts by 62 bits at most


def fixed_point_multiplier(multiplier: float, bits: int = MOST_BITS) -> tuple[int, int]:
    """Return a ``bits``-bit integer n and a shift such that ``n · 2^−shift ≈ multiplier``.

    n lies in 2^(bits−1) … 2^bits − 1, so it uses all its bits, 31 unless you say otherwise. A
    float32 number has 24 significant bits: from 24 bits on, n holds it exactly.

    Raises:
        TypeError: the multiplier is no number; bits are no integer.
        ValueError: a multiplier outside 2^−31 … 1, its upper end excluded; bits outside 2 … 31.

    Source: Jacob et al. (2018), section 2.2, where it is called M₀.

    >>> fixed_point_multiplier(0.0008, bits=8)
    (210, 18)
    >>> 210 / 2**18
    0.00080108642578125
    """
    check_number(multiplier, "multiplier")
    if not SMALLEST <= multiplier < 1:
        raise ValueError(
            f"the multiplier is {multiplier}, but fixed point takes 2^-31 or more and less than 1: "
            "choose a larger scale for the output, or a smaller one"
        )
    check_integer(bits, "bits", 2, MOST_BITS)
    fraction, exponent = math.frexp(multiplier)
    whole = round(fraction * 2**bits)
    if whole == 2**bits:  # rounded up to one bit more
        return whole // 2, bits - exponent - 1
    return whole, bits - exponent


def fixed_point_product(
    total: Int32[Tensor, "*shape"], multiplier: int, shift: int
) -> Int64[Tensor, "*shape"]:
    """Return ``total · multiplier / 2^shift`` to the nearest integer, halves upwards.

    The product needs 64 bits; adding half of 2^shift before the shift rounds it once.

    Args:
        total: int32 sums.
        multiplier: the integer from :func:`fixed_point_multiplier`, positive and within int32.
        shift: the shift from there, 1 … 62.

    Raises:
        TypeError: the sums are not int32; the multiplier or the shift is no integer.
        ValueError: a multiplier outside 1 … 2^31 − 1, or a shift outside 1 … 62.

    Source: TensorFlow Lite's ``MultiplyByQuantizedMultiplier`` as compiled with
    ``TFLITE_SINGLE_ROUNDING``; gemmlowp's older rule rounds twice.

    >>> import torch
    >>> fixed_point_product(torch.tensor([-3, -1, 1, 3], dtype=torch.int32), 1, 1)
    tensor([-1,  0,  1,  2])
    """
    check_tensor(total, "total", "sums, a tensor of torch.int32")
    if total.dtype != torch.int32:
        raise TypeError(f"total has dtype {total.dtype}, but sums are int32: pass total.int()")
    check_integer(multiplier, "multiplier", 1, 2**31 - 1)
    check_integer(shift, "shift", 1, 62)
    return (total.long() * multiplier + (1 << (shift - 1))) >> shift
