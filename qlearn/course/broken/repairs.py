"""Repairs of a broken network, from the cheapest on; each returns a new quantized network."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from qlearn.course.broken.kernels import by_kernel
from qlearn.course.broken.patient import Patient
from qlearn.course.broken.rulers import rescale
from qlearn.course.broken.scales import change_layers
from qlearn.course.digits.net import split_digits
from qlearn.models.simulate import simulate
from qlearn.models.simulated_layer import SimulatedLayer


def made_again(
    patient: Patient,
    *,
    net: nn.Module | None = None,
    calibration: Tensor | None = None,
    **choice: Any,
) -> nn.Module:
    """Return the network in service, quantized again with another choice, by the same kernels."""
    again = simulate(
        patient.net if net is None else net,
        patient.calibration if calibration is None else calibration,
        **{**patient.choice, **choice},
    )

    def change(name: str, layer: SimulatedLayer) -> SimulatedLayer:
        old: Any = patient.quantized.get_submodule(name)
        return by_kernel(layer, type(old))

    return change_layers(again, change)


def equalized(net: nn.Module, pairs: tuple[tuple[str, str], ...], rounds: int = 20) -> nn.Module:
    """Give each channel between two convolutions the same largest weight on both sides.

    The factor of a channel is ``√(largest weight behind it / largest weight before it)``.

    Source: cross-layer equalization, Nagel et al. (2019), section 4.1.
    """
    result = copy.deepcopy(net)
    for first, second in pairs * rounds:
        before: Any = result.get_submodule(first)
        after: Any = result.get_submodule(second)
        behind = after.weight if after.groups > 1 else after.weight.movedim(1, 0)
        sizes = (w.detach().abs().flatten(1).amax(1) for w in (before.weight, behind))
        into, out_of = sizes
        rescale(result, first, second, (out_of / into).sqrt())
    return result


def trained(quantized: nn.Module, images: Tensor, epochs: int = 2) -> nn.Module:
    """Train the weights through their codes, scales fixed, on all training images.

    :func:`qlearn.fake_quantize` lets the gradient of what was not clipped through.
    """
    result, labels = copy.deepcopy(quantized).requires_grad_(True), split_digits().train_labels
    generator = torch.Generator().manual_seed(0)
    optimizer = torch.optim.Adam(result.parameters(), lr=1e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(labels), generator=generator).split(64):
            optimizer.zero_grad()
            cross_entropy(result(images[batch]), labels[batch]).backward()
            optimizer.step()
    return result.requires_grad_(False)


def without_layer(quantized: nn.Module, name: str) -> nn.Module:
    """Leave one layer in float32."""
    return change_layers(
        quantized,
        lambda own, layer: SimulatedLayer(layer.layer, None, None) if own == name else layer,
    )
