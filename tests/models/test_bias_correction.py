"""Bias correction, by what defines it: no channel is wrong on average."""

import pytest
import torch
from torch import nn

from qlearn import bias_corrected, simulate
from qlearn.course import normal
from qlearn.course.broken import patients
from qlearn.models.calls import layer_calls


def test_after_bias_correction_no_channel_is_wrong_on_average():
    p = patients()["G"]
    corrected = bias_corrected(p.net, p.quantized, p.calibration)
    for name in ("conv1", "pw2", "fc"):
        [exact] = layer_calls(p.net, p.calibration, [name])[name]
        [seen] = layer_calls(corrected, p.calibration, [name])[name]
        assert (seen.y - exact.y).movedim(1, 0).flatten(1).mean(1).abs().max() < 1e-4
    assert p.right() == p.right(p.quantized)  # the patient stays as it is


def test_a_layer_without_a_bias_is_given_one():
    net = nn.Sequential(nn.Linear(4, 2, bias=False)).eval()
    x = normal(64, 4, generator=torch.Generator().manual_seed(1))
    corrected = bias_corrected(net, simulate(net, x, weight_bits=3), x)
    assert (corrected(x) - net(x)).mean(0).abs().max() < 1e-6


@pytest.mark.parametrize("x", [torch.ones(4) / 3, torch.linspace(-1, 1, 12).reshape(3, 4)])
def test_what_is_written_in_place_and_a_single_vector_are_corrected_too(x):
    net = nn.Sequential(nn.Linear(4, 2), nn.ReLU(inplace=True)).eval()
    corrected = bias_corrected(net, simulate(net, x, weight_bits=3), x)
    errors = corrected[0](x) - net[0](x)
    assert errors.reshape(-1, 2).mean(0).abs().max() < 1e-6


def test_a_channel_of_a_sequence_is_its_last_axis():
    net = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 5)).eval()
    x = normal(8, 7, 4, generator=torch.Generator().manual_seed(2))
    corrected = bias_corrected(net, simulate(net, x, weight_bits=2), x)
    assert corrected[2].layer.bias.shape == (5,)
    assert (corrected(x) - net(x)).mean((0, 1)).abs().max() < 1e-5


def test_what_cannot_be_corrected_is_said():
    net = nn.Sequential(nn.Linear(4, 4)).eval()
    x = normal(8, 4, generator=torch.Generator().manual_seed(3))
    quantized = simulate(net, x)
    with pytest.raises(TypeError, match="net is a list"):
        bias_corrected([net], quantized, x)
    with pytest.raises(TypeError, match="quantized is a NoneType"):
        bias_corrected(net, None, x)
    with pytest.raises(ValueError, match="quantized has no SimulatedLayer under the name"):
        bias_corrected(net, net, x)
    with pytest.raises(ValueError, match="calibration is empty"):
        bias_corrected(net, quantized, x[:0])
    with pytest.raises(ValueError, match="does not run on inputs of shape"):
        bias_corrected(net, quantized, x[:, :3])


def test_a_layer_that_is_called_twice_is_named():
    layer = nn.Linear(4, 4)
    net = nn.Sequential(layer, nn.ReLU(), layer).eval()
    x = normal(8, 4, generator=torch.Generator().manual_seed(4))
    with pytest.raises(ValueError, match="the layer 0 is called 2 times, but must be called once"):
        bias_corrected(net, simulate(net, x), x)
