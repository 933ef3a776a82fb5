"""onnxruntime on integers of four bits: it reads packed bytes, and says what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

BLOCK = 16


def _run(nodes: list[Any], initializers: list[Any]) -> Tensor:
    import onnx
    import onnxruntime

    result = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    graph = onnx.helper.make_graph(nodes, "blocks", [], [result], initializers)
    opset = onnx.helper.make_opsetid("", 21)
    model = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=10)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return torch.from_numpy(session.run(None, {})[0])


def dequantized_by_onnxruntime(
    codes: Tensor, scales: Tensor, zero_points: Tensor, shape: Sequence[int]
) -> Tensor:
    """Return the numbers of packed int4 codes, blocks of BLOCK along the last axis of ``shape``."""
    from onnx import TensorProto, helper, numpy_helper

    def int4(name: str, packed: Tensor, shape: Sequence[int]) -> Any:
        return helper.make_tensor(name, TensorProto.INT4, shape, packed.numpy().tobytes(), raw=True)

    node = helper.make_node("DequantizeLinear", ["x", "s", "z"], ["y"], axis=-1, block_size=BLOCK)
    return _run(
        [node],
        [
            int4("x", codes, shape),
            numpy_helper.from_array(scales.numpy(), "s"),
            int4("z", zero_points, scales.shape),
        ],
    )


def codes_read_by_onnxruntime(packed: Tensor, n: int, *, signed: bool) -> Tensor:
    """Return the n codes of four bits that lie in the bytes, as float32 numbers."""
    from onnx import TensorProto, helper, numpy_helper

    dtype = TensorProto.INT4 if signed else TensorProto.UINT4
    node = helper.make_node("DequantizeLinear", ["x", "s"], ["y"])
    one = numpy_helper.from_array(torch.tensor(1.0).numpy(), "s")
    return _run(
        [node], [helper.make_tensor("x", dtype, [n], packed.numpy().tobytes(), raw=True), one]
    )
