"""The nodes of a model's graphs, if it has any."""

from __future__ import annotations

from typing import Any

from torch import fx, nn
from torch._ops import OpOverload


def own_nodes(model: nn.Module, op: str) -> list[fx.Node]:
    """Return the nodes of one kind if the model is a graph, and none else."""
    if not isinstance(model, fx.GraphModule):
        return []
    return [node for node in model.graph.nodes if node.op == op]


def calls(model: nn.Module) -> list[fx.Node]:
    """Return the nodes that call functions, of each graph in the model."""
    return [node for part in model.modules() for node in own_nodes(part, "call_function")]


def value(node: fx.Node) -> Any:
    """Return what a node of the kind "get_attr" reads from its graph; None of another kind."""
    found: Any = node.graph.owning_module if node.op == "get_attr" else None
    for name in str(node.target).split(".") if found is not None else ():
        found = getattr(found, name, None)
    return found


def is_exported(model: nn.Module) -> bool:
    """Say whether this is the graph of an exported program, which calls operators alone."""
    return any(isinstance(node.target, OpOverload) for node in own_nodes(model, "call_function"))
