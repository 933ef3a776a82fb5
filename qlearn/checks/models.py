"""Checks of a reader's own model and of what it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter

from qlearn.checks.arguments import check_sequence
from qlearn.checks.finite import check_finite, check_no_nan
from qlearn.checks.tensors import check_tensor

QUANTIZED = (nn.Linear, nn.Conv2d)

# These do the same in training mode: they call their parts, or return what they are given. They are
# often put in the place of others after eval(), as an Identity is for a folded batch norm.
INDIFFERENT = (nn.Sequential, nn.ModuleList, nn.ModuleDict, nn.Identity)

# The way out
COMPLEX = "put .real and .imag into layers of their own, since .float() leaves complex weights so"


def check_module(model: nn.Module, name: str = "model") -> None:
    """Raise TypeError unless ``model`` is an ``nn.Module``.

    >>> check_module([nn.Linear(2, 2)])
    Traceback (most recent call last):
    TypeError: model is a list: pass a torch.nn.Module
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"{name} is a {type(model).__name__}: pass a torch.nn.Module")


def check_eval(model: nn.Module, else_: str) -> None:
    """Raise unless a module and its parts are in eval mode; ``else_`` says what comes of others.

    >>> check_eval(nn.ReLU().train(), "its graph would stay so")
    Traceback (most recent call last):
    ValueError: ReLU is in training mode, and its graph would stay so: pass model.eval()
    """
    check_module(model)
    if part := training_part(model, type(model).__name__):
        raise ValueError(f"{part} is in training mode, and {else_}: pass model.eval()")


def training_part(model: nn.Module, whole: str) -> str:
    """Return the first part in training mode, or ``whole`` if that is the model; "" for none.

    >>> model = nn.Sequential(nn.ReLU(), nn.Dropout()).eval()
    >>> training_part(model, "model"), training_part(model.train(), "model")
    ('', 'model')
    """
    for place, part in model.named_modules():
        if part.training and not (place and isinstance(part, INDIFFERENT)):
            return place or whole
    return ""


def check_model(model: nn.Module, name: str = "model") -> None:
    """Raise unless ``model`` is in eval mode and finite, with such layers in float32 on the CPU."""
    check_module(model, name)
    layers = [pair for pair in model.named_modules() if isinstance(pair[1], QUANTIZED)]
    if not layers:
        raise ValueError(
            f"{name} has no nn.Linear and no nn.Conv2d, and other layers are not measured: pass a "
            "model that has some, before it is quantized or exported"
        )
    if part := training_part(model, name):
        raise ValueError(
            f"{part} is in train mode, where dropout and batch norm change from call to call: "
            f"call {name}.eval() first"
        )
    for place, layer in layers:
        _check_weight(layer.weight, f"the weight of {place or name}", name)
    for place, buffer in model.named_buffers():  # in which infinities may be a mask
        _check_numbers(buffer, place, check_no_nan)
    for place, parameter in model.named_parameters():
        check_parameter(parameter, place)


def check_parameter(parameter: Tensor, place: str) -> None:
    """Raise ValueError unless a parameter has a shape, and finite numbers."""
    _check_numbers(parameter, place, check_finite)


def _check_numbers(numbers: Tensor, place: str, check: Callable[..., None]) -> None:
    """Raise ValueError unless there are numbers, and they pass the check."""
    check_loaded(numbers, place)
    if _may_hold_nan(numbers):
        check(
            numbers,
            name=place,
            because="so will what comes after it: look for the step of the training that made them",
        )


def check_shaped(parameter: Tensor, place: str) -> None:
    """Raise ValueError unless a parameter has a shape, which those of a lazy module get later.

    >>> check_shaped(nn.LazyLinear(2).weight, "the weight of 0")
    Traceback (most recent call last):
    ValueError: the weight of 0 has no shape yet: call the model once on a batch
    """
    if isinstance(parameter, UninitializedBuffer | UninitializedParameter):
        raise ValueError(f"{place} has no shape yet: call the model once on a batch")


def check_loaded(parameter: Tensor, place: str) -> None:
    """Raise ValueError unless a parameter has a shape, and numbers."""
    check_shaped(parameter, place)
    if parameter.is_meta:
        raise ValueError(
            f"{place} has a shape and no numbers yet: load the state_dict first, by "
            "load_state_dict(state, assign=True)"
        )


def _may_hold_nan(x: Tensor) -> bool:
    """Say whether these are plain numbers of a kind that has NaN, and that torch can look at."""
    plain = type(x.data) is Tensor and x.layout == torch.strided and x.element_size() > 1
    return plain and (x.is_floating_point() or x.is_complex())


def _check_weight(weight: Tensor, place: str, name: str) -> None:
    """Raise unless a weight is a plain float32 tensor on the CPU."""
    check_loaded(weight, place)
    kind = type(weight.data).__name__
    if kind != "Tensor":
        raise TypeError(f"{place} is a {kind}: pass the {name} from before it was quantized")
    if weight.device.type != "cpu":
        raise ValueError(
            f"{place} is on {weight.device}, but codes are computed on the CPU here: pass "
            f"copy.deepcopy({name}).cpu()"
        )
    if weight.dtype != torch.float32:
        way_out = COMPLEX if weight.is_complex() else f"pass copy.deepcopy({name}).float()"
        raise TypeError(
            f"{place} has dtype {weight.dtype}, but float32 is what is compared with: {way_out}"
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
