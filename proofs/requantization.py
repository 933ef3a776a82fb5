"""Requantization against torch's layers: exact sums in, the codes of the kernel out."""

from __future__ import annotations

from typing import Any, get_args

import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.draw_layers import Layer, draw_layer, draw_linear_shapes, highest_code
from proofs.inputs import BIAS, MATRIX, UINT8, sums
from proofs.proof import proof
from proofs.public import Large, public
from proofs.torch_engine import to_torch, torch_engine
from qlearn import QParams, QTensor, requantize
from qlearn.checks.layers import Engine
from qlearn.machine import linear_variant


def exact_sums(x: QTensor, weight: QTensor) -> Tensor:
    """Return ``Σ (q_x − z_x)·(q_w − z_w)`` as int32, by integers alone."""
    zero_point = weight.qparams.zero_point.reshape(-1, 1)
    rows = x.values.reshape(-1, x.values.shape[-1]).long() - x.qparams.zero_point
    return (rows @ (weight.values.long() - zero_point).T).to(torch.int32)


def with_a_scale_for_each_output(weight: QTensor) -> QTensor:
    """Return the same weight with its one scale repeated.

    oneDNN's layers on ARM follow another rule where there is one scale alone.
    """
    qparams = weight.qparams
    if qparams.axis is not None:
        return weight
    n = weight.values.shape[0]
    scale, zero_point = qparams.scale.expand(n), qparams.zero_point.expand(n)
    return QTensor(weight.values, QParams(scale, zero_point, -128, 127, torch.int8, axis=0))


def _torchs(layer: Layer) -> Tensor:
    operator = torch.ops.quantized.linear_relu if layer.relu else torch.ops.quantized.linear
    packed = torch.ops.quantized.linear_prepack(to_torch(layer.weight), layer.bias)
    scale, zero_point = layer.output.scale.item(), int(layer.output.zero_point)
    codes = operator(to_torch(layer.x), packed, scale, zero_point).int_repr()
    return codes.reshape(-1, codes.shape[-1])


def _prove(engine: Engine) -> None:
    @proof("requantize", f"what torch.ops.quantized.linear makes of its sums, engine {engine}")
    def on_engine(draw: Draw) -> tuple[Any, Any]:
        onednn = engine == "onednn"
        shapes = draw_linear_shapes(draw)
        layer = draw_layer(draw, *shapes, highest=highest_code(draw, engine), symmetric=onednn)
        if onednn:
            layer = layer._replace(weight=with_a_scale_for_each_output(layer.weight))
        with torch_engine(engine):
            theirs = _torchs(layer)
        x, weight, bias, output, relu = layer
        weight_scale = weight.qparams.scale
        if onednn:
            weight_scale = 1 / (1 / weight_scale)  # the linear layers invert it twice
        total = exact_sums(x, weight)
        (m, n), k = total.shape, weight.values.shape[1]
        zero_point = int(x.qparams.zero_point)
        variant = linear_variant(m, n, k, x_zero_point=zero_point) if onednn else None
        scales = x.qparams.scale, weight_scale
        ours = requantize(total, *scales, bias, output, relu=relu, engine=engine, variant=variant)
        return ours, theirs


for name in get_args(Engine):
    _prove(name)


public(
    "requantize",
    "integers/requantization",
    {
        "total": torch.tensor([[1000, -1000], [0, 7]], dtype=torch.int32),
        "x_scale": torch.tensor(0.1),
        "weight_scale": torch.tensor([0.2, 0.3]),
        "bias": torch.ones(2),
        "output": QParams(0.25, 100, 0, 255, torch.uint8),
        "relu": True,
        "engine": "onednn",
        "variant": "divided",
    },
    Large(
        "fbgemm",
        sums,
        lambda total: requantize(
            total,
            torch.tensor(0.1),
            MATRIX.qparams.scale,
            BIAS,
            UINT8,
            relu=False,
            engine="fbgemm",
        ),
    ),
)
