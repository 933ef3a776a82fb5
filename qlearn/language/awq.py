"""AWQ: weights that meet large inputs are multiplied before they are rounded, so they lose less."""

from __future__ import annotations

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_float32
from qlearn.checks.finite import check_finite
from qlearn.checks.layer_inputs import check_rows, check_weight
from qlearn.formats.groups import quantize_groups

# How many exponents are tried, from 0 on: 0, 0.05, …, 0.95.
TRIALS = 20


def awq_scales(
    weight: Float32[Tensor, "n k"],
    inputs: Float32[Tensor, "*rows k"],
    *,
    bits: int = 4,
    group_size: int = 32,
) -> Float32[Tensor, " k"]:
    """Return a factor for each input channel: quantize ``weight · s``, and divide the inputs by s.

    With a the mean ``|x|`` of a channel, the candidates are ``s = max(a^(i/20), 1e-4)`` for
    i = 0 … 19, each divided by ``√(max s · min s)``. The one is returned with which the squared
    error of the outputs is least on these inputs; i = 0 is no factor at all, so the result is never
    worse there than rounding to nearest. Of equals the first is taken.

    Args:
        weight: of a linear layer, (outputs, inputs).
        inputs: what reaches the layer, a row for each token.
        bits: of the codes, 1 to 8.
        group_size: neighbours in a row that share a scale, as in :func:`quantize_groups`.

    Raises:
        TypeError: weight or inputs are not float32, or bits or the group size are no integers.
        ValueError: infinities or NaN; shapes that do not fit; bits outside 1 … 8; a group size that
            does not divide the inputs.

    Source: Lin et al., arXiv 2306.00978; ``AWQObserver`` of torchao with ``IntxWeightOnlyConfig``,
    bit for bit.

    >>> weight = torch.tensor([[1.4, 7.5, 0.0, 0.0]])
    >>> loud = torch.tensor([[9.0, 0.1, 0.1, 0.1]])
    >>> awq_scales(weight, loud, group_size=4)[0] > 1
    tensor(True)
    """
    check_weight(weight)
    check_rows(inputs, "inputs", weight)
    weight, rows = weight.detach(), inputs.detach().reshape(-1, inputs.shape[-1])
    size = rows.abs().mean(0)
    check_finite(
        size,
        name="mean |inputs|",
        because="float32 ends there: divide the inputs by a power of two",
    )
    exact = rows @ weight.T
    best, least = torch.ones_like(size), torch.inf
    for i in range(TRIALS):
        scales = size.pow(i / TRIALS).clamp_min(1e-4)
        scales = scales / (scales.max() * scales.min()).sqrt()
        product = weight * scales
        check_finite(
            product,
            name="weight · scales",
            because="float32 ends there: divide the weight by a power of two",
        )
        rounded = quantize_groups(product, bits=bits, group_size=group_size).dequantize()
        error = (exact - (rows / scales) @ rounded.T).square().mean().item()
        if error < least:
            best, least = scales, error
    return best


def scaled_groups(
    weight: Float32[Tensor, "n k"],
    scales: Float32[Tensor, " k"],
    *,
    bits: int = 4,
    group_size: int = 32,
) -> Float32[Tensor, "n k"]:
    """Return a weight that is multiplied, quantized in groups, and divided again.

    ``dequantize(quantize_groups(f(weight · s))) / s``, with a factor s for each input channel; f
    rounds to float32. A library leaves the weight multiplied and divides the inputs: up to rounding
    the same outputs.

    Args:
        weight: of a linear layer, (outputs, inputs).
        scales: a factor for each input, as :func:`awq_scales` returns them.
        bits: of the codes, 1 to 8.
        group_size: neighbours in a row that share a scale, as in :func:`quantize_groups`.

    Raises:
        TypeError: weight or scales are not float32, or bits or the group size are no integers.
        ValueError: infinities or NaN; scales that are not above 0, or another number of them; bits
            outside 1 … 8; a group size that does not divide the inputs.

    Source: Lin et al., arXiv 2306.00978; torchao's ``IntxWeightOnlyConfig`` on the multiplied
    weight, bit for bit.

    >>> weight = torch.tensor([[1.4, 7.5, 0.0, 0.0]])
    >>> scaled_groups(weight, torch.tensor([5.0, 1.0, 1.0, 1.0]), group_size=4)
    tensor([[1.4000, 7.0000, 0.0000, 0.0000]])
    """
    check_weight(weight)
    check_float32(scales, "scales")
    if scales.shape != weight.shape[1:]:
        raise ValueError(
            f"scales have shape {tuple(scales.shape)} and the weight {weight.shape[1]} inputs: "
            "pass one factor for each"
        )
    if not ((scales > 0) & scales.isfinite()).all():
        raise ValueError(
            "scales hold numbers that are infinite, NaN, or not above 0: the weight is divided by "
            "them again, so pass positive ones, as awq_scales returns them"
        )
    product = weight.detach() * scales.detach()
    check_finite(
        product,
        name="weight · scales",
        because="float32 ends there: divide the scales by their mean",
    )
    rounded = quantize_groups(product, bits=bits, group_size=group_size)
    return rounded.dequantize() / scales.detach()
