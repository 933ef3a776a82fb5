"""Weights that come back as numbers: GPTQ in another order, AWQ's factors, clipped groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.groups import group_rows
from proofs.per_token import draw_rows
from proofs.proof import proof
from proofs.public import Large, public
from proofs.torchao_groups import torchaos_groups
from proofs.weights_from_inputs import SMALL, damped, gram, layer, with_inputs
from qlearn import by_activation, clipped_groups, scaled_groups
from qlearn.formats.groups import group_codes, group_qparams

CHAPTER = "language/weights_to_the_bit"
SMALLEST = torch.finfo(torch.float32).smallest_normal


@proof(
    "by_activation",
    "Hassibi and Stork's step for the loudest column left, with torch.linalg.inv of what is left",
    quick=40,
)
def loudest_first(draw: Draw) -> tuple[Any, Any]:
    """Compare the numbers: no column changes its place; groups and whole rows, 1 to 8 bits."""
    weight, inputs, size = layer(draw)
    bits, damp = draw.integer(1, 8), draw.choice([0.01, 0.1, 1.0])
    size = draw.choice([size, weight.shape[1]])
    ours = by_activation(weight, inputs, bits=bits, group_size=size, damp=damp)
    loudness = gram(inputs).diagonal().tolist()
    hessian = damped(gram(inputs), damp)
    left, rest, numbers = list(range(len(hessian))), weight.double(), torch.empty_like(weight)
    order = sorted(left, key=lambda i: -loudness[i])
    for place, i in enumerate(order):
        if place % size == 0:
            ends = rest[:, order[place : place + size]].float().aminmax(dim=1, keepdim=True)
            scale, zero = group_qparams(*ends, bits=bits, symmetric=True)
        inverse, here = torch.linalg.inv(hessian[left][:, left]), left.index(i)
        number = group_codes(rest[:, i : i + 1].float(), scale, zero, bits=bits) * scale
        rest[:, left] -= (rest[:, i : i + 1] - number) / inverse[here, here] * inverse[here]
        numbers[:, i : i + 1] = number
        left.remove(i)
    return ours, numbers


@proof(
    "scaled_groups",
    "torchao's IntxUnpackedToInt8Tensor of the multiplied weight, divided again",
    package="torchao",
)
def divided_again(draw: Draw) -> tuple[Any, Any]:
    """Compare the numbers: 1 to 8 bits, factors of three decades."""
    groups, size, bits = draw.integer(1, 4), draw.integer(2, 40), draw.integer(1, 8)
    weight = draw_rows(draw, draw.integer(1, 6) * groups, size).reshape(-1, groups * size)
    factors = torch.tensor([draw.scale(3) for _ in range(groups * size)])
    theirs = torchaos_groups(weight * factors, bits, size, True).dequantize() / factors
    return scaled_groups(weight, factors, bits=bits, group_size=size), theirs


def squared_errors(
    groups: Tensor, share: float, bits: int, block: tuple[int, ...]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return codes, scales and squared errors of groups that are clipped, by torchao."""
    from torchao.quantization import choose_qparams_affine_with_min_max

    from proofs.torchao_quietly import torchao

    codes_end = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    ends = (torch.tensor(share) * end for end in torch.aminmax(groups, dim=-1))
    scale, zero = choose_qparams_affine_with_min_max(
        *ends,
        torchao.MappingType.SYMMETRIC,
        block,
        torch.int8,
        *codes_end,
        eps=SMALLEST,
        zero_point_dtype=torch.int8,
    )
    codes = torchao.quantize_affine(groups, block, scale, zero, torch.int8, *codes_end)
    back = torchao.dequantize_affine(codes, block, scale, zero, torch.int8, *codes_end)
    return codes, scale, (back - groups).square().sum(-1)


@proof(
    "clipped_groups",
    "torchao's choose_qparams_affine_with_min_max, quantize_affine and dequantize_affine for each "
    "share, and numpy.argmin",
    quick=20,
    package="torchao",
)
def best_of_thirteen(draw: Draw) -> tuple[Any, Any]:
    """Compare codes and scales: 2 to 8 bits, groups with and without outliers."""
    rows, count, size = draw.integer(1, 5), draw.integer(1, 4), draw.integer(2, 40)
    weight = draw_rows(draw, rows * count, size).reshape(rows, count * size)
    weight[:, :: draw.integer(2, 40)] *= draw.choice([1.0, 3.0, 30.0])
    bits = draw.integer(2, 8)
    ours = clipped_groups(weight, bits=bits, group_size=size)
    groups = torch.stack(weight.split(size, 1), 1)
    tried = [squared_errors(groups, (20 - i) / 20, bits, (1, 1, size)) for i in range(13)]
    # The first of equals; where no error is finite, the first of all.
    best = torch.from_numpy(np.argmin(np.stack([errors.numpy() for *_, errors in tried]), 0))
    codes, scales = (torch.stack(parts) for parts in list(zip(*tried, strict=True))[:2])
    scales = scales.reshape(13, rows, count)
    wanted = codes.take_along_dim(best[None, :, :, None], 0)[0].reshape(rows, -1)
    return (ours.codes, ours.scales), (wanted, scales.take_along_dim(best[None], 0)[0])


public(
    "by_activation",
    CHAPTER,
    {**SMALL, "damp": 0.01},
    Large("a scale for each row", with_inputs, by_activation, between=2),
)
public(
    "scaled_groups",
    "language/weights",
    {
        "weight": SMALL["weight"],
        "scales": torch.tensor([1.0, 2.0, 0.5, 1.0]),
        "bits": 4,
        "group_size": 2,
    },
    Large("groups of 20", group_rows, lambda w: scaled_groups(w, torch.ones(100), group_size=20)),
)
public(
    "clipped_groups",
    CHAPTER,
    {"weight": SMALL["weight"], "bits": 4, "group_size": 2},
    Large("groups of 20", group_rows, lambda w: clipped_groups(w, group_size=20)),
)
