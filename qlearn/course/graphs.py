"""Graphs that torch.fx traces: what FX graph mode makes of a model, and what each node computes."""

from __future__ import annotations

import copy
from typing import Any

from torch import Tensor, fx, nn


def dynamic_by_fx(model: nn.Module, example: Tensor) -> fx.GraphModule:
    """Return the model with dynamic quantization by FX graph mode; the model stays as it is.

    ``convert_fx(prepare_fx(model, mapping, example))``, where the mapping gives every layer
    ``default_dynamic_qconfig``.

    >>> from qlearn.course.quietly import quietly
    >>> quietly(dynamic_by_fx, nn.Sequential(nn.ReLU()).eval(), None)
    GraphModule(
      (0): ReLU()
    )
    """
    from torch.ao.quantization import QConfigMapping, default_dynamic_qconfig
    from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

    mapping = QConfigMapping().set_global(default_dynamic_qconfig)
    converted: fx.GraphModule = convert_fx(prepare_fx(copy.deepcopy(model), mapping, (example,)))
    return converted


def node_results(graph: fx.GraphModule, *inputs: Any) -> list[tuple[fx.Node, Any]]:
    """Return each node of a graph with what it computes from the inputs, in their order.

    >>> import torch
    >>> graph = fx.symbolic_trace(nn.ReLU())
    >>> for node, result in node_results(graph, torch.tensor([-1.0, 2.0])):
    ...     print(node.op, result)
    placeholder tensor([-1.,  2.])
    call_function tensor([0., 2.])
    output tensor([0., 2.])
    """
    recorder = _Recorder(graph)
    recorder.run(*inputs)
    return recorder.results


class _Recorder(fx.Interpreter):
    """Run a graph node by node, and keep what each one computes."""

    def __init__(self, graph: fx.GraphModule) -> None:
        super().__init__(graph)
        self.results: list[tuple[fx.Node, Any]] = []

    def run_node(self, n: fx.Node) -> Any:
        """Compute one node."""
        result = super().run_node(n)
        self.results.append((n, result))
        return result
