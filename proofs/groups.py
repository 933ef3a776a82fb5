"""Codes in groups against torchao, and their meaning against onnxruntime."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.inputs import values
from proofs.onnx_blocks import dequantized_by_onnxruntime
from proofs.per_token import draw_rows
from proofs.proof import proof
from proofs.public import Large, public
from proofs.torchao_groups import torchaos_groups
from qlearn import GroupedTensor, pack, quantize_groups

GROUPED = quantize_groups(torch.arange(12.0).reshape(2, 6), group_size=3)


def group_rows(n: int) -> tuple[Tensor]:
    """Return n numbers in rows that groups of 20 divide."""
    return (values(n)[0].reshape(-1, 100),)


# Of groups of one number torchao 0.18 reduces no dimension: see per_token.
@proof(
    "quantize_groups",
    "torchao's IntxUnpackedToInt8Tensor, which IntxWeightOnlyConfig makes",
    package="torchao",
)
def codes_and_meaning(draw: Draw) -> tuple[Any, Any]:
    """Compare codes, scales, zero points and numbers: all bits, three dtypes, both axes."""
    groups, size = draw.integer(1, 4), draw.integer(2, 40)
    dtype = draw.choice([torch.float32, torch.float32, torch.bfloat16, torch.float16])
    x = draw_rows(draw, draw.integer(1, 6) * groups, size).reshape(-1, groups * size)
    if dtype == torch.float16:
        x = x.clamp(-1e4, 1e4)  # farther out the end codes mean infinity
    x = (x + x[0, 0] if draw.chance(0.5) else x).to(dtype)
    bits, symmetric, axis = draw.integer(1, 8), draw.chance(0.5), draw.choice([-1, 0])
    x = x if axis == -1 else x.T
    ours = quantize_groups(x, bits=bits, group_size=size, symmetric=symmetric, axis=axis)
    theirs = torchaos_groups(x, bits, size, symmetric, axis)
    return (
        (ours.codes, ours.scales, ours.zero_points, ours.dequantize()),
        (theirs.qdata, theirs.scale, theirs.zero_point, theirs.dequantize()),
    )


@proof("GroupedTensor", "onnxruntime's DequantizeLinear of int4 in blocks", package="onnxruntime")
def meaning_of_int4(draw: Draw) -> tuple[Any, Any]:
    """Compare random codes, scales and zero points, in blocks along the last axis."""
    rows, groups, size = draw.integer(1, 4), draw.integer(1, 4), 16
    codes = draw.codes((rows, groups * size), torch.int8, -8, 7)
    scales = draw.normal(rows, groups).abs() * draw.scale() + 1e-6
    zero_points = draw.codes((rows, groups), torch.int8, -8, 7)
    ours = GroupedTensor(codes, scales, zero_points, 4, size, symmetric=False)
    padded = torch.nn.functional.pad((zero_points & 15).flatten(), (0, rows * groups % 2))
    packed = [pack(part, 4, order="onnx") for part in ((codes & 15).flatten(), padded)]
    return ours.dequantize(), dequantized_by_onnxruntime(packed[0], scales, packed[1], codes.shape)


public(
    "quantize_groups",
    "formats/four_bits",
    {
        "x": torch.arange(12.0).reshape(2, 6),
        "bits": 3,
        "group_size": 2,
        "symmetric": False,
        "axis": 0,
    },
    Large("symmetric", group_rows, lambda x: quantize_groups(x, group_size=20).codes),
    Large(
        "asymmetric",
        group_rows,
        lambda x: quantize_groups(x, group_size=20, symmetric=False).codes,
    ),
)
public(
    "GroupedTensor",
    "formats/four_bits",
    {
        "codes": GROUPED.codes,
        "scales": GROUPED.scales,
        "zero_points": GROUPED.zero_points,
        "bits": 4,
        "group_size": 3,
        "symmetric": True,
        "axis": 1,
    },
    Large(
        "dequantize",
        lambda n: (quantize_groups(*group_rows(n), group_size=20),),
        lambda grouped: grouped.dequantize(),
    ),
)
