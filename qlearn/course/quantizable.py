"""Whether torchao's ``quantize_`` fits a model, and how much of it, in a sentence."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear

from qlearn.checks.finite import check_finite
from qlearn.checks.models import COMPLEX, check_loaded, check_module

RECURRENT = (nn.RNNBase, nn.RNNCellBase)
FLOATS = (torch.float32, torch.bfloat16, torch.float16)


class Reach(NamedTuple):
    """Which layers ``quantize_`` will change, and how many of the model's parameters they hold."""

    model: str
    layers: tuple[str, ...]
    weights: int
    parameters: int
    shared: tuple[str, ...] = ()  # those whose weight another module has as well

    def __str__(self) -> str:
        """Say it in one line; a shared weight, which will be there twice, in a second one."""
        count = f"{len(self.layers)} linear layer{'s' if len(self.layers) > 1 else ''}"
        share = f"{self.weights / self.parameters:.0%} of {self.parameters:,} parameters"
        told = f"{self.model}: {count} with {share}"
        if not self.shared:
            return told
        return (
            f"{told}\n{', '.join(self.shared)}: shared with another module, which keeps the float"
        )


def quantizable(model: nn.Module, *, group_size: int | None = None) -> Reach:
    """Return what ``quantize_(model, config)`` will change, or raise and say what does not fit.

    torchao changes the weights of ``nn.Linear`` and, unless a ``filter_fn`` says otherwise,
    nothing else: convolutions, embeddings, LSTMs and ``nn.MultiheadAttention`` stay as they are,
    without a word.

    Args:
        model: a float model on the CPU.
        group_size: how many neighbouring weights of a row share a scale, if the config has groups.

    Raises:
        TypeError: ``model`` is not an ``nn.Module``.
        ValueError: it has no linear layers, or one whose weight is quantized already, computed
            from others, not on the CPU, of a dtype that torchao does not take, not finite, or of
            a width that the group size does not divide.

    Source: the layers are those of torchao's default ``filter_fn``, ``_is_linear``.

    >>> print(quantizable(nn.Sequential(nn.Conv2d(1, 8, 3), nn.Flatten(), nn.Linear(32, 10))))
    Sequential: 1 linear layer with 78% of 410 parameters
    """
    check_module(model)
    layers = linear_layers(model)
    if not layers:
        raise ValueError(_without_linear(model))
    for name, layer in layers.items():
        _check_weight(name or "the model", layer)
    if group_size is not None:
        _check_groups({name: layer.in_features for name, layer in layers.items()}, group_size)
    weights = sum(layer.weight.numel() for layer in layers.values())
    parameters = sum(parameter.numel() for parameter in model.parameters())
    shared = tuple(name for name in layers if _is_shared(model, name))
    return Reach(type(model).__name__, tuple(layers), weights, parameters, shared)


def linear_layers(model: nn.Module) -> dict[str, nn.Linear]:
    """Return the layers that ``quantize_`` looks for, by their names in the model.

    >>> list(linear_layers(nn.TransformerEncoderLayer(64, 4)))
    ['linear1', 'linear2']
    """
    return {
        name: layer
        for name, layer in model.named_modules()
        if isinstance(layer, nn.Linear) and not isinstance(layer, NonDynamicallyQuantizableLinear)
    }


def _is_shared(model: nn.Module, name: str) -> bool:
    """Tell whether a layer's weight is a parameter of another module, too."""
    weight = model.get_submodule(name).weight
    owners = [place for place, p in model.named_parameters(remove_duplicate=False) if p is weight]
    return len(owners) > 1


def _without_linear(model: nn.Module) -> str:
    """Return the sentence for a model without linear layers."""
    owners = {
        type(module).__name__
        for module in model.modules()
        if any(True for _ in module.parameters(recurse=False))
    }
    others = f"its parameters are in {', '.join(sorted(owners))}" if owners else "it has none"
    if any(isinstance(module, RECURRENT) for module in model.modules()):
        way_out = (
            "rewrite the recurrent parts with nn.Linear, because neither its filter_fn nor PT2E "
            "reaches it"
        )
    else:
        way_out = "name other layers by its filter_fn, or take PT2E, which reaches nn.Conv2d"
    return (
        f"{type(model).__name__} has no nn.Linear, and quantize_ would change nothing and say "
        f"nothing ({others}): {way_out}"
    )


def _check_weight(name: str, layer: nn.Linear) -> None:
    """Raise unless the weight of a layer is a finite float parameter on the CPU."""
    if "weight" not in layer._parameters:
        raise ValueError(
            f"the weight of {name} is computed from other parameters, and quantize_ replaces "
            "parameters: remove the parametrization first"
        )
    weight = layer.weight
    _check_kind(name, weight)
    check_finite(
        weight,
        name=f"the weight of {name}",
        because="a row with one has no scale: look for the step of the training that made them",
    )


def _check_kind(name: str, weight: Tensor) -> None:
    """Raise unless a weight is a plain parameter with numbers, of a dtype and a device that fit."""
    check_loaded(weight, f"the weight of {name}")
    if type(weight) is not nn.Parameter:
        raise ValueError(
            f"the weight of {name} is a {type(weight).__name__} already: quantize a copy of the "
            "float model"
        )
    if weight.device.type != "cpu":
        raise ValueError(
            f"the weight of {name} is on {weight.device}, and the course computes on the CPU: "
            "pass model.cpu()"
        )
    if weight.dtype not in FLOATS:
        way_out = COMPLEX if weight.is_complex() else "pass model.float()"
        raise ValueError(
            f"the weight of {name} is {weight.dtype}, and torchao takes float32, bfloat16 and "
            f"float16: {way_out}"
        )


def _check_groups(widths: dict[str, int], group_size: int) -> None:
    """Raise unless the group size divides the inputs of each layer."""
    if group_size < 1:
        raise ValueError(f"group_size is {group_size}: a group has at least one weight, often 32")
    largest = math.gcd(*widths.values())
    fitting = f"{largest} and its divisors fit" if largest > 1 else "no size fits"
    for name, width in widths.items():
        if width % group_size:
            raise ValueError(
                f"{f'layer {name!r}' if name else 'the model'} has {width} inputs, and groups of "
                f"{group_size} do not divide them: {fitting} all layers, or leave the layer "
                "out by quantize_'s filter_fn"
            )
