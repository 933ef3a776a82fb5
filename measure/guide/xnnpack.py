"""The leaf of ExecuTorch: torchao quantizes the graph, XNNPACK runs it from a file."""

from __future__ import annotations

from importlib.metadata import version

import torch
from torch import Tensor

from measure.executorch_methods import program
from measure.guide.found import MODELS, Found
from measure.torch_methods import quietly_imported
from qlearn import sqnr
from qlearn.course.decisions import LEAVES
from qlearn.course.leaf_trials import run_config, stand_in


def run(name: str) -> Found:
    """Quantize the stand-in by the config, lower it to XNNPACK, and run it there."""
    quietly_imported()
    leaf = LEAVES[name]
    model, batches, inputs = stand_in(leaf.kind)
    graph = run_config(leaf.config, model, batches)
    # The config exports the graph for batches of this size, and so does the file
    rows = [each for each in inputs.split(len(batches[0])) if len(each) == len(batches[0])]
    small, whole = program(graph, rows[0]), program(model, rows[0])
    with torch.no_grad():
        exact = model(torch.cat(rows))
    noise = sqnr(exact, outputs(small, rows))
    return Found(MODELS[leaf.kind], len(small), len(whole), noise, version("executorch"))


def outputs(file: bytes, batches: list[Tensor]) -> Tensor:
    """Return what ExecuTorch's runtime computes with a file."""
    from executorch.runtime import Runtime

    loaded = Runtime.get().load_program(file)
    method = loaded.load_method("forward")
    return torch.cat([method.execute([each])[0].clone() for each in batches])
