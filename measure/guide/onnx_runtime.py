"""The leaves of ONNX Runtime: torch writes the file, the leaf's config quantizes it."""

from __future__ import annotations

from importlib.metadata import version

import torch
from torch import Tensor, nn

from measure.guide.found import MODELS, Found, sizes
from qlearn import sqnr
from qlearn.course.decisions import LEAVES
from qlearn.course.leaf_trials import run_config, stand_in


def run(name: str) -> Found:
    """Quantize the stand-in by the config, in the present folder, and run both."""
    leaf = LEAVES[name]
    model, batches, inputs = stand_in(leaf.kind)
    write(model, batches[0])
    run_config(leaf.config, model, batches)
    with torch.no_grad():
        exact = model(inputs)
    noise = sqnr(exact, outputs("model-int8.onnx", inputs))
    files = sizes("model-int8.onnx", "ready.onnx")
    return Found(MODELS[leaf.kind], *files, noise, version("onnxruntime"))


def write(model: nn.Module, x: Tensor) -> None:
    """Write model.onnx, in which the number of rows stays free."""
    rows = ({0: torch.export.Dim.DYNAMIC},)
    torch.onnx.export(
        model, (x,), "model.onnx", dynamo=True, external_data=False, input_names=["x"],
        dynamic_shapes=rows, verbose=False,
    )  # fmt: skip


def outputs(path: str, inputs: Tensor) -> Tensor:
    """Return what ONNX Runtime computes with a file."""
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return torch.from_numpy(session.run(None, {"x": inputs.numpy()})[0])
