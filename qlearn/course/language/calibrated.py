"""What AWQ and GPTQ make of a weight, as numbers that stand in the weight's own place."""

from __future__ import annotations

from jaxtyping import Float32
from torch import Tensor

from qlearn.formats.groups import quantize_groups
from qlearn.language.gptq import gptq


def scaled_groups(
    weight: Float32[Tensor, "n k"],
    scales: Float32[Tensor, " k"],
    *,
    bits: int = 4,
    group_size: int = 32,
) -> Float32[Tensor, "n k"]:
    """Return a weight that is multiplied, quantized in groups, and divided again.

    A library leaves the weight multiplied and divides the inputs: up to rounding the same outputs.
    """
    rounded = quantize_groups(weight * scales, bits=bits, group_size=group_size)
    return rounded.dequantize() / scales


def by_activation(
    weight: Float32[Tensor, "n k"],
    inputs: Float32[Tensor, "*rows k"],
    *,
    bits: int = 4,
    group_size: int | None = None,
) -> Float32[Tensor, "n k"]:
    """Return what GPTQ makes of a weight whose loudest columns come first, in the old order.

    With groups these are neighbours in the new order, as with ``desc_act`` in GPTQ's files.
    """
    rows = inputs.reshape(-1, inputs.shape[-1])
    order = rows.square().sum(0).argsort(descending=True)
    found = gptq(weight[:, order], rows[:, order], bits=bits, group_size=group_size)
    return found.dequantize()[:, order.argsort()]
