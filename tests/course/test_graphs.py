"""FX graph mode's dynamic layers beside eager mode's, and a graph's nodes beside its modules."""

import pytest
import torch
from torch import fx, nn
from torch.ao.quantization import quantize_dynamic

from qlearn.course import dynamic_by_fx, node_results, quietly
from qlearn.machine import use_engine


@pytest.fixture
def model():
    use_engine()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2)).eval()


def test_fx_swaps_the_layers_that_eager_mode_swaps_and_keeps_the_model(model):
    x = torch.tensor([[0.3, 1.1, -2.0, 0.7]])
    in_float = model(x)
    graph, eager = quietly(dynamic_by_fx, model, x), quietly(quantize_dynamic, model)
    assert torch.equal(graph(x), eager(x))
    assert not torch.equal(graph(x), in_float)
    assert torch.equal(model(x), in_float)


def test_each_node_comes_with_its_result(model):
    x = torch.tensor([[0.3, -1.1, 2.0, 0.7]])
    results = node_results(fx.symbolic_trace(model), x)
    assert [node.op for node, _ in results] == ["placeholder", *["call_module"] * 3, "output"]
    hidden = model[0](x)
    expected = [x, hidden, model[1](hidden), model(x), model(x)]
    for (node, result), value in zip(results, expected, strict=True):
        assert torch.equal(result, value), node
