"""A quantized network taken apart: its own scales in plain simulation, or a part of them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection

from torch import nn

from qlearn.models.simulate import replaced
from qlearn.models.simulated_layer import SimulatedLayer


def change_layers(
    model: nn.Module, change: Callable[[str, SimulatedLayer], nn.Module]
) -> nn.Module:
    """Return a copy with ``change(name, layer)`` in the place of each simulated layer."""
    result = copy.deepcopy(model)
    for name, layer in list(result.named_modules()):
        if isinstance(layer, SimulatedLayer):
            result = replaced(result, name, change(name, layer))
    return result


def with_own_scales(
    quantized: nn.Module,
    *,
    weights: bool = True,
    inputs: bool = True,
    layers: Collection[str] | None = None,
) -> nn.Module:
    """Return a plain simulation by the qparams that the layers have, whatever their kernel.

    ``weights=False`` leaves the weights in float32, ``inputs=False`` the inputs, and layers that
    are not in ``layers`` are float altogether.

    Raises:
        ValueError: ``quantized`` has no simulated layer, as a graph from PT2E has none.

    >>> from qlearn.course.broken import patients
    >>> only = with_own_scales(patients()["A"].quantized, inputs=False)
    >>> only.conv1.input_qparams is None
    True
    """
    if not layer_names(quantized):
        raise ValueError(
            f"{type(quantized).__name__} has no SimulatedLayer, so there are no scales to take: "
            "pass what qlearn.simulate made; a graph from PT2E is a simulation itself in eager mode"
        )

    def change(name: str, layer: SimulatedLayer) -> nn.Module:
        chosen = layers is None or name in layers
        return SimulatedLayer(
            layer.layer,
            layer.input_qparams if inputs and chosen else None,
            layer.weight_qparams if weights and chosen else None,
        )

    return change_layers(quantized, change)


def layer_names(quantized: nn.Module) -> list[str]:
    """Return the names of the simulated layers."""
    return [n for n, layer in quantized.named_modules() if isinstance(layer, SimulatedLayer)]
