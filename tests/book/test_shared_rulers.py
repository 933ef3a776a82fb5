"""The page of symptoms on rulers that serve two places, or are fixed: small numbers are lost."""

from __future__ import annotations

import operator
from collections.abc import Callable

import pytest
import torch
import torch.ao.quantization as old
from torch import Tensor, nn
from torch.ao.nn.quantized import FloatFunctional
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

from qlearn import sqnr
from tests.book.provoked import SEEN_ON_X86, UNANNOUNCED

RIGHT, WRONG = 30, 15  # decibels
GENERATOR = torch.Generator()

pytestmark = [SEEN_ON_X86, UNANNOUNCED]


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=GENERATOR.manual_seed(seed))


def linear(seed: int, size: int = 32) -> nn.Linear:
    """Return a layer with the same weights each time."""
    layer = nn.Linear(size, size, bias=False)
    layer.weight.data = normal(size, size, seed=seed) / size**0.5
    return layer


def eager(model: nn.Module, *x: Tensor) -> float:
    """Return the SQNR of what eager mode makes of a model."""
    model.eval().qconfig = old.get_default_qconfig("x86")
    with torch.no_grad():
        prepared = old.prepare(model)
        prepared(*x)
        return float(sqnr(model(*x), old.convert(prepared)(*x)))


def traced(model: nn.Module, x: Tensor, *, in_float: object = None) -> float:
    """Return the SQNR of what FX makes of a model, one kind of operation left in float."""
    mapping = old.get_default_qconfig_mapping("x86")
    if in_float is not None:
        mapping = mapping.set_object_type(in_float, None)
    model.eval()
    with torch.no_grad():
        prepared = prepare_fx(model, mapping, (x,))
        assert sqnr(model(x), prepared(x)) > 100  # the observers are not to blame
        return float(sqnr(model(x), convert_fx(prepared)(x)))


class Sums(nn.Module):
    """A large sum and a small one, of which the small one is put out."""

    def __init__(self, *, apart: bool) -> None:
        super().__init__()
        self.stub, self.back = old.QuantStub(), old.DeQuantStub()
        self.large, self.small = linear(0), linear(1)
        self.large.weight.data *= 300
        self.first = FloatFunctional()
        self.second = FloatFunctional() if apart else None

    def forward(self, x: Tensor) -> Tensor:
        x = self.stub(x)
        large = self.large(x)
        self.first.add(large, large)
        small = self.small(x)
        return self.back((self.second or self.first).add(small, small))


class Inputs(nn.Module):
    """A layer for an image up to 1, and another one for a year."""

    def __init__(self, *, apart: bool) -> None:
        super().__init__()
        self.first = old.QuantStub()
        self.second = old.QuantStub() if apart else None
        self.back, self.image, self.year = old.DeQuantStub(), linear(0), linear(1)

    def forward(self, image: Tensor, year: Tensor) -> Tensor:
        self.year((self.second or self.first)(year))
        return self.back(self.image(self.first(image)))


@pytest.mark.parametrize("apart", [False, True])
def test_each_sum_and_each_input_needs_an_observer_of_its_own(apart: bool) -> None:
    image = normal(64, 32).sigmoid()
    for found in (
        eager(Sums(apart=apart), normal(64, 32)),
        eager(Inputs(apart=apart), image, 1990 + 34 * image),
    ):
        assert found > RIGHT if apart else found < 5


class Attending(nn.Module):
    """Attention, by default with a softmax that is a function and in which nothing is hidden."""

    def __init__(
        self,
        hide: Callable[[Tensor, Tensor], Tensor] = lambda scores, later: scores,
        softmax: Callable[[Tensor], Tensor] = lambda scores: torch.softmax(scores, -1),
    ) -> None:
        super().__init__()
        self.query, self.key, self.value = linear(0), linear(1), linear(2)
        self.hide, self.softmax = hide, softmax
        self.register_buffer("later", torch.ones(10, 10).triu(1).bool())

    def forward(self, x: Tensor) -> Tensor:
        scores = torch.matmul(self.query(x), self.key(x).transpose(1, 2)) / 32**0.5
        return torch.matmul(self.softmax(self.hide(scores, self.later)), self.value(x))


def added(value: float) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda scores, later: scores + torch.zeros(10, 10).masked_fill(later, value)


def test_a_mask_that_is_added_sets_the_scale_of_the_sum() -> None:
    x = 2 * normal(16, 10, 32)
    for value in (-1e9, -1e4):
        assert traced(Attending(added(value)), x) < WRONG
        assert traced(Attending(added(value)), x, in_float=operator.add) > 20
    for value in (-1e9, float("-inf")):
        filled = Attending(lambda scores, later, v=value: scores.masked_fill(later, v))
        assert traced(filled, x) > 20


def test_a_quantizer_of_graphs_that_takes_sums_does_the_same() -> None:
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    from torchao.testing.pt2e import _xnnpack_quantizer as xnnpack

    x = 2 * normal(16, 10, 32)
    config = xnnpack.get_symmetric_quantization_config(is_per_channel=True)
    infinite = float("-inf")
    for model, right in (
        (Attending(added(-1e4)), False),
        (Attending(lambda scores, later: scores.masked_fill(later, infinite)), True),
    ):
        graph = torch.export.export(model.eval(), (x,)).module()
        prepared = prepare_pt2e(graph, xnnpack.XNNPACKQuantizer().set_global(config))
        with torch.no_grad():
            prepared(x)
            converted = convert_pt2e(prepared)
            found = sqnr(model(x), converted(x))
        assert found > 25 if right else found < WRONG
        nodes = converted.graph.nodes
        scales = sorted(
            (n.args[1], n.name)
            for n in nodes
            if "quantize_per_tensor" in str(n.target) and isinstance(n.args[1], float)
        )
        assert (scales[-1][0] > 10) is not right


class Gated(nn.Module):
    """The input times a function of itself."""

    def __init__(self, gate: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.gate, self.layer = gate, linear(0)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x * self.gate(x))


@pytest.mark.parametrize("gate", [torch.sigmoid, torch.tanh, nn.functional.hardsigmoid])
def test_a_sigmoid_of_something_float_clips_it(gate: Callable[[Tensor], Tensor]) -> None:
    x = 2 * normal(64, 32)
    assert traced(Gated(gate), x) < 20
    assert traced(Gated(gate), x, in_float=gate) > 25


def test_a_softmax_over_many_tokens_has_probabilities_below_half_a_step() -> None:
    x = 0.5 + 0.5 * normal(2, 1024, 32)
    model = Attending(softmax=nn.Softmax(-1))
    few, many = (traced(model, x[:, :tokens]) for tokens in (64, 1024))
    assert few > 10 > 2 > many
    assert traced(model, x, in_float=nn.Softmax) > 20
    assert traced(Attending(), x) > 20


class Counter(nn.Module):
    """An LSTM whose gates are nearly open, and whose cell state grows in each step by a little."""

    def __init__(self) -> None:
        super().__init__()
        self.stub, self.back = old.QuantStub(), old.DeQuantStub()
        self.lstm = nn.LSTM(1, 2, batch_first=True)
        for each in self.lstm.parameters():
            each.data.zero_()
        self.lstm.bias_ih_l0.data[:] = torch.tensor([6.0, 6, 6, 6, 0, 0, 6, 6])
        self.lstm.weight_ih_l0.data[4:6] = 0.02  # what a step adds, as long as the state is small

    def forward(self, x: Tensor) -> Tensor:
        _, (_, cell) = self.lstm(self.stub(x))
        return self.back(cell[0])


def test_a_static_lstm_adds_nothing_where_a_step_adds_less_than_half_a_code() -> None:
    model, ones = Counter().eval(), torch.ones(4, 1200, 1)
    # All eight bits. Histograms of 1,200 steps would find the same ranges, in seconds.
    model.qconfig = old.QConfig(old.MinMaxObserver, old.default_weight_observer)
    with torch.no_grad():
        prepared = old.prepare(model)
        prepared(ones)
        converted = old.convert(prepared)
        half, whole = (converted(ones[:, :steps]) for steps in (600, 1200))
        exact = [model(ones[:, :steps]) for steps in (600, 1200)]
        dynamic = old.quantize_dynamic(model, {nn.LSTM})(ones)
    assert converted.lstm.layers[0].layer_fw.cell.gates.scale < 2 * 0.02  # the gates see the input
    assert torch.equal(half, whole) and (whole < exact[0] / 2).all()
    assert (exact[1] > 1.2 * exact[0]).all()
    assert sqnr(exact[1], dynamic) > RIGHT


@pytest.mark.parametrize(("mode", "right"), [("sum", True), ("mean", False), ("max", False)])
def test_a_quantized_bag_sums_whatever_its_mode_is(mode: str, right: bool) -> None:
    bag = nn.Sequential(nn.EmbeddingBag.from_pretrained(normal(50, 16), mode=mode))
    settings = {nn.EmbeddingBag: old.float_qparams_weight_only_qconfig}
    quantized = old.quantize_dynamic(bag, settings)
    rows = torch.arange(40).view(4, 10)
    found = sqnr(bag(rows), quantized(rows))
    assert found > RIGHT if right else found < 0
    if mode == "mean":
        assert sqnr(bag(rows), quantized(rows) / 10) > RIGHT


class Reused(nn.Module):
    """One ReLU behind two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.relu = linear(0), linear(1), nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.relu(self.second(self.relu(self.first(x))))


def test_a_fused_relu_is_gone_where_it_is_called_again() -> None:
    model, x = Reused().eval(), normal(64, 32)
    fused = old.fuse_modules(model, [["first", "relu"]])
    assert sqnr(model(x), fused(x)) < 5
    model.again = nn.ReLU()
    assert isinstance(old.fuse_modules(model, [["first", "relu"]]).relu, nn.Identity)


def test_fuse_modules_does_not_ask_forward_for_the_order() -> None:
    def network() -> nn.Sequential:
        norm = nn.BatchNorm2d(2)
        norm.running_mean.fill_(0.5)
        return nn.Sequential(nn.Conv2d(2, 2, 3), nn.ReLU(), norm).eval()

    image = normal(2, 2, 8, 8)
    torch.manual_seed(0)
    model = network()
    right = old.fuse_modules(model, [["0", "1"]])
    wrong = old.fuse_modules(model, [["0", "2", "1"]])
    assert sqnr(model(image), right(image)) > 100
    assert sqnr(model(image), wrong(image)) < 20
