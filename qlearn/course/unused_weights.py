"""The float weights that PT2E leaves behind in a converted model."""

from __future__ import annotations

from torch import fx


def drop_unused_weights(converted: fx.GraphModule) -> list[str]:
    """Delete the parameters and buffers that no node of the graph reads; return their names.

    ``convert_pt2e`` puts the integer weights into the graph and leaves the float weights in the
    module, where nothing reads them. ``torch.export`` and ``torch.save`` would store both.

    Raises:
        TypeError: the model is no ``fx.GraphModule``, so nobody can tell what it reads.

    >>> from torch import nn
    >>> graph = fx.symbolic_trace(nn.Sequential(nn.ReLU()))
    >>> graph.register_parameter("left", nn.Parameter())
    >>> drop_unused_weights(graph)
    ['left']
    """
    if not isinstance(converted, fx.GraphModule):
        raise TypeError(
            f"the model is a {type(converted).__name__}: pass what convert_pt2e returned, a "
            "fx.GraphModule, whose graph says which weights are read"
        )
    read = {str(node.target) for node in converted.graph.nodes if node.op == "get_attr"}
    called = {str(node.target) for node in converted.graph.nodes if node.op == "call_module"}
    stored = [*converted.named_parameters(), *converted.named_buffers()]
    unused = [n for n, _ in stored if n not in read and not any(n.startswith(c) for c in called)]
    for name in unused:
        owner, _, attribute = name.rpartition(".")
        delattr(converted.get_submodule(owner), attribute)
    return unused
