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
from proofs.torchao_groups import torchaos_groups
from qlearn import QuantizedCache, quantize_cache
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


def held_by_torchao(
    x: Tensor, axis: Axis, bits: int, group_size: int, symmetric: bool
) -> tuple[Tensor, int, int]:
    """Return what torchao's groups mean for all tokens, how many wait, and the bits of it all."""
    batch, heads, tokens, channels = x.shape
    of_group = 16 if symmetric else 32
    if axis == "token":
        rows = x.reshape(-1, channels)
        back = torchaos_groups(rows, bits, channels, symmetric).dequantize().view_as(x)
        return back, 0, x.numel() * bits + len(rows) * of_group
    groups = tokens // group_size
    full, waiting = groups * group_size, tokens % group_size
    stored = batch * heads * channels * (full * bits + groups * of_group + waiting * 16)
    if not groups:
        return x, waiting, stored
    rows = x[:, :, :full].transpose(2, 3).reshape(-1, full)
    back = torchaos_groups(rows, bits, group_size, symmetric).dequantize()
    back = back.view(batch, heads, channels, full).transpose(2, 3)
    return torch.cat([back, x[:, :, full:]], 2), waiting, stored


@proof(
    "QuantizedCache",
    "torchao's IntxUnpackedToInt8Tensor of all tokens at once, and the floats of those that wait",
    quick=40,
    package="torchao",
)
def held_as_tokens_come(draw: Draw) -> tuple[Any, Any]:
    """Compare what is held, how many wait and the bytes: tokens one by one, some, or all."""
    keys, bits, group_size = draw_cache(draw), draw.integer(1, 8), draw.integer(2, 7)
    batch, heads, tokens, _ = keys.shape
    values = draw_rows(draw, batch * heads * tokens, draw.integer(2, 12))
    values = values.view(batch, heads, tokens, -1)
    axes, symmetric = (draw.choice(AXES), draw.choice(AXES)), draw.chance(0.5)
    cache = QuantizedCache(
        bits=bits, group_size=group_size, keys=axes[0], values=axes[1], symmetric=symmetric
    )
    start = 0
    while start < tokens:
        end = start + draw.integer(1, tokens - start)
        found = cache.append(0, keys[:, :, start:end], values[:, :, start:end])
        start = end
    wanted = [
        held_by_torchao(x, axis, bits, group_size, symmetric)
        for x, axis in zip((keys, values), axes, strict=True)
    ]
    (of_keys, keys_wait, keys_bits), (of_values, values_wait, values_bits) = wanted
    ours = (*found, cache.tokens(0), *cache.waiting(0), cache.bytes)
    return ours, (of_keys, of_values, tokens, keys_wait, values_wait, (keys_bits + values_bits) / 8)


public(
    "QuantizedCache",
    "language/cache",
    {"bits": 4, "group_size": 32, "keys": "channel", "values": "token", "symmetric": True},
    Large(
        "groups of 10 tokens",
        lambda n: tuple(values(n)[0].reshape(2, 1, -1, 10, 50)),
        lambda keys, values: QuantizedCache(group_size=10).append(0, keys, values),
    ),
)
