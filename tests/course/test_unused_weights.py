from __future__ import annotations

import pytest
import torch
from torch import fx, nn

from qlearn.course.unused_weights import drop_unused_weights


class Reads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.read = nn.Parameter(torch.ones(3))
        self.left = nn.Parameter(torch.ones(3))
        self.inner = nn.Linear(3, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x * self.read)


def test_what_no_node_reads_is_dropped_and_the_rest_computes_as_before() -> None:
    graph = fx.symbolic_trace(Reads())
    graph.register_parameter("left", nn.Parameter(torch.ones(3)))
    x = torch.ones(1, 3)
    before = graph(x)
    assert drop_unused_weights(graph) == ["left"]
    assert torch.equal(graph(x), before)
    assert sorted(graph.state_dict()) == ["inner.bias", "inner.weight", "read"]


def test_a_parameter_of_a_module_inside_is_dropped_there() -> None:
    graph = fx.symbolic_trace(Reads())
    graph.add_module("held", nn.Linear(2, 2, bias=False))
    assert drop_unused_weights(graph) == ["held.weight"]
    assert "held.weight" not in graph.state_dict()


def test_a_module_without_a_graph_is_refused() -> None:
    with pytest.raises(TypeError, match="pass what convert_pt2e returned"):
        drop_unused_weights(nn.Linear(2, 2))  # type: ignore[arg-type]
