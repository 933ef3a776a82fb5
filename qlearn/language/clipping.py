"""Scales chosen by what they do to the weights alone: large ones are cut off where that helps."""

from __future__ import annotations

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_integer
from qlearn.checks.blocks import check_divides
from qlearn.checks.layer_inputs import check_weight
from qlearn.formats.blocks import in_blocks
from qlearn.formats.groups import GroupedTensor, group_codes, group_qparams

SHARES = [1 - i / 20 for i in range(13)]  # of the largest number: 1, 0.95, …, 0.4


def clipped_groups(
    weight: Float32[Tensor, "n k"], *, bits: int = 4, group_size: int = 32
) -> GroupedTensor:
    """Return codes in groups, each with that of thirteen scales that has the least squared error.

    The scales of a group are those that :func:`quantize_groups` would choose if its ends were
    ``share · low`` and ``share · high``, for the shares 1, 0.95, …, 0.4; the codes are the nearest.
    The first scale is that of ``quantize_groups``; the others are smaller and clip the largest
    numbers of the group. What is compared is ``Σ (code · scale − w)²`` over the group, in float32;
    of equals the largest scale is taken. No inputs are needed.

    Args:
        weight: of a linear layer, (outputs, inputs), the groups along the inputs.
        bits: 1 to 8.
        group_size: neighbours in a row that share a scale; must divide the inputs.

    Raises:
        TypeError: the weight is not float32, or bits or the group size are no integers.
        ValueError: infinities or NaN; another shape; bits outside 1 … 8; a group size that does
            not divide; a group so wide that its end codes would mean more than float32 can hold.

    Source: the search of ``Quantizer(mse=True)`` in the program of GPTQ, Frantar et al., arXiv
    2210.17323, which tries 80 shares and adds up ``|error|^2.4``.

    >>> row = torch.tensor([[0.4, -0.3, 0.4, 1.0]])
    >>> clipped_groups(row, bits=2, group_size=4).dequantize()
    tensor([[ 0.5333, -0.5333,  0.5333,  0.5333]])
    """
    check_weight(weight)
    check_integer(bits, "bits", 1, 8)
    check_divides(group_size, weight, "group_size")
    groups = in_blocks(weight.detach(), group_size)
    low, high = groups.aminmax(dim=-1, keepdim=True)
    best, zero = group_qparams(low, high, bits=bits, symmetric=True)
    least = torch.full_like(best, torch.inf)
    for share in SHARES:
        scales, _ = group_qparams(share * low, share * high, bits=bits, symmetric=True)
        error = (group_codes(groups, scales, zero, bits=bits) * scales - groups).square()
        error = error.sum(-1, keepdim=True)
        best, least = torch.where(error < least, scales, best), torch.minimum(error, least)
    codes = group_codes(groups, best, zero, bits=bits).flatten(-2)
    return GroupedTensor(codes, best.squeeze(-1), zero.squeeze(-1), bits, group_size)
