"""torchao's rules, and the linear layer that they serve, against torchao."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.inputs import BIAS, MATRIX, X, activations, ranges
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import (
    QParams,
    QTensor,
    linear_per_token,
    quant_range,
    quantize,
    token_qparams,
    torchao_qparams,
)
from qlearn.numbers.rules.torchao import Mapping

EPS = torch.finfo(torch.float32).eps  # the smallest scale of Int8Tensor
MAPPINGS: tuple[Mapping, ...] = get_args(Mapping)


@cache
def _torchao() -> Any:
    """Return torchao's quantization, which the package qlearn and its proofs do without."""
    from proofs.torchao_quietly import torchao

    return torchao


def _int8_options(reduced: bool) -> Any:
    """Return how torchao is to quantize the input: each row, to eight bits or to seven."""
    rows = _torchao().PerRow()
    from torchao.quantization.quantize_.workflows.int8 import int8_tensor

    return int8_tensor.QuantizeTensorToInt8Kwargs(granularity=rows, reduce_range=reduced)


@cache
def int_mm_saturates() -> bool:
    """Say whether torch's product of int8 matrices saturates here."""
    codes = torch.full((1, 64), 127, dtype=torch.int8)
    return bool(torch._int_mm(codes, codes.t()).item() != 64 * 127 * 127)


def draw_rows(draw: Draw, m: int, k: int) -> Tensor:
    """Return rows of numbers of many sizes: one-sided, constant and zero ones among them."""
    sizes = torch.tensor([draw.power_of_ten(-9, 9) for _ in range(m)])
    x = draw.normal(m, k) * sizes[:, None]
    for row in x:
        kind = draw.integer(0, 19)
        if kind < 4:
            row.abs_()
        elif kind < 8:
            row.abs_().neg_()
        elif kind == 8:
            row.zero_()
        elif kind == 9:
            row.fill_(row[0].item())
    return x


# Of rows of one number torchao 0.18 reduces no dimension, for which torch.amin takes all: one scale
# for the whole tensor. The proofs' rows have two numbers or more.
@proof("torchao_qparams", "torchao's choose_qparams_affine, quantize_affine", package="torchao")
def chosen_and_quantized(draw: Draw) -> tuple[Any, Any]:
    """Compare scales, zero points and codes of two to eight bits."""
    low, high = quant_range(torch.int8, bits=draw.integer(2, 8))
    x = draw_rows(draw, draw.integer(1, 9), draw.integer(2, 9))
    mapping = draw.choice(MAPPINGS)
    ours = torchao_qparams(
        x.amin(1), x.amax(1), mapping=mapping, quant_min=low, quant_max=high, axis=0
    )
    rule, block = _torchao().MappingType[mapping.upper()], (1, x.shape[1])
    scale, zero_point = _torchao().choose_qparams_affine(
        x, rule, block, torch.int8, quant_min=low, quant_max=high, eps=EPS
    )
    codes = _torchao().quantize_affine(x, block, scale, zero_point, torch.int8, low, high)
    return (ours.scale, ours.zero_point, quantize(x, ours)), (scale, zero_point.int(), codes)


@proof("token_qparams", "torchao's Int8Tensor.from_hp, a scale for each row", package="torchao")
def a_scale_for_each_row(draw: Draw) -> tuple[Any, Any]:
    """Compare both mappings that Int8Tensor has, with eight bits and with seven."""
    x = draw_rows(draw, draw.integer(1, 20), draw.integer(2, 40))
    mapping: Mapping = draw.choice(["symmetric", "asymmetric"])
    reduced = draw.chance(0.5)
    theirs = _torchao().Int8Tensor.from_hp(
        x,
        granularity=_torchao().PerRow(),
        mapping_type=_torchao().MappingType[mapping.upper()],
        reduce_range=reduced,
    )
    ours = token_qparams(x, mapping=mapping, reduce_range=reduced)
    return (
        (ours.scale, ours.zero_point, quantize(x, ours)),
        (theirs.scale.flatten(), theirs.zero_point.flatten().int(), theirs.qdata),
    )


def draw_layer(draw: Draw, *, reduced: bool) -> tuple[Tensor, QTensor, Tensor | None]:
    """Return rows, a weight with a scale for each output, and a bias or none."""
    m, k, n = draw.integer(1, 70), draw.integer(2, 70), draw.integer(1, 70)
    low, high = quant_range(torch.int8, reduce_range=reduced)
    codes = draw.codes((n, k), torch.int8, low, high)
    scales = torch.tensor([draw.scale(3) for _ in range(n)])
    qparams = QParams(scales, torch.zeros(n, dtype=torch.int32), low, high, torch.int8, axis=0)
    return (
        draw_rows(draw, m, k),
        QTensor(codes, qparams),
        draw.normal(n) if draw.chance(0.6) else None,
    )


@proof("linear_per_token", "torchao's Int8Tensor under F.linear", package="torchao")
def whole_layer(draw: Draw) -> tuple[Any, Any]:
    """Compare every output, with eight bits and with seven."""
    reduced = draw.chance(0.5)
    x, weight, bias = draw_layer(draw, reduced=reduced)
    theirs = _torchao().Int8Tensor(
        weight.values,
        weight.qparams.scale[:, None],
        [1, weight.values.shape[1]],
        torch.float32,
        act_quant_kwargs=_int8_options(reduced),
        reduce_range=reduced,
    )
    ours = linear_per_token(
        x, weight, bias, reduce_range=reduced, saturate=int_mm_saturates() and not reduced
    )
    return ours, torch.nn.functional.linear(x, theirs, bias)


public(
    "torchao_qparams",
    "today/torchao_and_pt2e_to_the_bit",
    {
        "min_val": -1.0,
        "max_val": 2.0,
        "mapping": "symmetric_no_clipping_err",
        "quant_min": -8,
        "quant_max": 7,
        "axis": None,
    },
    Large("many channels", ranges, lambda *ends: torchao_qparams(*ends, axis=0)),
)
public(
    "token_qparams",
    "today/torchao_and_pt2e_to_the_bit",
    {"x": X, "mapping": "asymmetric", "reduce_range": True},
    Large("", activations, token_qparams),
)
public(
    "linear_per_token",
    "today/torchao_and_pt2e_to_the_bit",
    {
        "x": X,
        "weight": QTensor(
            torch.ones(2, 3, dtype=torch.int8), QParams(0.1, 0, -128, 127, torch.int8)
        ),
        "bias": torch.ones(2),
        "reduce_range": True,
        "saturate": True,
    },
    Large("", activations, lambda x: linear_per_token(x, MATRIX, BIAS)),
)
