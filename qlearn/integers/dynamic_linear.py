"""The dynamic linear layer: float32 in, float32 out, and integers in between."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Float32, Int8, Int32, UInt8
from torch import Tensor

from qlearn.checks import check_flag, check_float32
from qlearn.checks.layers import Engine, check_last_dimension, check_layer
from qlearn.integers import arm_compute
from qlearn.integers.matmul import accumulate, unsigned
from qlearn.integers.onednn import dynamic_dtype, scaled
from qlearn.machine import joins_scales
from qlearn.machine.rounding import fbgemm_rounding, qnnpack_rounding
from qlearn.numbers.extremes import extremes
from qlearn.numbers.fma import fma
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor
from qlearn.numbers.quantize import quantize
from qlearn.numbers.ranges import quant_range
from qlearn.numbers.rounding import Rounding
from qlearn.numbers.rules.kernel import choose_dynamic

Codes = UInt8[Tensor, "m k"] | Int8[Tensor, "m k"]
Sums = Int32[Tensor, "m n"]
Scale = Float32[Tensor, ""]
Scales = Float32[Tensor, "*n"]
Bias = Float32[Tensor, " n"] | None
Real = Float32[Tensor, "m n"]


def linear_dynamic(
    x: Float32[Tensor, "*batch k"],
    weight: QTensor,
    bias: Float32[Tensor, " n"] | None = None,
    *,
    engine: Engine = "fbgemm",
    reduce_range: bool = True,
) -> Float32[Tensor, "*batch n"]:
    """Return ``x @ weight.T + bias``, computed on the codes of x and of the weight.

    The smallest and the largest value of all of x choose a scale and a zero point, by which x is
    quantized to uint8 (to int8 by onednn on ARM). The sums ``Σ (q_x − z_x)·(q_w − z_w)`` are exact,
    with a zero point of the weight up to 33,025 inputs: with more they may wrap around, as torch's.
    ``s_x·s_w`` scales them back to float32, and the bias is added. The engines differ in how they
    round on the way.

    Args:
        x: float32 activations, finite.
        weight: int8 codes of shape (n, k), with one scale, or one for each row (axis 0).
        bias: float32, one number for each output; it is never quantized.
        engine: whose roundings to follow.
        reduce_range: spare one bit of the activations; qnnpack ignores it.

    Raises:
        TypeError: x or bias is not float32; weight is not a QTensor of int8 codes; reduce_range is
            neither True nor False.
        ValueError: unknown engine; shapes that do not match; infinities or NaN in x, or NaN in the
            bias; more than 65,793 inputs, from where on a sum may not fit int32; a zero point other
            than 0 with onednn, which torch refuses too; on ARM, with onednn, more than 1,364 inputs
            and a weight with a single scale, or a single row.

    Source: ``torch.ops.quantized.linear_dynamic`` of torch 2.13, in every bit on a processor
    whose kernels do not saturate. With a torch that rounds activations otherwise, as 2.15 does, the
    codes are those of that torch. fbgemm and x86 exist on x86-64 alone, and are computed as there;
    qnnpack and onednn as on this machine: see :mod:`qlearn.integers.onednn` and
    :mod:`qlearn.integers.arm_compute`. On ARM onednn's sums can wrap around where two codes of
    −128 meet two weights of −128; here they are exact.

    >>> weight = QTensor(torch.tensor([[127, -127]], dtype=torch.int8),
    ...                  QParams(0.01, 0, -128, 127, torch.int8))
    >>> linear_dynamic(torch.tensor([[1.0, 0.5]]), weight)
    tensor([[0.6300]])
    """
    check_float32(x)
    check_flag(reduce_range, "reduce_range")
    check_layer(weight, bias, engine)
    check_last_dimension(x, weight)
    outputs, inputs = weight.values.shape
    rows = x.detach().reshape(math.prod(x.shape[:-1]), inputs)
    bias = bias if bias is None else bias.detach()
    low, high = (end.item() for end in extremes(rows, None)) if rows.numel() else (0.0, 0.0)
    reduce_range = reduce_range and engine != "qnnpack"
    if arm_compute.computes(engine, weight):
        y = arm_compute.dynamic_layer(rows, (low, high), weight, bias, reduce_range=reduce_range)
    else:
        qparams = _qparams(low, high, engine, reduce_range)
        codes = quantize(rows, qparams, rounding=_rounding(engine))
        zero_point = int(qparams.zero_point)
        if arm_compute.multiplies(engine, weight):
            factor = qparams.scale * _inverted_twice(weight.qparams.scale)
            y = arm_compute.scaled_back(codes, zero_point, weight, factor, bias)
        else:
            total = _sums(codes, zero_point, weight)
            scale_back = _scaling_back(engine, len(rows), outputs, inputs)
            y = scale_back(total, qparams.scale, weight.qparams.scale, bias)
    return y.reshape(*x.shape[:-1], outputs)


def _qparams(low: float, high: float, engine: Engine, reduce_range: bool) -> QParams:
    """Return the step and the zero point of the activations, as the engine has them."""
    dtype = dynamic_dtype() if engine == "onednn" else torch.uint8
    scale, zero_point = choose_dynamic(low, high, reduce_range=reduce_range, dtype=dtype)
    if engine == "onednn":  # is given the reciprocal, in float32, and inverts it
        scale = (1 / torch.tensor(1 / scale, dtype=torch.float32)).item()
    return QParams(scale, zero_point, *quant_range(dtype), dtype)


def _sums(codes: Codes, zero_point: int, weight: QTensor) -> Sums:
    """Return the sums of the products, without the zero points."""
    if codes.dtype == torch.int8:
        codes, zero_point = unsigned(codes), zero_point + 128
    return accumulate(codes, zero_point, weight.values, weight.qparams.zero_point)


def _rounding(engine: Engine) -> Rounding:
    """Return how the engine rounds activations to codes."""
    if engine == "qnnpack":
        return qnnpack_rounding()
    return "add" if engine == "onednn" else fbgemm_rounding()


def _fbgemm(total: Sums, x_scale: Scale, weight_scale: Scales, bias: Bias) -> Real:
    """One multiplier, and one rounding for multiplying and adding together."""
    sums, multiplier = total.to(torch.float32), x_scale * weight_scale
    return sums * multiplier if bias is None else fma(sums, multiplier, bias)


def _qnnpack(total: Sums, x_scale: Scale, weight_scale: Scales, bias: Bias) -> Real:
    """One multiplier, and a rounding each for multiplying and adding."""
    product = total.to(torch.float32) * (x_scale * weight_scale)
    return product if bias is None else product + bias


def _onednn(total: Sums, x_scale: Scale, weight_scale: Scales, bias: Bias, *, joined: bool) -> Real:
    """Two multipliers, and a rounding at every step; the weight's is inverted twice, too."""
    product = scaled(total, x_scale, _inverted_twice(weight_scale), joined=joined)
    return product if bias is None else product + bias


def _inverted_twice(scale: Scales) -> Scales:
    """Return the scale as oneDNN has it, which is given its reciprocal."""
    return 1 / (1 / scale)


def _scaling_back(
    engine: Engine, m: int, n: int, k: int
) -> Callable[[Sums, Scale, Scales, Bias], Real]:
    """Return what the engine makes of the sums in a layer of m × k by k × n."""
    if engine == "onednn":
        return partial(_onednn, joined=joins_scales(m, n, k))
    return _qnnpack if engine == "qnnpack" else _fbgemm
