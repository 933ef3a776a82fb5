"""Quantize and dequantize at once, with a gradient: the simulation that training uses."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_float32
from qlearn.numbers.qparams import QParams
from qlearn.numbers.quantize import dequantize, stored
from qlearn.numbers.rounding import in_range, unclamped_codes


def fake_quantize(x: Float32[Tensor, "*shape"], qparams: QParams) -> Float32[Tensor, "*shape"]:
    """Return ``dequantize(quantize(x))`` in float32, differentiable in ``x``.

    The derivative of a staircase is 0 almost everywhere, so the straight-through estimator
    stands in: the gradient passes unchanged where the code, before clamping, lies within
    quant_min … quant_max, and is multiplied by 0 where the value was clipped, or is NaN.

    Raises:
        TypeError: ``x`` is not a float32 tensor.
        ValueError: ``x`` and the qparams disagree on the channels.

    Source: ``torch.fake_quantize_per_tensor_affine`` and ``…_per_channel_affine``. Three
    differences: torch's per-channel kernel sends values beyond 2^63 steps to the wrong end of
    the range, and on Linux ARM takes NaN for code 0; here they saturate, and NaN becomes
    quant_min, as in torch's per-tensor kernel. Per channel, int32 codes beyond 2^24 are rounded to
    float32 here before the zero point is taken off, and in torch after it.

    >>> x = torch.tensor([0.26, 0.9, 9.0], requires_grad=True)
    >>> y = fake_quantize(x, QParams(0.5, 0, -4, 3, torch.int8))
    >>> y.sum().backward()
    >>> y.tolist(), x.grad.tolist()
    ([0.5, 1.0, 1.5], [1.0, 1.0, 0.0])
    """
    check_float32(x)
    result: Tensor = _StraightThrough.apply(x, qparams)
    return result


class _StraightThrough(torch.autograd.Function):
    """Forward: a staircase. Backward: the identity where nothing was clipped."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, qparams: QParams) -> Tensor:
        codes = unclamped_codes(x, qparams, "nearest")
        if ctx.needs_input_grad[0]:
            # torch's kernel compares float32 numbers per tensor, and integers per channel.
            ctx.save_for_backward(in_range(codes, qparams, exact=qparams.axis is not None))
        return dequantize(stored(codes, qparams, "nearest"), qparams)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, None]:
        (in_range,) = ctx.saved_tensors
        return grad_outputs[0] * in_range, None
