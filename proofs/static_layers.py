"""The static layers against torch's operators, engine by engine."""

from __future__ import annotations

from typing import Any, get_args

import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.draw_layers import (
    Layer,
    as_onednn_can,
    convolve,
    draw_conv_shapes,
    draw_layer,
    draw_linear_shapes,
    highest_code,
)
from proofs.inputs import (
    BIAS,
    BYTES,
    CODES,
    IMAGE,
    KERNEL,
    KERNELS,
    MATRIX,
    UINT8,
    WEIGHT,
    images,
    quantized,
)
from proofs.proof import proof
from proofs.public import Large, public
from proofs.torch_engine import to_torch, torch_engine
from qlearn import QTensor, conv2d_static, linear_static
from qlearn.checks.layers import Engine
from qlearn.machine import onednn_uses_arm_compute


def _torchs(operator: str, packed: Any, layer: Layer) -> tuple[Tensor, float, int]:
    call = getattr(torch.ops.quantized, operator + ("_relu" if layer.relu else ""))
    scale, zero_point = layer.output.scale.item(), int(layer.output.zero_point)
    result = call(to_torch(layer.x), packed, scale, zero_point)
    return result.int_repr().contiguous(), result.q_scale(), result.q_zero_point()


def _parts(ours: QTensor) -> tuple[Tensor, float, int]:
    return ours.values, ours.qparams.scale.item(), int(ours.qparams.zero_point)


def _linear_layer(draw: Draw, engine: Engine) -> Layer:
    x_shape, weight_shape = draw_linear_shapes(draw)
    highest = highest_code(draw, engine)
    return draw_layer(draw, x_shape, weight_shape, highest=highest, symmetric=engine == "onednn")


def _beyond_arm_compute(layer: Layer) -> bool:
    """Tell whether torch's layer would die on ARM, or multiply by any number.

    It keeps a bias of n numbers where there is room for as many as x has, and has no multiplier
    of 1 or more.
    """
    x, weight, bias, output, _ = layer
    if weight.qparams.axis is not None:
        return False
    room = x.values.numel()
    multiplier = x.qparams.scale.double() * weight.qparams.scale / output.scale
    return not room or (bias is not None and len(bias) > room) or bool(multiplier >= 0.9999999)


def _prove_linear(engine: Engine) -> None:
    @proof("linear_static", f"torch.ops.quantized.linear, engine {engine}")
    def on_engine(draw: Draw) -> tuple[Any, Any]:
        layer = _linear_layer(draw, engine)
        while engine == "onednn" and onednn_uses_arm_compute() and _beyond_arm_compute(layer):
            layer = _linear_layer(draw, engine)
        with torch_engine(engine):
            packed = torch.ops.quantized.linear_prepack(to_torch(layer.weight), layer.bias)
            theirs = _torchs("linear", packed, layer)
        x, weight, bias, output, relu = layer
        return _parts(linear_static(x, weight, bias, output, relu=relu, engine=engine)), theirs


def _prove_conv(engine: Engine) -> None:
    @proof("conv2d_static", f"torch.ops.quantized.conv2d, engine {engine}")
    def on_engine(draw: Draw) -> tuple[Any, Any]:
        onednn = engine in ("onednn", "x86")
        shapes = draw_conv_shapes(draw, onednn=onednn)
        # FBGEMM's depthwise kernels saturate with VNNI too.
        depthwise = engine in ("fbgemm", "x86") and shapes.kernels[1] == 1
        highest = 127 if depthwise else highest_code(draw, engine)
        layer = draw_layer(
            draw,
            shapes.image,
            shapes.kernels,
            highest=highest,
            symmetric=engine == "onednn",
        )
        if onednn:
            shapes = as_onednn_can(shapes)
        *_, stride, padding, dilation, groups = shapes
        with torch_engine(engine):
            packed = torch.ops.quantized.conv2d_prepack(
                to_torch(layer.weight), layer.bias, stride, padding, dilation, groups
            )
            theirs = _torchs("conv2d", packed, layer)
        return _parts(convolve(layer, shapes, engine)), theirs


for name in get_args(Engine):
    _prove_linear(name)
for name in get_args(Engine):  # a loop of its own: what changes in one does not outdate the other
    _prove_conv(name)


public(
    "linear_static",
    "integers/requantization",
    {
        "x": CODES,
        "weight": WEIGHT,
        "bias": torch.ones(2),
        "output": BYTES,
        "relu": True,
        "engine": "onednn",
    },
    Large("", quantized, lambda x: linear_static(x, MATRIX, BIAS, UINT8)),
)
public(
    "conv2d_static",
    "integers/requantization",
    {
        "x": IMAGE,
        "weight": KERNELS,
        "bias": torch.ones(2),
        "output": BYTES,
        "stride": 1,
        "padding": (1, 0),
        "dilation": 1,
        "groups": 1,
        "relu": True,
        "engine": "qnnpack",
    },
    Large("", images, lambda x: conv2d_static(x, KERNEL, None, UINT8, padding=1)),
)
