"""Networks that break because one ruler serves numbers of very different sizes, or has few marks.

A ReLU lets positive factors through. So a channel may be multiplied by a factor before it, and
the weights behind it divided, and the network computes the same numbers in float32, exactly if
the factor is a power of two. For codes it is another network.
"""

from __future__ import annotations

import copy
from typing import Any

import torch
from jaxtyping import Float32
from torch import Tensor, nn

from qlearn.calibration.observers import MinMaxObserver
from qlearn.course.broken.data import calibration_images, plain_patient, separable_patient
from qlearn.course.broken.nets import plain_net, separable_net
from qlearn.course.broken.patient import Patient
from qlearn.course.broken.scales import change_layers
from qlearn.models.calls import layer_calls
from qlearn.models.simulate import simulate
from qlearn.models.simulated_layer import SimulatedLayer, input_qparams

PAIRS = (("conv1", "dw1"), ("dw1", "pw1"), ("pw1", "dw2"), ("dw2", "pw2"))
FACTORS = 3.0  # uneven channels are multiplied by 2^-3 … 2^3


def rescaled(
    net: nn.Module, first: str, second: str, factors: Float32[Tensor, " channels"]
) -> nn.Module:
    """Return a copy with the channels between two convolutions multiplied by positive factors.

    >>> net, x = plain_net(), torch.rand(1, 1, 8, 8)
    >>> other = rescaled(net, "conv1", "conv2", torch.full((16,), 4.0))
    >>> torch.equal(net(x), other(x))
    True
    """
    result = copy.deepcopy(net)
    rescale(result, first, second, factors)
    return result


def rescale(net: nn.Module, first: str, second: str, factors: Float32[Tensor, " channels"]) -> None:
    """Multiply the channels between two convolutions of this network by positive factors.

    It changes the network in place, so that many changes need one copy: copy the network first.
    """
    before: Any = net.get_submodule(first)
    after: Any = net.get_submodule(second)
    column = factors.reshape(-1, 1, 1, 1)
    with torch.no_grad():
        before.weight *= column
        before.bias *= factors
        after.weight /= column if after.groups > 1 else factors.reshape(1, -1, 1, 1)


def _separable(net: nn.Module, **choice: Any) -> Patient:
    return separable_patient(simulate(net, 1 - calibration_images(), **choice), net, choice)


def uneven_channels() -> Patient:
    """Give channels sizes up to 64 times apart, and each weight one scale."""
    net: nn.Module = separable_net()
    generator = torch.Generator().manual_seed(0)
    for first, second in PAIRS:
        channels: Any = net.get_submodule(first)
        exponents = (2 * torch.rand(channels.out_channels, generator=generator) - 1) * FACTORS
        net = rescaled(net, first, second, torch.exp2(exponents.round()))
    return _separable(net, per_channel=False)


def few_bits() -> Patient:
    """Store weights in three bits, with one scale each."""
    return _separable(separable_net(), weight_bits=3, per_channel=False)


def outlier_channels() -> Patient:
    """Make two of the sixteen channels behind conv1 256 times as large."""
    factors = torch.ones(16)
    factors[:2] = 256.0
    return _separable(rescaled(separable_net(), "conv1", "dw1", factors))


def one_observer() -> Patient:
    """Let one observer watch all layers of a network whose middle is 128 times smaller."""
    images = calibration_images()
    net = rescaled(plain_net(), "conv1", "conv2", torch.full((16,), 1 / 128))
    calls = layer_calls(net, images, ["conv1", "conv2", "fc"])
    shared = input_qparams([call[0].x for call in calls.values()], 8, MinMaxObserver)
    quantized = change_layers(
        simulate(net, images),
        lambda _, layer: SimulatedLayer(layer.layer, shared, layer.weight_qparams),
    )
    return plain_patient(quantized, net=net)
