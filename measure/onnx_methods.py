"""Models that ONNX Runtime runs, from files that torch wrote and its own tools changed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from measure.methods import Build, Method, Ready
from measure.torch_methods import by_pt2e

RUNTIME = "ONNX Runtime"
Write = Callable[[nn.Module, Tensor, Path], Path]


class Batches:
    """Give ONNX Runtime's calibration one batch."""

    def __init__(self, x: Tensor) -> None:
        self.batches = iter([{"x": x.numpy()}])

    def get_next(self) -> dict[str, Any] | None:
        """Return the next batch."""
        return next(self.batches, None)


def exported(model: nn.Module, x: Tensor, folder: Path) -> Path:
    """Write a model as ONNX."""
    path = folder / "model.onnx"
    torch.onnx.export(
        model, (x,), path, dynamo=True, external_data=False, input_names=["x"], verbose=False
    )
    return path


def pt2e_exported(model: nn.Module, x: Tensor, folder: Path) -> Path:
    """Write PT2E's converted graph as ONNX: its pairs become QuantizeLinear, DequantizeLinear."""
    return exported(by_pt2e(model, x)[0], x, folder)


def static(model: nn.Module, x: Tensor, folder: Path) -> Path:
    """Quantize the float file by the runtime's own static quantization, a scale a channel."""
    from onnxruntime.quantization import QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    prepared, path = folder / "prepared.onnx", folder / "static.onnx"
    quant_pre_process(exported(model, x, folder), prepared)
    quantize_static(
        prepared,
        path,
        Batches(x),
        per_channel=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
    return path


def dynamic(model: nn.Module, x: Tensor, folder: Path) -> Path:
    """Quantize the float file's matrix products dynamically, with signed weights."""
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    prepared, path = folder / "prepared.onnx", folder / "dynamic.onnx"
    quant_pre_process(exported(model, x, folder), prepared)
    kinds = ["MatMul", "Gemm"]  # its integer convolution is slow, and few networks have need of it
    quantize_dynamic(prepared, path, op_types_to_quantize=kinds, weight_type=QuantType.QInt8)
    return path


def run_by(write: Write) -> Build:
    """Return how to write a file and open it for one thread."""

    def build(model: nn.Module, x: Tensor) -> Ready:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        with tempfile.TemporaryDirectory() as folder:
            path = write(model, x, Path(folder))
            session = onnxruntime.InferenceSession(path, options, ["CPUExecutionProvider"])
            size = path.stat().st_size
        given = {"x": x.numpy()}
        return Ready(lambda: torch.from_numpy(session.run(None, given)[0]), size)

    return build


METHODS = (
    Method("float32", RUNTIME, run_by(exported)),
    Method("int8 dynamic", RUNTIME, run_by(dynamic), lambda subject: subject.linear),
    Method("int8 static", RUNTIME, run_by(static)),
    Method("int8 static, PT2E", RUNTIME, run_by(pt2e_exported)),
)
