"""Qparams chosen at run time, as inside torch's dynamic linear layer.

It is not the observers' rule: see :mod:`qlearn.numbers.rules.kernel`.
"""

from __future__ import annotations

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_flag, check_float32
from qlearn.numbers.extremes import extremes
from qlearn.numbers.qparams import QParams
from qlearn.numbers.ranges import quant_range
from qlearn.numbers.rules.kernel import choose_quantization_params


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
    check_flag(reduce_range, "reduce_range")
    low, high = extremes(x, None)
    scale, zero_point = choose_dynamic(low.item(), high.item(), reduce_range=reduce_range)
    return QParams(scale, zero_point, 0, 255, torch.uint8)


def choose_dynamic(low: float, high: float, *, reduce_range: bool) -> tuple[float, int]:
    """Return scale, a float64, and zero point for float32 extremes; see ``dynamic_qparams``.

    >>> choose_dynamic(0.0, 0.0, reduce_range=True)
    (0.1, 0)
    """
    quant_min, quant_max = quant_range(torch.uint8, reduce_range=reduce_range)
    return choose_quantization_params(low, high, quant_min, quant_max, library="aten")
