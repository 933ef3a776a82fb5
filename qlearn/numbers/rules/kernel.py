"""Qparams chosen inside torch's kernels, which is not the observers' rule.

It computes the zero point from the end of the range that rounds with the smaller error, and does
not let scales become so small that their use is inexact. There are two editions: ATen's, behind
the dynamic operators, and FBGEMM's, behind the fused fake quantization of training. A comment in
ATen calls them identical. They differ in two places, named by
:func:`qlearn.choose_quantization_params`. Where a zero point falls half-way between two codes,
they can choose different ones.
"""

from __future__ import annotations

import math
from typing import Literal, get_args

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import (
    check_choice,
    check_finite_range,
    check_flag,
    check_float32,
    check_quant_range,
)
from qlearn.numbers.extremes import extremes
from qlearn.numbers.qparams import SMALLEST_SCALE, QParams
from qlearn.numbers.ranges import quant_range

Library = Literal["aten", "fbgemm"]

# Below this scale the range is widened: 6.1e-5 as float32, near the smallest normal float16.
SMALL_SCALE = torch.tensor(6.1e-5, dtype=torch.float32).item()

# The scale that stands in for one that float32 cannot hold or invert, as for all zeros.
FALLBACK_SCALE = 0.1


def choose_quantization_params(
    low: float,
    high: float,
    quant_min: int,
    quant_max: int,
    *,
    library: Library = "aten",
    preserve_sparsity: bool = False,
) -> tuple[float, int]:
    """Return scale and zero point for values in ``low … high``, two finite float32 numbers.

    ``scale = (high − low) / (quant_max − quant_min)`` once the range holds 0, in float64. ATen
    keeps that float64 and prefers the end of the range where ``|quant_end| − |end/scale|`` is
    smaller; FBGEMM rounds it to float32 and prefers the smaller ``|quant_end| + |end/scale|``.
    ``preserve_sparsity`` makes a range with 0 inside symmetric, with one more code below zero
    than above, and puts the zero point in the middle; a range on one side of 0 stays as it is.
    The kernels count the steps in 32 bits, where 2^31 and more wrap around; here they do not.

    Raises:
        TypeError: an end is not a number, or an end of the codes not an integer.
        ValueError: the ends are not finite or in the wrong order, or the codes are; an unknown
            library; the scale overflows float32; fewer than three codes, which are too few for a
            symmetric range.

    Source: ``quant_utils::ChooseQuantizationParams`` in ATen/native/quantized/cpu/QuantUtils.h
    and ``fbgemm::ChooseQuantizationParams`` in FBGEMM's src/QuantUtils.cc.

    >>> choose_quantization_params(-1.0, 3.0, 0, 255)
    (0.01568627450980392, 64)
    >>> choose_quantization_params(-1.0, 3.0, 0, 255, library="fbgemm")
    (0.01568627543747425, 64)
    """
    check_finite_range(low, high)
    check_quant_range(quant_min, quant_max, torch.int32)
    check_choice(library, "library", get_args(Library))
    check_flag(preserve_sparsity, "preserve_sparsity")
    given = low, high
    if preserve_sparsity and low < 0 < high:
        low, high = _symmetric(low, high, quant_max - quant_min)
    low, high = min(low, 0.0), max(high, 0.0)
    edition = _float32 if library == "fbgemm" else float
    scale = edition((high - low) / (quant_max - quant_min))
    if not math.isfinite(_float32(scale)):
        raise ValueError(
            f"the range {given[0]}..{given[1]}"
            f"{', made symmetric,' if preserve_sparsity and given[0] < 0 < given[1] else ''} over "
            f"{quant_max - quant_min} steps gives a scale that float32 cannot express: scale the "
            "values down before quantizing"
        )
    if _float32(scale) < SMALLEST_SCALE:
        scale = edition(FALLBACK_SCALE)
    if scale < SMALL_SCALE:
        low, high = _widened(low, high, scale, quant_max - quant_min)
        scale = SMALL_SCALE
    if preserve_sparsity and low < 0 < high:
        return scale, round((quant_min + quant_max) / 2)
    return scale, _zero_point(low / scale, high / scale, quant_min, quant_max, library)


def dynamic_qparams(x: Float32[Tensor, "..."], *, reduce_range: bool = True) -> QParams:
    """Return the uint8 qparams that torch's dynamic operators choose for ``x``.

    ``reduce_range`` chooses them so that the values of x get codes 0 … 127. The kernels do not
    clamp to that: where the zero point rounds up, the largest value can get code 128. So the
    range of the result is 0 … 255, and ``quantize(x, qparams, rounding="fma")`` gives the codes
    of the kernels, onednn's excepted.

    Raises:
        TypeError: ``x`` is not a float32 tensor.
        ValueError: ``x`` is empty, or holds infinities or NaN.

    Source: ATen's ``ChooseQuantizationParams``, by way of ``torch.quantize_per_tensor_dynamic``.

    >>> dynamic_qparams(torch.tensor([-1.0, 0.0, 3.0]), reduce_range=False)
    QParams(scale=0.015686275, zero_point=64,
            quant_min=0, quant_max=255, dtype=torch.uint8)
    """
    check_float32(x)
    check_flag(reduce_range, "reduce_range")
    low, high = extremes(x, None)
    scale, zero_point = choose_dynamic(low.item(), high.item(), reduce_range=reduce_range)
    return QParams(scale, zero_point, 0, 255, torch.uint8)


def choose_dynamic(
    low: float, high: float, *, reduce_range: bool, dtype: torch.dtype = torch.uint8
) -> tuple[float, int]:
    """Return scale, a float64, and zero point for float32 extremes; see ``dynamic_qparams``.

    >>> choose_dynamic(0.0, 0.0, reduce_range=True)
    (0.1, 0)
    """
    quant_min, quant_max = quant_range(dtype, reduce_range=reduce_range)
    return choose_quantization_params(low, high, quant_min, quant_max, library="aten")


def _symmetric(low: float, high: float, steps: int) -> tuple[float, float]:
    """Return the smallest range with the proportions of the codes that holds the given one."""
    above = steps // 2
    if above == 0:
        raise ValueError(
            f"a symmetric range needs a code above its middle, and {steps + 1} codes have none: "
            "use at least three"
        )
    below = above + 1
    scale = max(_float32(-low / below), _float32(high / above))
    return _float32(-scale * below), _float32(scale * above)


def _widened(low: float, high: float, scale: float, steps: int) -> tuple[float, float]:
    """Return the range that the small scale covers, in the proportions of the old one."""
    if low == 0:
        return 0.0, _float32(SMALL_SCALE * steps)
    if high == 0:
        return -_float32(SMALL_SCALE * steps), 0.0
    growth = _float32(SMALL_SCALE / _float32(scale))
    return _float32(low * growth), _float32(high * growth)


def _zero_point(
    low_steps: float, high_steps: float, quant_min: int, quant_max: int, library: Library
) -> int:
    """Return the zero point, computed from the end of the range with the smaller error."""
    from_low = quant_min - low_steps
    from_high = quant_max - high_steps
    sign = 1 if library == "fbgemm" else -1
    error_low = abs(quant_min) + sign * abs(low_steps)
    error_high = abs(quant_max) + sign * abs(high_steps)
    initial = from_low if error_low < error_high else from_high
    return min(max(round(initial), quant_min), quant_max)


def _float32(value: float) -> float:
    return torch.tensor(value, dtype=torch.float32).item()
