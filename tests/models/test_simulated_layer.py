"""A simulated layer by itself: what it computes, what it has of its layer, and what it refuses."""

import copy

import pytest
import torch
from torch import nn
from torch.nn.functional import linear

from qlearn import QParams, SimulatedLayer, fake_quantize, simulate

BYTES = QParams(0.5, 3, 0, 255, torch.uint8)
SIGNED = QParams(0.25, 0, -128, 127, torch.int8)
LINEAR = nn.Linear(3, 2).eval()


@pytest.mark.parametrize("of_input", [BYTES, None])
@pytest.mark.parametrize("of_weight", [SIGNED, None])
def test_each_side_is_rounded_or_stays(of_input, of_weight):
    x = torch.tensor([[0.3, -0.8, 2.1]])
    rounded = x if of_input is None else fake_quantize(x, of_input)
    weight = LINEAR.weight if of_weight is None else fake_quantize(LINEAR.weight, of_weight)
    found = SimulatedLayer(LINEAR, of_input, of_weight)(x)
    assert torch.equal(found, linear(rounded, weight, LINEAR.bias))


def test_a_simulated_layer_has_the_attributes_of_its_layer():
    layer = simulate(nn.Conv2d(2, 4, 3, stride=2).eval(), torch.rand(1, 2, 5, 5))
    assert layer.bias is layer.layer.bias
    assert (layer.in_channels, layer.stride) == (2, (2, 2))
    assert torch.equal(copy.deepcopy(layer).weight, layer.weight)
    with pytest.raises(AttributeError, match="in_features"):
        layer.in_features  # noqa: B018


def test_a_simulated_weight_learns():
    x = torch.rand(4, 5)
    layer = simulate(nn.Linear(5, 3).eval(), x)
    layer(x).square().sum().backward()
    assert layer.layer.weight.grad.abs().sum() > 0


def test_a_property_that_fails_is_not_taken_from_the_layer():
    class Misspelt(SimulatedLayer):
        @property
        def weight(self):
            return self.layer.wieght

    with pytest.raises(AttributeError):
        Misspelt(LINEAR, BYTES, None).weight  # noqa: B018


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((nn.ReLU(), BYTES, None), "layer is a ReLU"), ((LINEAR, 0.5, None), "qparams are a float")],
)
def test_a_simulated_layer_is_made_of_a_layer_and_qparams(arguments, message):
    with pytest.raises(TypeError, match=message):
        SimulatedLayer(*arguments)


def test_a_layer_without_a_shape_yet_is_refused():
    with pytest.raises(ValueError, match="the layer's weight has no shape yet: call the model"):
        SimulatedLayer(nn.LazyLinear(2), BYTES, None)


@pytest.mark.parametrize("training", [True, False])
def test_it_is_in_the_mode_of_its_layer(training):
    assert SimulatedLayer(nn.Linear(2, 2).train(training), None, None).training is training
