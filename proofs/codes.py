"""quantize, dequantize and QTensor against torch's quantized tensors, and other people's."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import torch
import torch.ao.quantization.fx._decomposed  # registers the operators of PT2E
from torch import Tensor

from proofs.draw import Draw
from proofs.inputs import (
    EACH_CHANNEL,
    INT8,
    INT32,
    ROWS,
    UINT8,
    WEIGHT,
    X,
    codes_in,
    rows,
    values,
)
from proofs.proof import proof
from proofs.public import Large, public
from proofs.torch_engine import to_torch
from qlearn import QParams, QTensor, dequantize, installed_rounding, quant_range, quantize
from qlearn.machine import int32_saturates
from qlearn.machine.rounding import installed_nan_code

QUANTIZED = {torch.int8: torch.qint8, torch.uint8: torch.quint8, torch.int32: torch.qint32}


def _torchs_quantized(x: Tensor, qparams: QParams) -> Tensor:
    if qparams.axis is None:
        scale, zero_point = qparams.scale.item(), int(qparams.zero_point)
        return torch.quantize_per_tensor(x, scale, zero_point, QUANTIZED[qparams.dtype])
    return torch.quantize_per_channel(
        x, qparams.scale, qparams.zero_point, qparams.axis, QUANTIZED[qparams.dtype]
    )


def _channels_of(draw: Draw, qparams: QParams) -> Tensor:
    """Return hard values for each channel, laid along the axis of the qparams."""
    rows = [draw.hard_values(scale.item(), n=8) for scale in qparams.scale]
    assert qparams.axis is not None
    return torch.stack(rows).reshape(len(rows), 4, -1).movedim(0, qparams.axis)


def _quantized_as_installed(x: Tensor, qparams: QParams) -> Tensor:
    """Return qlearn's codes by the rule that the installed torch follows for these qparams."""
    rounding = installed_rounding(qparams.dtype, per_channel=qparams.axis is not None)
    codes = quantize(x, qparams, rounding=rounding)
    if not int32_saturates():  # x86-64, whose code for NaN is the one that quantize stores
        return codes
    shape = [1] * x.ndim
    if qparams.axis is not None:
        shape[qparams.axis] = -1
    return torch.where(x.isnan(), installed_nan_code(qparams).reshape(shape), codes)


@proof("quantize", "torch.quantize_per_tensor to quint8 and qint8")
def per_tensor(draw: Draw) -> tuple[Any, Any]:
    """Compare by the rule that the installed torch follows."""
    qparams = draw.qparams(draw.choice([torch.int8, torch.uint8]))
    x = draw.hard_tensor(qparams.scale.item())
    return _quantized_as_installed(x, qparams), _torchs_quantized(
        x, qparams
    ).int_repr().contiguous()


@proof("installed_rounding", "torch.quantize_per_tensor to quint8 and qint8")
def one_of_two_rules(draw: Draw) -> tuple[Any, Any]:
    """See that the rule gives torch's codes, on data on which the rules seldom agree."""
    qparams = draw.qparams(draw.choice([torch.int8, torch.uint8]))
    x = draw.hard_values(qparams.scale.item())
    x = x[~x.isnan()]  # NaN's code depends on the processor
    torchs = _torchs_quantized(x, qparams).int_repr()
    rules: tuple[Literal["fma", "nearest"], ...] = ("fma", "nearest")
    fitting = [rule for rule in rules if torch.equal(quantize(x, qparams, rounding=rule), torchs)]
    return installed_rounding() in fitting, True


@proof("quantize", "torch.quantize_per_tensor to qint32")
def per_tensor_int32(draw: Draw) -> tuple[Any, Any]:
    """Compare by the rule that the installed torch follows; on x86-64 "add"."""
    qparams = draw.qparams(torch.int32)
    x = draw.hard_tensor(qparams.scale.item())
    return _quantized_as_installed(x, qparams), _torchs_quantized(x, qparams).int_repr()


@proof("quantize", "torch.quantize_per_channel to quint8, qint8 and qint32")
def per_channel(draw: Draw) -> tuple[Any, Any]:
    """Compare along each axis; on ARM below 2^30 steps, since the kernel to quint8 wraps around."""
    qparams = draw.qparams(draw.choice(list(QUANTIZED)), channels=draw.integer(1, 5))
    x = _channels_of(draw, qparams)
    if int32_saturates():
        x = x.clamp(max=qparams.scale.min().item() * 2.0**30)
    return _quantized_as_installed(x, qparams), _torchs_quantized(x, qparams).int_repr()


@proof("quantize", "torch.ops.quantized_decomposed.quantize_per_tensor, of PT2E")
def decomposed(draw: Draw) -> tuple[Any, Any]:
    """Compare finite values by rounding to nearest, with narrower ranges too."""
    dtype = draw.choice([torch.int8, torch.uint8])
    low, high = quant_range(dtype, bits=draw.integer(2, 8))
    qparams = QParams(draw.scale(), draw.integer(low, high), low, high, dtype)
    x = draw.hard_tensor(qparams.scale.item())
    x = x[x.isfinite()]
    scale, zero_point = qparams.scale.item(), int(qparams.zero_point)
    return quantize(x, qparams), torch.ops.quantized_decomposed.quantize_per_tensor(
        x, scale, zero_point, low, high, dtype
    )


@proof("dequantize", "torch's quantized tensors, per tensor and per channel")
def restored(draw: Draw) -> tuple[Any, Any]:
    """Compare codes of the whole range; in qint32, where torch's difference does not wrap."""
    dtype = draw.choice(list(QUANTIZED))
    qparams = draw.qparams(dtype, channels=draw.choice([None, 1, 4]))
    low, high = quant_range(dtype)
    codes = draw.codes((4, 4, 4), dtype, max(low, -(2**30)), min(high, 2**30))
    if qparams.axis is not None:
        codes = codes.narrow(qparams.axis, 0, qparams.scale.numel()).contiguous()
    return dequantize(codes, qparams), to_torch(QTensor(codes, qparams)).dequantize()


@proof("QTensor", "torch._make_per_tensor_quantized_tensor and …_per_channel_…")
def made_of_parts(draw: Draw) -> tuple[Any, Any]:
    """Compare codes, qparams and meaning after the same slicing."""
    dtype = draw.choice(list(QUANTIZED))
    qparams = draw.qparams(dtype)
    low, high = quant_range(dtype)
    codes = draw.codes((draw.integer(0, 6), 5), dtype, max(low, -(2**30)), min(high, 2**30))
    torchs = to_torch(QTensor(codes, qparams))[:, 1::2]
    ours = QTensor(codes[:, 1::2], qparams)
    return (
        (ours.values, ours.dequantize(), ours.qparams.scale.item(), int(ours.qparams.zero_point)),
        (torchs.int_repr(), torchs.dequantize(), torchs.q_scale(), torchs.q_zero_point()),
    )


@cache
def _onnx_session(operator: str, dtype: torch.dtype) -> Any:
    """Return onnxruntime's session for one operator, of a real tensor or of codes."""
    import onnx
    import onnxruntime

    real = onnx.TensorProto.FLOAT
    code = {torch.int8: onnx.TensorProto.INT8, torch.uint8: onnx.TensorProto.UINT8}[dtype]
    from_kind, to_kind = (real, code) if operator == "QuantizeLinear" else (code, real)
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node(operator, ["x", "scale", "zero_point"], ["y"])],
        operator,
        [value("x", from_kind, ["n"]), value("scale", real, []), value("zero_point", code, [])],
        [value("y", to_kind, ["n"])],
    )
    opset = onnx.helper.make_opsetid("", 13)
    model = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=8)
    return onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )


def _onnxruntimes(operator: str, x: Tensor, qparams: QParams) -> Tensor:
    zero_point = qparams.zero_point.to(qparams.dtype).numpy()
    inputs = {"x": x.numpy(), "scale": qparams.scale.numpy(), "zero_point": zero_point}
    return torch.from_numpy(_onnx_session(operator, qparams.dtype).run(None, inputs)[0])


@proof(
    "quantize", "onnxruntime's QuantizeLinear, scales that are powers of two", package="onnxruntime"
)
def onnx_quantize(draw: Draw) -> tuple[Any, Any]:
    """Compare where ONNX's division by the scale is a multiplication by its reciprocal."""
    dtype = draw.choice([torch.int8, torch.uint8])
    low, high = quant_range(dtype)
    scale = 2.0 ** draw.integer(-20, 20)
    qparams = QParams(scale, draw.integer(low, high), low, high, dtype)
    x = draw.hard_values(scale)
    return quantize(x, qparams), _onnxruntimes("QuantizeLinear", x, qparams)


@proof("dequantize", "onnxruntime's DequantizeLinear", package="onnxruntime")
def onnx_dequantize(draw: Draw) -> tuple[Any, Any]:
    """Compare codes of eight bits at any scale."""
    qparams = draw.qparams(draw.choice([torch.int8, torch.uint8]))
    codes = draw.codes((64,), qparams.dtype, qparams.quant_min, qparams.quant_max)
    return dequantize(codes, qparams), _onnxruntimes("DequantizeLinear", codes, qparams)


public(
    "quantize",
    "numbers/quantized_tensors",
    {"x": X, "qparams": ROWS, "rounding": "nearest"},
    Large("nearest", values, lambda x: quantize(x, INT8)),
    Large("fma", values, lambda x: quantize(x, UINT8, rounding="fma")),
    Large("add", values, lambda x: quantize(x, UINT8, rounding="add")),
    Large("add, int32", values, lambda x: quantize(x, INT32, rounding="add")),
    Large("per channel", rows, lambda x: quantize(x, EACH_CHANNEL, rounding="add")),
    Large("fma, per channel", rows, lambda x: quantize(x, EACH_CHANNEL, rounding="fma")),
)
public(
    "dequantize",
    "numbers/quantized_tensors",
    {"q": WEIGHT.values, "qparams": ROWS},
    Large("int8", codes_in(INT8), lambda q: dequantize(q, INT8)),
    Large("int32", codes_in(INT32), lambda q: dequantize(q, INT32)),
    Large("per channel", codes_in(EACH_CHANNEL, rows), lambda q: dequantize(q, EACH_CHANNEL)),
)
public(
    "QTensor",
    "numbers/quantized_tensors",
    {"values": WEIGHT.values, "qparams": ROWS},
    Large("int8", codes_in(INT8), lambda q: QTensor(q, INT8)),
)
public(
    "installed_rounding",
    "numbers/rounding_to_the_bit",
    {"dtype": torch.int8, "per_channel": True},
    not_large="it quantizes probes of its own",
)
