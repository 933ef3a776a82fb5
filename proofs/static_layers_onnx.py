"""The static layers against onnxruntime's, whose roundings are fbgemm's but for the bias."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.draw_layers import (
    Layer,
    convolve,
    draw_conv_shapes,
    draw_layer,
    draw_linear_shapes,
    highest_code,
)
from proofs.proof import proof
from qlearn import QParams, QTensor, linear_static


def _for_onnx(draw: Draw, layer: Layer) -> Layer:
    """Return the layer as ONNX has it too, with codes that do not depend on where a bias joins.

    There a bias is an integer, in steps of the sum: the same where all scales are powers of two.
    The multiplier is at most 1, for sums that overflow saturate in onnxruntime.
    """
    x, weight, bias, output, _ = layer
    scale, per_channel = weight.qparams.scale, weight.qparams.axis is not None
    zero_point = weight.qparams.zero_point * (0 if per_channel else 1)
    if draw.chance(0.5):
        scale, x_scale = _power_of_two(scale), _power_of_two(x.qparams.scale)
        x = QTensor(x.values, _with_scale(x.qparams, x_scale))
        step = scale * x_scale
        bias = draw.codes(weight.values.shape[:1], torch.int32, -3000, 3000) * step
    else:
        bias, step = None, scale * x.qparams.scale
    factor = draw.choice([1.0, 2.0, 4.0, 64.0, 1024.0, 7.3, 91.0])
    new = QParams(scale, zero_point, -128, 127, torch.int8, axis=weight.qparams.axis)
    output = _with_scale(output, step.max() * factor)
    return Layer(x, QTensor(weight.values, new), bias, output, relu=False)


def _power_of_two(scale: Tensor) -> Tensor:
    """Return the power of two at or below the scale: its bits without those of the mantissa."""
    return (scale.view(torch.int32) & 0x7F800000).view(torch.float32)


def _with_scale(qparams: QParams, scale: Tensor) -> QParams:
    return QParams(scale, qparams.zero_point, 0, 255, torch.uint8)


@lru_cache(maxsize=64)
def _session(operator: str, with_bias: bool, **attributes: Any) -> Any:
    """Return onnxruntime's session for one quantized operator."""
    import onnx
    import onnxruntime

    kinds = onnx.TensorProto
    names = ["x", "x_scale", "x_zero", "w", "w_scale", "w_zero", "y_scale", "y_zero"]
    types = [kinds.UINT8, kinds.FLOAT, kinds.UINT8, kinds.INT8, kinds.FLOAT, kinds.INT8]
    types += [kinds.FLOAT, kinds.UINT8]
    if with_bias:
        names, types = [*names, "bias"], [*types, kinds.INT32]
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node(operator, names, ["y"], **attributes)],
        operator,
        [value(name, kind, None) for name, kind in zip(names, types, strict=True)],
        [value("y", kinds.UINT8, None)],
    )
    opset = onnx.helper.make_opsetid("", 13)
    model = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def _onnxruntimes(operator: str, layer: Layer, weight: Tensor, **attributes: Any) -> Tensor:
    x, w, y = layer.x.qparams, layer.weight.qparams, layer.output
    inputs = {
        **{"x": layer.x.values, "x_scale": x.scale, "x_zero": x.zero_point.to(torch.uint8)},
        **{"w": weight, "w_scale": w.scale, "w_zero": w.zero_point.to(torch.int8)},
        **{"y_scale": y.scale, "y_zero": y.zero_point.to(torch.uint8)},
    }
    if layer.bias is not None:
        inputs["bias"] = (layer.bias / (x.scale * w.scale)).to(torch.int32)
    session = _session(operator, layer.bias is not None, **attributes)
    return torch.from_numpy(
        session.run(None, {name: value.numpy() for name, value in inputs.items()})[0]
    )


@proof("linear_static", "onnxruntime's QLinearMatMul, no bias", package="onnxruntime")
def onnx_linear(draw: Draw) -> tuple[Any, Any]:
    """Compare by fbgemm's roundings, which are onnxruntime's."""
    x_shape, weight_shape = draw_linear_shapes(draw)
    highest = highest_code(draw, "fbgemm")
    layer = _for_onnx(
        draw, draw_layer(draw, x_shape, weight_shape, highest=highest, symmetric=False)
    )
    layer = layer._replace(bias=None)
    ours = linear_static(layer.x, layer.weight, None, layer.output)
    return ours.values, _onnxruntimes("QLinearMatMul", layer, layer.weight.values.T.contiguous())


@proof(
    "conv2d_static",
    "onnxruntime's QLinearConv, no bias or scales that are powers of two",
    package="onnxruntime",
)
def onnx_conv(draw: Draw) -> tuple[Any, Any]:
    """Compare by fbgemm's roundings, which are onnxruntime's."""
    shapes = draw_conv_shapes(draw, onednn=False)
    highest = highest_code(draw, "fbgemm")
    layer = draw_layer(draw, shapes.image, shapes.kernels, highest=highest, symmetric=False)
    layer = _for_onnx(draw, layer)
    theirs = _onnxruntimes(
        *("QLinearConv", layer, layer.weight.values),
        strides=shapes.stride,
        pads=shapes.padding * 2,
        dilations=shapes.dilation,
        group=shapes.groups,
    )
    return convolve(layer, shapes, "fbgemm").values, theirs
