"""The static linear layer: codes in, codes out, and no float32 tensor between layers."""

from __future__ import annotations

import math

from jaxtyping import Float32, Int32, UInt8
from torch import Tensor

from qlearn.checks.layers import Engine, check_last_dimension, check_layer, check_static
from qlearn.integers import arm_compute
from qlearn.integers.matmul import accumulate, in_blocks
from qlearn.integers.requantization import full_range, requantize
from qlearn.machine import Variant, linear_variant
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor


def linear_static(
    x: QTensor,
    weight: QTensor,
    bias: Float32[Tensor, " n"] | None,
    output: QParams,
    *,
    relu: bool = False,
    engine: Engine = "fbgemm",
) -> QTensor:
    """Return the codes of ``x @ weight.T + bias`` in steps of ``output.scale``.

    ``Σ (q_x − z_x)·(q_w − z_w)`` is summed in int32, exactly but for the wrapping around that
    :func:`linear_dynamic` tells of, and requantized by the roundings
    of the engine: see :mod:`qlearn.integers.requantization`.

    Args:
        x: uint8 codes of shape (..., k), with one scale.
        weight: int8 codes of shape (n, k), with one scale, or one for each row (axis 0).
        bias: float32, one number for each output; None for no bias.
        output: one scale and one zero point for the result.
        relu: make no code smaller than the output's zero point.
        engine: whose roundings to follow; x86 computes linear layers by fbgemm.

    Returns:
        Codes of shape (..., n). Kernels clamp to 0 … 255, also where ``output`` is narrower, as
        reduce_range leaves it; so the result's qparams are those of ``output`` with that range.

    Raises:
        TypeError: x or weight is not a QTensor of those codes; bias is not float32; the output's
            dtype is not uint8.
        ValueError: unknown engine; shapes that do not match; a scale per channel for x or the
            output; NaN in the bias; more than 65,793 inputs, from where on a sum may not fit
            int32; a weight's zero point other than 0 with onednn; on ARM, with onednn and a weight
            with one scale, an output scale of ``x_scale · weight_scale`` or less.

    Source: ``torch.ops.quantized.linear`` and ``linear_relu``, in every bit on a processor
    whose kernels do not saturate, or with codes of x up to 127. onednn's roundings depend on
    the processor and the version of torch, and are those at hand: see
    :mod:`qlearn.machine.variants` and :mod:`qlearn.integers.arm_compute`.

    >>> import torch
    >>> x = QTensor(torch.tensor([[3, 5]], dtype=torch.uint8),
    ...             QParams(0.5, 1, 0, 255, torch.uint8))
    >>> weight = QTensor(torch.tensor([[10, 20]], dtype=torch.int8),
    ...                  QParams(0.1, 0, -128, 127, torch.int8))
    >>> linear_static(x, weight, None, QParams(0.25, 4, 0, 255, torch.uint8)).values
    tensor([[24]], dtype=torch.uint8)
    """
    check_layer(weight, bias, engine)
    check_static(x, output, relu)
    check_last_dimension(x.values, weight)
    *batch, k = x.values.shape
    outputs = weight.values.shape[0]
    zero_point, variant = int(x.qparams.zero_point), None
    if engine == "onednn":
        variant = linear_variant(math.prod(batch), outputs, k, x_zero_point=zero_point)

    def codes_of(rows: UInt8[Tensor, "m k"]) -> UInt8[Tensor, "m n"]:
        total = accumulate(rows, zero_point, weight.values, weight.qparams.zero_point)
        return _requantized(total, x.qparams.scale, weight, bias, output, relu, engine, variant)

    rows = x.values.reshape(math.prod(batch), k)
    codes = in_blocks(codes_of, rows, longest=max(k, outputs))
    return QTensor(codes.reshape(*batch, outputs), full_range(output))


def _requantized(
    total: Int32[Tensor, "m n"],
    x_scale: Float32[Tensor, ""],
    weight: QTensor,
    bias: Float32[Tensor, " n"] | None,
    output: QParams,
    relu: bool,
    engine: Engine,
    variant: Variant | None,
) -> UInt8[Tensor, "m n"]:
    """Return the codes of the sums, by the roundings of the engine's linear layers."""
    weight_scale = weight.qparams.scale
    if arm_compute.computes(engine, weight):
        return arm_compute.requantize(total, x_scale, weight_scale, bias, output, relu=relu)
    if engine == "onednn":
        weight_scale = 1 / (1 / weight_scale)  # as for x; its convolutions do not
    return requantize(
        total, x_scale, weight_scale, bias, output, relu=relu, engine=engine, variant=variant
    )
