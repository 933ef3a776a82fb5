"""The dynamic linear layer: float32 in, float32 out, and integers in between."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_float32
from qlearn.integers import arm_compute
from qlearn.integers.layer_checks import Engine, check_last_dimension, check_layer
from qlearn.integers.matmul import accumulate
from qlearn.integers.onednn import scaled
from qlearn.machine import onednn_uses_arm_compute
from qlearn.machine.rounding import qnnpack_rounding
from qlearn.numbers.extremes import extremes
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor
from qlearn.numbers.quantize import quantize
from qlearn.numbers.rounding import Rounding, fma
from qlearn.numbers.rules.dynamic import choose_dynamic


def linear_dynamic(
    x: Float32[Tensor, "*batch k"],
    weight: QTensor,
    bias: Float32[Tensor, " n"] | None = None,
    *,
    engine: Engine = "fbgemm",
    reduce_range: bool = True,
) -> Float32[Tensor, "*batch n"]:
    """Return ``x @ weight.T + bias``, computed on the codes of x and of the weight.

    The activations are quantized to uint8 by the smallest and largest value of all of x. The
    accumulator ``Σ (q_x − z_x)·(q_w − z_w)`` is exact; each engine turns it back into float32
    with roundings of its own, which is all that they differ in.

    Args:
        x: float32 activations, finite.
        weight: int8 codes of shape (n, k), with one scale, or one for each row (axis 0).
        bias: float32, one number for each output; it is never quantized.
        engine: whose roundings to follow.
        reduce_range: spare one bit of the activations; qnnpack ignores it.

    Raises:
        TypeError: x or bias is not float32; weight is no QTensor of int8 codes.
        ValueError: unknown engine; shapes that do not match; infinities or NaN in x; a zero
            point other than 0 with onednn, which torch refuses too.

    Source: ``torch.ops.quantized.linear_dynamic`` of torch 2.13, in every bit on a processor
    whose kernels do not saturate. fbgemm and x86 exist on x86-64 alone, and are computed as there;
    qnnpack and onednn as on this machine: see :mod:`qlearn.integers.onednn` and
    :mod:`qlearn.integers.arm_compute`.

    >>> weight = QTensor(torch.tensor([[127, -127]], dtype=torch.int8),
    ...                  QParams(0.01, 0, -128, 127, torch.int8))
    >>> linear_dynamic(torch.tensor([[1.0, 0.5]]), weight)
    tensor([[0.6300]])
    """
    check_float32(x)
    check_layer(weight, bias, engine)
    check_last_dimension(x, weight)
    bias = bias if bias is None else bias.detach()
    rows = x.detach().reshape(math.prod(x.shape[:-1]), x.shape[-1])
    outputs = weight.values.shape[0]
    if rows.numel() == 0:
        empty = torch.zeros(rows.shape[0], outputs)
        return (empty if bias is None else empty + bias).reshape(*x.shape[:-1], outputs)
    low, high = (end.item() for end in extremes(rows, None))
    reduced = reduce_range and engine != "qnnpack"
    if engine == "onednn" and weight.qparams.axis is None and onednn_uses_arm_compute():
        result = arm_compute.dynamic_layer(rows, (low, high), weight, bias, reduce_range=reduced)
        return result.reshape(*x.shape[:-1], outputs)
    scale, zero_point = choose_dynamic(low, high, reduce_range=reduced)
    follow = {"fbgemm": _fbgemm, "x86": _fbgemm, "onednn": _onednn, "qnnpack": _qnnpack}[engine]
    return follow(rows, scale, zero_point, weight, bias).reshape(*x.shape[:-1], outputs)


def _fbgemm(
    x: Tensor, scale: float, zero_point: int, weight: QTensor, bias: Tensor | None
) -> Tensor:
    """One multiplier, and one rounding for multiplying and adding together."""
    total, multiplier = _total_and_multiplier(x, scale, zero_point, weight, "fma")
    return total * multiplier if bias is None else fma(total, multiplier, bias)


def _qnnpack(
    x: Tensor, scale: float, zero_point: int, weight: QTensor, bias: Tensor | None
) -> Tensor:
    """One multiplier, and a rounding each for multiplying and adding."""
    parts = _total_and_multiplier(x, scale, zero_point, weight, qnnpack_rounding())
    product = parts[0] * parts[1]
    return product if bias is None else product + bias


def _total_and_multiplier(
    x: Tensor, scale: float, zero_point: int, weight: QTensor, rounding: Rounding
) -> tuple[Tensor, Tensor]:
    qparams = QParams(scale, zero_point, 0, 255, torch.uint8)
    codes = quantize(x, qparams, rounding=rounding)
    total = accumulate(codes, zero_point, weight.values, weight.qparams.zero_point)
    return total.to(torch.float32), qparams.scale * weight.qparams.scale


def _onednn(
    x: Tensor, scale: float, zero_point: int, weight: QTensor, bias: Tensor | None
) -> Tensor:
    """Two multipliers, each the reciprocal of a reciprocal, and a rounding at every step."""
    s1 = 1 / torch.tensor(1 / scale, dtype=torch.float32)
    inv = 1 / s1
    codes = torch.round(x * inv + zero_point).clamp(0, 255).to(torch.uint8)
    w1 = 1 / (1 / weight.qparams.scale)
    total = accumulate(codes, zero_point, weight.values, weight.qparams.zero_point)
    result = scaled(total, s1, w1)
    return result if bias is None else result + bias
