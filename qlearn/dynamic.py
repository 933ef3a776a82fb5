"""Qparams chosen at run time: the rule inside torch's dynamic linear layer.

It is not the observers' rule. It works in float64 where they work in float32, takes the zero
point from whichever end of the range it disturbs less, and does not let scales become so small
that their use is inexact.
"""

from __future__ import annotations

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.codes import check_float32
from qlearn.extremes import extremes
from qlearn.qparams import SMALLEST_SCALE, QParams
from qlearn.ranges import quant_range

# Below this scale FBGEMM widens the range: 6.1e-5 as float32, near the smallest normal float16.
SMALL_SCALE = torch.tensor(6.1e-5, dtype=torch.float32).item()

# The scale that stands in for one that float32 cannot hold or invert, as for all zeros.
FALLBACK_SCALE = 0.1


def dynamic_qparams(x: Float32[Tensor, "..."], *, reduce_range: bool = True) -> QParams:
    """Return the uint8 qparams that torch's dynamic operators choose for ``x``.

    ``reduce_range`` chooses them so that the values of x get codes 0 … 127. The kernels do not
    clamp to that: where the zero point rounds up, the largest value can get code 128. So the
    range of the result is 0 … 255, and ``quantize(x, qparams, rounding="fma")`` gives the codes
    of the kernel.

    Raises:
        TypeError: ``x`` is not a float32 tensor.
        ValueError: ``x`` is empty, or holds infinities or NaN.

    Source: ATen's ``ChooseQuantizationParams``, by way of ``torch.quantize_per_tensor_dynamic``.

    >>> dynamic_qparams(torch.tensor([-1.0, 0.0, 3.0]), reduce_range=False)
    QParams(scale=0.015686275, zero_point=64,
            quant_min=0, quant_max=255, dtype=torch.uint8)
    """
    check_float32(x)
    low, high = extremes(x, None)
    scale, zero_point = choose_dynamic(low.item(), high.item(), reduce_range=reduce_range)
    return QParams(scale, zero_point, 0, 255, torch.uint8)


def choose_dynamic(low: float, high: float, *, reduce_range: bool) -> tuple[float, int]:
    """Return scale, a float64, and zero point for float32 extremes; see ``dynamic_qparams``.

    >>> choose_dynamic(0.0, 0.0, reduce_range=True)
    (0.1, 0)
    """
    quant_min, quant_max = quant_range(torch.uint8, reduce_range=reduce_range)
    low, high = min(low, 0.0), max(high, 0.0)
    scale = (high - low) / (quant_max - quant_min)
    if _float32(scale) < SMALLEST_SCALE:
        scale = FALLBACK_SCALE
    if scale < SMALL_SCALE:
        low, high = _widened(low, high, scale, quant_max - quant_min)
        scale = SMALL_SCALE
    return scale, _zero_point(low, high, scale, quant_min, quant_max)


def _widened(low: float, high: float, scale: float, steps: int) -> tuple[float, float]:
    """Return the range that the small scale covers, in the proportions of the old one."""
    if low == 0:
        return 0.0, _float32(SMALL_SCALE * steps)
    if high == 0:
        return -_float32(SMALL_SCALE * steps), 0.0
    growth = _float32(SMALL_SCALE / scale)
    return _float32(low * growth), _float32(high * growth)


def _zero_point(low: float, high: float, scale: float, quant_min: int, quant_max: int) -> int:
    """Return the zero point by that end of the range from which it is rounded less."""
    from_low = quant_min - low / scale
    from_high = quant_max - high / scale
    error_low = abs(quant_min) - abs(low / scale)
    error_high = abs(quant_max) - abs(high / scale)
    initial = from_low if error_low < error_high else from_high
    return min(max(round(initial), quant_min), quant_max)


def _float32(value: float) -> float:
    return torch.tensor(value, dtype=torch.float32).item()
