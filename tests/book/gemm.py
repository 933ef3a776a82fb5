"""A linear layer in the ONNX format, as PyTorch's newer exporter writes it for rows."""

from __future__ import annotations

import tempfile
from pathlib import Path

import onnx
import torch
from onnx import helper, numpy_helper
from onnxruntime.quantization import quantize_dynamic

FLOAT = onnx.TensorProto.FLOAT


def write_gemm(file: Path) -> None:
    """Write 256 inputs to 10 outputs as a Gemm, and the shape of its weight."""
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["x", "weight"], ["y"], transB=1)],
        "rows",
        [helper.make_tensor_value_info("x", FLOAT, [4, 256])],
        [helper.make_tensor_value_info("y", FLOAT, [4, 10])],
        [numpy_helper.from_array(torch.randn(10, 256).numpy(), "weight")],
        value_info=[helper.make_tensor_value_info("weight", FLOAT, [10, 256])],
    )
    opset = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=10), file)


def quantize_gemm() -> None:
    """Let ONNX Runtime quantize such a file as it is."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.onnx"
        write_gemm(file)
        quantize_dynamic(file, file.with_name("codes.onnx"))
