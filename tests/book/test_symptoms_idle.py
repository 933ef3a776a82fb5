"""The page of symptoms on trainings that move no weight, and on the graphs that come of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.ao.quantization.quantize_fx import convert_fx
from torchao.quantization.pt2e import move_exported_model_to_eval
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e

from tests.book.provoked import (
    SEEN_ON_X86,
    UNANNOUNCED,
    X,
    gradients_of_examples,
    observed_by_fx,
    prepared_for_training,
    prepared_for_training_by_fx,
    read_by_dequantize,
)

pytestmark = UNANNOUNCED


@pytest.mark.parametrize(
    "prepare", [prepared_for_training_by_fx, prepared_for_training], ids=["FX", "PT2E"]
)
def test_a_graph_calls_no_hook(prepare: Callable[[nn.Module, Tensor], nn.Module]) -> None:
    model, calls = nn.Sequential(nn.Linear(8, 4), nn.ReLU()).train(), []
    model[1].register_forward_hook(lambda *_: calls.append(1))
    model(X)
    assert calls.pop()
    graph = prepare(model, X)
    calls.clear()
    graph(X)
    assert not calls


@pytest.mark.parametrize(("hooked", "is_called"), [("0", True), ("1", False), ("2", False)])
def test_a_graph_of_fx_calls_the_hooks_of_single_layers_that_it_keeps(
    hooked: str, is_called: bool
) -> None:
    fused = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    model, calls = nn.Sequential(nn.Sigmoid(), nn.Sequential(nn.Linear(8, 8)), fused).train(), []
    layer = model[2][1] if hooked == "2" else model.get_submodule(hooked)
    layer.register_forward_hook(lambda *_: calls.append(1))
    graph = prepared_for_training_by_fx(model, X)
    calls.clear()
    graph(X)
    assert bool(calls) is is_called


def test_a_rate_of_zero_comes_with_the_state_of_an_optimizer() -> None:
    weight = nn.Parameter(torch.ones(2))
    first = torch.optim.Adam([weight], lr=1e-3)
    schedule = torch.optim.lr_scheduler.PolynomialLR(first, total_iters=3)
    for _ in range(3):
        first.step()
        schedule.step()
    second = torch.optim.Adam([weight], lr=1e-3)
    second.load_state_dict(first.state_dict())
    assert [group["lr"] for group in second.param_groups] == [0.0]
    weight.grad = torch.ones(2)
    second.step()
    assert torch.equal(weight, torch.ones(2))


class Rounded(nn.Linear):
    """A layer that rounds its weight, and says how the gradient goes through, or does not."""

    def __init__(self, *, through: bool) -> None:
        super().__init__(8, 4)
        self.through = through

    def forward(self, x: Tensor) -> Tensor:
        rounded = torch.round(self.weight * 8) / 8
        if self.through:
            rounded = self.weight + (rounded - self.weight).detach()
        return nn.functional.linear(x, rounded, self.bias)


@pytest.mark.parametrize("through", [False, True])
def test_a_rounded_weight_has_no_gradient_of_its_own(through: bool) -> None:
    model = Rounded(through=through)
    model(torch.ones(2, 8)).sum().backward()
    still = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert still == ([] if through else ["weight"])


@pytest.mark.parametrize(("size", "moved"), [(0.3, 0.01), (0.03, 0.1)])
def test_small_steps_are_lost_in_bfloat16(size: float, moved: float) -> None:
    weight, rate = (torch.randn(256, 256) * size).bfloat16(), 1e-5
    share = ((weight - rate) != weight).float().mean()
    assert share.item() == pytest.approx(moved, rel=0.4)
    assert ((weight.float() - rate) != weight.float()).all()
    large = weight[(weight.abs() - size).abs() < size / 10]
    assert len(large) and not ((large - rate) != large).any()


def test_a_sum_in_bfloat16_stops() -> None:
    total = torch.zeros((), dtype=torch.bfloat16)
    for _ in range(1024):
        total += 2.64
    assert total / 1024 == 1.0


class Skipped(nn.Module):
    """A layer that is left out in training, as by stochastic depth."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            return x + self.layer(x) * torch.bernoulli(torch.full((len(x), 1), 0.5))
        return x + self.layer(x)


@pytest.mark.parametrize("asleep", [False, True])
def test_an_export_keeps_the_branch_of_training(asleep: bool) -> None:
    model, x = nn.Sequential(nn.Linear(8, 8), Skipped()).train(), torch.ones(32, 8)
    if asleep:
        model[1].eval()
    prepared = prepared_for_training(model, x)
    prepared(x)
    graph = convert_pt2e(prepared)
    move_exported_model_to_eval(graph)
    drawn = [
        n.name for n in graph.graph.nodes if any(w in str(n.target) for w in ("rand", "bernoulli"))
    ]
    assert (drawn == []) == asleep == torch.equal(graph(x), graph(x))


class Drawing(nn.Module):
    """Adds noise of a shape that is written down, or of the shape of its input."""

    def __init__(self, *, like: bool) -> None:
        super().__init__()
        self.layer, self.like = nn.Linear(8, 8), like

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x + (torch.randn_like(x[:1]) if self.like else torch.randn(1, 8)))


@SEEN_ON_X86
@pytest.mark.parametrize("like", [False, True])
def test_fx_draws_once(like: bool) -> None:
    graph = convert_fx(observed_by_fx(Drawing(like=like), X))
    kept = [n.target for n in graph.graph.nodes if n.op == "get_attr" and "constant" in n.target]
    assert kept == ([] if like else ["_tensor_constant0"])
    assert torch.equal(graph(X), graph(X)) != like


def test_gradients_of_examples_need_the_plain_modules() -> None:
    assert gradients_of_examples(0).shape == (4, 1, 8)


def test_a_parameter_read_by_dequantize_is_made_one_again() -> None:
    layer = read_by_dequantize()
    assert not layer.weight.is_leaf
    layer.weight = nn.Parameter(layer.weight.detach())
    layer.weight.detach().dequantize()
    with torch.no_grad():
        layer.weight.dequantize()
    layer(X).sum().backward()
    assert torch.optim.SGD(layer.parameters()) and layer.weight.grad is not None
