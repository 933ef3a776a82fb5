"""Models that ExecuTorch runs, by XNNPACK."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from measure.methods import Build, Method, Ready
from measure.torch_methods import quietly_imported

RUNTIME = "ExecuTorch"


def quantized(model: nn.Module, x: Tensor, *, dynamic: bool) -> Any:
    """Return PT2E's converted graph, annotated by the quantizer for XNNPACK."""
    quietly_imported()
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer,
        get_symmetric_quantization_config,
    )
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    config = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=dynamic)
    graph = torch.export.export(model, (x,)).module()
    prepared = prepare_pt2e(graph, XNNPACKQuantizer().set_global(config))
    prepared(x)
    return convert_pt2e(prepared)


def program(model: nn.Module, x: Tensor) -> bytes:
    """Return the file that ExecuTorch runs, with all that XNNPACK can compute left to it."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    exported = torch.export.export(model, (x,))
    lowered = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])
    return lowered.to_executorch().buffer


def run_by(kind: str) -> Build:
    """Return how to lower a model of this kind and load it for one thread."""

    def build(model: nn.Module, x: Tensor) -> Ready:
        from executorch.runtime import Runtime

        made = model if kind == "float" else quantized(model, x, dynamic=kind == "dynamic")
        buffer = program(made, x)
        loaded = Runtime.get().load_program(buffer)
        method = loaded.load_method("forward")
        kept = (loaded, buffer)  # the method reads both, and keeps neither
        return Ready(lambda: (method.execute([x])[0], kept)[0], len(buffer))

    return build


METHODS = (
    Method("float32", RUNTIME, run_by("float")),
    Method("int8 dynamic", RUNTIME, run_by("dynamic"), lambda subject: subject.linear),
    Method("int8 static, PT2E", RUNTIME, run_by("static")),
)
