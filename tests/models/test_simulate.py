"""Simulated models against torch's own fake quantization, and what is refused."""

import copy
import math
from functools import partial

import pytest
import torch
from torch import nn
from torch.ao.quantization import observer
from torch.nn.functional import conv2d, linear

from proofs.torchao_quietly import torchao
from qlearn import (
    HistogramObserver,
    MinMaxObserver,
    PerChannelMinMaxObserver,
    SimulatedLayer,
    simulate,
)
from qlearn.course import normal


class Net(nn.Module):
    """Calls its layers out of order, one of them twice, and one not at all."""

    def __init__(self):
        super().__init__()
        self.last = nn.Linear(4, 3)
        self.first = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1, groups=2))
        self.twice = nn.Linear(4, 4)
        self.idle = nn.Linear(4, 4)

    def forward(self, x):
        y = self.first(x).relu().mean((2, 3))
        return self.last(y + self.twice(self.twice(y)))


@pytest.fixture
def model():
    return Net().eval()


@pytest.fixture
def x():
    return normal(16, 2, 5, 5, generator=torch.Generator().manual_seed(0))


def torchs_input(x, batch, bits):
    """Fake-quantize by torch, for the range of a batch."""
    watching = observer.MinMaxObserver(quant_min=0, quant_max=2**bits - 1)
    watching(batch)
    scale, zero = watching.calculate_qparams()
    return torch.fake_quantize_per_tensor_affine(x, scale, zero.int(), 0, 2**bits - 1)


def torchs_weight(weight, bits, per_channel):
    """Fake-quantize a weight by torch, symmetrically."""
    half = 2 ** (bits - 1)
    options = {"dtype": torch.qint8, "quant_min": -half, "quant_max": half - 1}
    if per_channel:
        rows = observer.PerChannelMinMaxObserver(qscheme=torch.per_channel_symmetric, **options)
        rows(weight)
        scale, zero = rows.calculate_qparams()
        zero = zero.int()
        return torch.fake_quantize_per_channel_affine(weight, scale, zero, 0, -half, half - 1)
    whole = observer.MinMaxObserver(qscheme=torch.per_tensor_symmetric, **options)
    whole(weight)
    scale, zero = whole.calculate_qparams()
    return torch.fake_quantize_per_tensor_affine(weight, scale, zero.int(), -half, half - 1)


@pytest.mark.parametrize("per_channel", [True, False], ids=["rows", "whole"])
@pytest.mark.parametrize("bits", [(8, 8), (3, 8), (8, 4), (2, 2)], ids=str)
def test_a_layer_is_torchs_on_fake_quantized_numbers(bits, per_channel, x):
    weights, inputs = bits
    choice = {"weight_bits": weights, "activation_bits": inputs, "per_channel": per_channel}
    conv, flat = nn.Conv2d(2, 4, 3, padding=1, stride=2).eval(), nn.Linear(5, 3).eval()
    with torch.no_grad():
        w = torchs_weight(conv.weight, weights, per_channel)
        expected = conv2d(torchs_input(x, x, inputs), w, conv.bias, padding=1, stride=2)
        assert torch.equal(simulate(conv, x, **choice)(x), expected)
        w = torchs_weight(flat.weight, weights, per_channel)
        expected = linear(torchs_input(x, 2 * x, inputs), w, flat.bias)
        assert torch.equal(simulate(flat, 2 * x, **choice)(x), expected)


def simulated(model):
    return [n for n, layer in model.named_modules() if isinstance(layer, SimulatedLayer)]


def test_the_layers_that_are_called_are_simulated_and_the_model_stays(model, x):
    before = copy.deepcopy(model)
    quantized = simulate(model, x)
    assert simulated(quantized) == ["last", "first.0", "twice"]
    assert simulated(model) == []
    for name, p in model.named_parameters():
        assert torch.equal(p, before.get_parameter(name))
    assert simulated(simulate(model, x, layers=["twice"])) == ["twice"]


def test_a_layer_that_is_called_twice_has_the_range_of_both_calls(model, x):
    y = model.first(x).relu().mean((2, 3))
    both = torch.cat([y, model.twice(y)])
    observer = MinMaxObserver()
    observer(both.detach())
    assert simulate(model, x).twice.input_qparams == observer.qparams()


def test_without_bits_nothing_changes(model, x):
    same = simulate(model, x, weight_bits=None, activation_bits=None)
    with torch.no_grad():
        assert torch.equal(same(x), model(x))
        assert not torch.equal(simulate(model, x, weight_bits=None)(x), model(x))
        assert not torch.equal(simulate(model, x, activation_bits=None)(x), model(x))


def test_an_observer_of_channels_is_refused(x):
    by_channel = partial(PerChannelMinMaxObserver, axis=1)
    with pytest.raises(ValueError, match="a scale for each place along axis 1 of an input, but"):
        simulate(nn.Linear(4, 4).eval(), torch.ones(2, 4), observer=by_channel)


def test_the_observer_may_be_chosen(x):
    layer = nn.Linear(5, 3).eval()
    x = x.flatten(0, 2)
    x[0, 0] = 100.0
    histogram = HistogramObserver(dtype=torch.uint8, quant_min=0, quant_max=255)
    histogram(x)
    assert simulate(layer, x, observer=HistogramObserver).input_qparams == histogram.qparams()
    halved = simulate(layer, x, observer=partial(MinMaxObserver, symmetric=True))
    assert halved.input_qparams.zero_point == 127  # as torch has it for a range by hand


def test_attention_which_reads_weights_by_itself_stays_in_float():
    model = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    tokens = torch.rand(3, 5, 8)
    quantized = simulate(model, tokens)
    assert {"linear1", "linear2"} >= set(simulated(quantized))


def test_a_transformer_layer_computes_the_same_without_gradients():
    """There nn.TransformerEncoderLayer would read linear1.weight, and not call linear1."""
    torch.manual_seed(0)
    model = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    tokens = torch.rand(3, 5, 8)
    quantized = simulate(model, tokens, activation_bits=3)
    with torch.no_grad():
        found = quantized(tokens)
    assert torch.allclose(found, quantized(tokens), atol=1e-5)
    assert not torch.allclose(found, model(tokens), atol=1e-3)


class Odd(nn.Module):
    """Reads attributes of a layer, calls it by two names, and passes its input by name."""

    def __init__(self):
        super().__init__()
        self.one = nn.Linear(3, 3)
        self.inside = nn.Sequential(self.one)

    def forward(self, x):
        y = self.one(input=x.reshape(-1, self.one.in_features))
        return self.inside(y) + self.one.bias


@pytest.mark.parametrize("layers", [None, ["one"], ["inside.0"], ["one", "inside.0"]], ids=str)
def test_a_layer_under_two_names_becomes_one_simulated_layer(layers):
    model, x = Odd().eval(), torch.rand(4, 3)
    quantized = simulate(model, x, layers=layers)
    assert isinstance(quantized.one, SimulatedLayer)
    assert quantized.inside[0] is quantized.one
    seen = MinMaxObserver()
    seen(torch.cat([x, model.one(x)]).detach())
    assert quantized.one.input_qparams == seen.qparams()
    assert torch.allclose(quantized(x), model(x), atol=0.05)


def test_tokens_may_go_in():
    model = nn.Sequential(nn.Embedding(7, 4), nn.Linear(4, 2)).eval()
    assert simulated(simulate(model, torch.arange(7))) == ["1"]


MODEL, X = nn.Sequential(nn.Linear(3, 2)).eval(), torch.rand(4, 3)


class Reads(nn.Module):
    """Uses a layer's weight without calling the layer."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        return linear(x, self.layer.weight)


@pytest.mark.parametrize(
    ("model", "batch", "choice", "error", "message"),
    [
        ("net", X, {}, TypeError, "model is a str: pass a torch.nn.Module"),
        (nn.ReLU().eval(), X, {}, ValueError, "no nn.Linear and no nn.Conv2d"),
        (nn.Linear(3, 2), X, {}, ValueError, "call model.eval"),
        (nn.Linear(3, 2).double().eval(), X, {}, TypeError, "float64.*pass copy.deepcopy"),
        (
            nn.Linear(3, 2, device="meta").eval(),
            X,
            {},
            ValueError,
            "no numbers yet: load the",
        ),
        (
            nn.LazyLinear(2).eval(),
            X,
            {},
            ValueError,
            "no shape yet: call the model once",
        ),
        (Reads().eval(), X, {}, ValueError, "no layer of layer was called"),
        (MODEL, X.double(), {}, TypeError, "calibration has dtype torch.float64"),
        (MODEL, X.byte(), {}, TypeError, "bytes of pixels"),
        (MODEL, X[:0], {}, ValueError, "calibration is empty"),
        (MODEL, X.to("meta"), {}, TypeError, "meta"),
        (MODEL, None, {}, TypeError, "calibration is a NoneType"),
        (MODEL, X / 0, {}, ValueError, "infinities or NaN"),
        (MODEL, torch.rand(4, 5), {}, ValueError, r"does not run on inputs of shape \(4, 5\)"),
        (MODEL, X, {"layers": ["1"]}, ValueError, "there is no layer '1': the layers are 0"),
        (MODEL, X, {"layers": "0"}, TypeError, "pass a list of names"),
        (MODEL, X, {"weight_bits": 9}, ValueError, "weight_bits must be an integer from 2 to 8"),
        (MODEL, X, {"activation_bits": True}, TypeError, "activation_bits must be an integer"),
        (MODEL, X, {"per_channel": "no"}, TypeError, "per_channel must be True or False"),
        (MODEL, X, {"observer": "histogram"}, TypeError, "pass a class"),
    ],
)
def test_what_does_not_fit_is_refused(model, batch, choice, error, message):
    with pytest.raises(error, match=message):
        simulate(model, batch, **choice)


def test_a_model_that_is_quantized_already_is_refused():
    model = nn.Sequential(nn.Linear(64, 32)).eval()
    torchao.quantize_(model, torchao.Int8WeightOnlyConfig())
    with pytest.raises(TypeError, match="the weight of 0 is a Int8Tensor: pass the model from bef"):
        simulate(model, torch.rand(2, 64))


@pytest.mark.filterwarnings("ignore:torch.ao.quantization is deprecated")
def test_what_torchs_own_ways_and_simulate_itself_have_made_is_refused():
    dynamic = torch.ao.quantization.quantize_dynamic(copy.deepcopy(MODEL))
    with pytest.raises(ValueError, match=r"no nn.Linear.*before it is quantized"):
        simulate(dynamic, X)
    with pytest.raises(TypeError, match="0 is simulated already.*pass the float model"):
        simulate(simulate(MODEL, X), X)


def test_a_second_call_gives_other_layers_other_bits():
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8)).eval()
    x = torch.rand(4, 8)
    rough = simulate(model, x, layers=["0"], weight_bits=4)
    both = simulate(rough, x, layers=["2"])
    assert [both[place].weight_qparams.quant_max for place in (0, 2)] == [7, 127]


def test_a_simulated_model_is_in_eval_mode_as_its_model_was(model, x):
    quantized = simulate(model, x)
    assert not any(part.training for part in quantized.modules())
    assert quantized.train().last.training


def test_an_observer_has_to_choose_qparams():
    class Silent(MinMaxObserver):
        def qparams(self):
            return math.pi

    with pytest.raises(TypeError, match="qparams.. are a float: return QParams"):
        simulate(MODEL, X, observer=Silent)
