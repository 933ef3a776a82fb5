"""Checks of a reader's own model and of what it is given."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from qlearn.checks.arguments import check_sequence
from qlearn.checks.finite import check_finite
from qlearn.checks.tensors import check_tensor

QUANTIZED = (nn.Linear, nn.Conv2d)


def check_module(model: nn.Module, name: str = "model") -> None:
    """Raise TypeError unless ``model`` is an ``nn.Module``.

    >>> check_module([nn.Linear(2, 2)])
    Traceback (most recent call last):
    TypeError: model is a list: pass a torch.nn.Module
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"{name} is a {type(model).__name__}: pass a torch.nn.Module")


def check_eval(model: nn.Module, else_: str) -> None:
    """Raise unless ``model`` is a module in eval mode; ``else_`` says what comes of it otherwise.

    >>> check_eval(nn.ReLU().train(), "its graph would stay so")
    Traceback (most recent call last):
    ValueError: ReLU is in training mode, and its graph would stay so: pass model.eval()
    """
    check_module(model)
    if model.training:
        raise ValueError(
            f"{type(model).__name__} is in training mode, and {else_}: pass model.eval()"
        )


def check_model(model: nn.Module, name: str = "model") -> None:
    """Raise unless ``model`` is a float32 module on the CPU, in eval mode, with such layers."""
    check_module(model, name)
    if model.training:
        raise ValueError(
            f"{name} is in train mode, where dropout and batch norm change from call to call: "
            f"call {name}.eval() first"
        )
    layers = [pair for pair in model.named_modules() if isinstance(pair[1], QUANTIZED)]
    if not layers:
        raise ValueError(
            f"{name} has no nn.Linear and no nn.Conv2d, and other layers are not measured: pass a "
            "model that has some, before it is quantized or exported"
        )
    for place, layer in layers:
        _check_weight(layer.weight, f"the weight of {place or name}", name)


def _check_weight(weight: Tensor, place: str, name: str) -> None:
    """Raise unless a weight is a plain float32 tensor on the CPU."""
    kind = type(weight.data).__name__
    if kind != "Tensor":
        raise TypeError(f"{place} is a {kind}: pass the {name} from before it was quantized")
    if weight.device.type != "cpu":
        raise ValueError(
            f"{place} is on {weight.device}, but codes are computed on the CPU here: pass "
            f"copy.deepcopy({name}).cpu()"
        )
    if weight.dtype != torch.float32:
        raise TypeError(
            f"{place} has dtype {weight.dtype}, but float32 is what is compared with: pass "
            f"copy.deepcopy({name}).float()"
        )


def check_inputs(inputs: Tensor, name: str) -> None:
    """Raise unless ``inputs`` is a batch of float32 numbers, or of int64 tokens, on the CPU."""
    check_tensor(inputs, name, "a batch of inputs, a float32 tensor")
    if inputs.numel() == 0:
        raise ValueError(f"{name} is empty, and no range follows from nothing: pass a batch")
    if inputs.device.type != "cpu":
        raise ValueError(f"{name} is on {inputs.device}: pass {name}.cpu(), with a model there")
    if inputs.dtype not in (torch.float32, torch.int64):
        raise TypeError(
            f"{name} has dtype {inputs.dtype}, but models take float32, or int64 tokens: convert "
            "it as in training; bytes of pixels are often divided by 255 as well"
        )
    if inputs.is_floating_point():
        check_finite(inputs, name=name, because="so will each layer: leave them out")


def check_layer_names(layers: Sequence[str], known: Sequence[str]) -> None:
    """Raise unless each name is that of a layer that the calibration reached."""
    check_sequence(layers, "layers", f"a list of names, such as {list(known)[:2]}")
    for name in layers:
        if not isinstance(name, str) or name not in known:
            raise ValueError(f"there is no layer {name!r}: the layers are {', '.join(known)}")
