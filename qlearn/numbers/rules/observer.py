"""From a range of values to a scale and a zero point: the rule of torch's observers."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import (
    check_encloses_zero,
    check_flag,
    check_quant_range,
    check_same_shape,
    real_tensor,
)
from qlearn.numbers.qparams import QParams
from qlearn.numbers.ranges import quant_range

# The smallest scale an observer returns, torch's default eps: 2^-23.
OBSERVER_EPS = torch.finfo(torch.float32).eps


def choose_qparams(
    min_val: float | Float32[Tensor, "*channels"],
    max_val: float | Float32[Tensor, "*channels"],
    *,
    dtype: torch.dtype = torch.int8,
    symmetric: bool = False,
    reduce_range: bool = False,
    quant_min: int | None = None,
    quant_max: int | None = None,
    axis: int | None = None,
) -> QParams:
    """Return the qparams that torch's observers compute for values in min_val … max_val.

    The range is first widened to hold 0, so that 0.0 has a code. Then, in float32,

    * affine: ``scale = (max − min) / (quant_max − quant_min)`` and
      ``zero_point = clamp(quant_min − rint(min/scale))``;
    * symmetric: ``scale = max(−min, max) / ((quant_max − quant_min)/2)``, and the zero point
      is 0 for int8 and int32, 128 for uint8, and for uint8 with a custom range its midpoint
      ``(quant_min + quant_max) // 2``.

    The scale is at least 2^-23, torch's eps.

    Args:
        min_val: the smallest value, shape () or (C,) with ``axis``.
        max_val: the largest value, in the same shape.
        dtype: what the codes will be stored as.
        symmetric: keep the zero point in the middle.
        reduce_range: halve the range of codes; a custom range too, as torch does.
        quant_min: the smallest code, together with ``quant_max``; they must enclose 0.
        quant_max: the largest code.
        axis: the dimension along which there are C ranges.

    Raises:
        TypeError: min_val or max_val is not a real number.
        ValueError: min_val exceeds max_val, is NaN or infinite, or is so far from max_val that
            the width overflows float32; only one of quant_min and quant_max is given, or they
            do not enclose 0 or do not fit the dtype; symmetric uint8 with reduce_range, without a
            range of your own, which torch refuses too, or answers with the zero point 128, outside
            its own 0 … 127.

    Source: ``torch.ao.quantization.observer.UniformQuantizationObserverBase``. One difference:
    for affine int32 ranges mostly below 0, torch's conversion of min/scale overflows and its
    zero point is wrong; this function returns the formula's.

    >>> choose_qparams(-1.0, 3.0, dtype=torch.uint8).zero_point
    tensor(64, dtype=torch.int32)
    """
    check_flag(symmetric, "symmetric")
    check_flag(reduce_range, "reduce_range")
    low, high = _checked_range(min_val, max_val)
    quant_min, quant_max, customized = _checked_codes(quant_min, quant_max, dtype, reduce_range)
    if symmetric:
        scale = torch.maximum(-low, high) / (float(quant_max - quant_min) / 2)
        scale = scale.clamp_min(OBSERVER_EPS)
        middle = _middle_code(dtype, quant_min, quant_max, customized)
        zero_point = torch.full_like(scale, middle, dtype=torch.int64)
    else:
        scale = ((high - low) / float(quant_max - quant_min)).clamp_min(OBSERVER_EPS)
        zero_point = quant_min - torch.round(low / scale).to(torch.int64)
        zero_point = zero_point.clamp(quant_min, quant_max)
    if torch.isinf(scale).any():
        raise ValueError(
            f"the range {low.min().item()}..{high.max().item()} is wider than float32 can "
            "express: scale it down before quantizing"
        )
    return QParams(scale, zero_point, quant_min, quant_max, dtype, axis)


def _checked_range(min_val: Any, max_val: Any) -> tuple[Tensor, Tensor]:
    """Return min and max as float32, widened to hold 0."""
    low, high = real_tensor("min_val", min_val), real_tensor("max_val", max_val)
    check_same_shape(low, high, ("min_val", "max_val"))
    if low.numel() == 0:
        raise ValueError("min_val is empty, and a range needs at least one value")
    for name, given in (("min_val", low), ("max_val", high)):
        bad = ~torch.isfinite(given.to(torch.float32))
        if bad.any():
            raise ValueError(
                f"{name} is {given[bad][0].item()}, but a scale needs a range that is finite in "
                "float32: drop infinities and NaN, or scale the values down, before taking the "
                "minimum and maximum"
            )
    low, high = low.to(torch.float32), high.to(torch.float32)
    crossed = low > high
    if crossed.any():
        raise ValueError(
            f"min_val {low[crossed][0].item()} exceeds max_val {high[crossed][0].item()}: swap them"
        )
    return low.clamp_max(0.0), high.clamp_min(0.0)


def _checked_codes(
    quant_min: int | None, quant_max: int | None, dtype: torch.dtype, reduce_range: bool
) -> tuple[int, int, bool]:
    """Return the range of codes and whether the caller chose it."""
    if quant_min is None and quant_max is None:
        return *quant_range(dtype, reduce_range=reduce_range), False
    if quant_min is None or quant_max is None:
        raise ValueError(
            f"quant_min is {quant_min} and quant_max is {quant_max}: give both or neither "
            "(torch ignores a single one)"
        )
    check_quant_range(quant_min, quant_max, dtype)
    check_encloses_zero(quant_min, quant_max)
    if reduce_range:
        quant_min, quant_max = quant_min // 2, quant_max // 2
    check_quant_range(quant_min, quant_max, dtype)
    return quant_min, quant_max, True


def _middle_code(dtype: torch.dtype, quant_min: int, quant_max: int, customized: bool) -> int:
    """Return the zero point of a symmetric range."""
    if dtype != torch.uint8:
        return 0
    if customized:
        return (quant_min + quant_max) // 2
    if quant_max < 128:
        raise ValueError(
            f"symmetric uint8 with reduce_range has the zero point 128, outside "
            f"{quant_min}..{quant_max}: pass quant_min=0 and quant_max=127, whose middle is 63"
        )
    return 128
