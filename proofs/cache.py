"""Quantized caches against torchao's operators, which take blocks of any shape."""

from __future__ import annotations

from typing import Any, get_args

import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.inputs import values
from proofs.per_token import draw_rows
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import quantize_cache
from qlearn.language.cache import Axis

AXES: tuple[Axis, ...] = get_args(Axis)
SMALLEST = torch.finfo(torch.float32).smallest_normal


def draw_cache(draw: Draw) -> Tensor:
    """Return keys of a few heads, in which some channels are louder than others."""
    batch, heads = draw.integer(1, 2), draw.integer(1, 3)
    tokens, channels = draw.integer(2, 12), draw.integer(2, 12)
    rows = draw_rows(draw, batch * heads * tokens, channels)
    loud = torch.tensor([draw.power_of_ten(-2, 2) for _ in range(channels)])
    return (rows * loud).view(batch, heads, tokens, channels)


@proof(
    "quantize_cache",
    "torchao's choose_qparams_affine, quantize_affine and dequantize_affine",
    package="torchao",
)
def codes_scales_and_meaning(draw: Draw) -> tuple[Any, Any]:
    """Compare codes, scales and what comes back: 2 to 8 bits, both axes."""
    from proofs.torchao_quietly import torchao

    x, bits, axis = draw_cache(draw), draw.integer(2, 8), draw.choice(AXES)
    ours = quantize_cache(x, bits=bits, axis=axis)
    block = (1, 1, x.shape[2], 1) if axis == "channel" else (1, 1, 1, x.shape[3])
    ends = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    rule = torchao.MappingType.SYMMETRIC
    scale, zero = torchao.choose_qparams_affine(
        x, rule, block, torch.int8, *ends, eps=SMALLEST, zero_point_dtype=torch.int8
    )
    codes = torchao.quantize_affine(x, block, scale, zero, torch.int8, *ends)
    back = torchao.dequantize_affine(codes, block, scale, zero, torch.int8, *ends)
    return (
        (ours.codes, ours.scales.flatten(), ours.dequantize()),
        (codes, scale.flatten(), back),
    )


def heads(n: int) -> tuple[Tensor]:
    """Return n numbers as a cache of heads with 100 channels."""
    return (values(n)[0].reshape(1, -1, 10, 100),)


public(
    "quantize_cache",
    "language/cache",
    {"x": torch.arange(24.0).reshape(2, 4, 3), "bits": 4, "axis": "channel"},
    Large("a scale for each channel", heads, lambda x: quantize_cache(x, bits=4, axis="channel")),
    Large("a scale for each token", heads, lambda x: quantize_cache(x, bits=4, axis="token")),
)
