"""A model as its quantized form computes: inputs and weights of its layers rounded to codes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor, nn

from qlearn.calibration.observers import MinMaxObserver
from qlearn.checks import check_flag, check_integer
from qlearn.checks.models import QUANTIZED, check_inputs, check_layer_names, check_model
from qlearn.models.calls import Call, layer_calls
from qlearn.models.simulated_layer import SimulatedLayer, input_qparams, weight_qparams


def simulate(
    model: nn.Module,
    calibration: Tensor,
    *,
    weight_bits: int | None = 8,
    activation_bits: int | None = 8,
    per_channel: bool = True,
    observer: Callable[..., Any] = MinMaxObserver,
    layers: Sequence[str] | None = None,
) -> nn.Module:
    """Return a copy of a model that rounds the inputs and weights of its layers to codes.

    Each ``nn.Linear`` and ``nn.Conv2d`` that the calibration reaches becomes a
    :class:`SimulatedLayer` under its old name, or under both if it has two. Codes of inputs are
    unsigned, with a zero point and one scale; codes of weights are signed and symmetric. All else
    computes in float32, batch norms too: fold them into the convolutions first, as the converted
    model will.

    Args:
        model: float32, on the CPU, in eval mode; it stays as it is.
        calibration: a batch, from which the observers choose the ranges of the inputs.
        weight_bits: 2 to 8; None leaves the weights in float32.
        activation_bits: 2 to 8; None leaves the inputs in float32.
        per_channel: one scale for each output channel of a weight, else one for the whole.
        observer: called with dtype, quant_min and quant_max, makes an observer for a layer.
        layers: names of the layers to quantize; None for all. A second call on the result, with
            names of other layers, gives these other bits.

    Raises:
        TypeError: the model or the batch has another dtype; a chosen layer is simulated already,
            or quantized by torchao.
        ValueError: the model has no such layers, as after ``quantize_dynamic``, is in train mode
            or a part of it is, is on another device, has no numbers yet, or holds infinities or
            NaN; the batch is empty or does not fit the model; a name is unknown; bits outside
            2 … 8.

    Source: simulated quantization, Jacob et al., arXiv 1712.05877, section 3, here without
    training. The default qparams are those of torch's ``MinMaxObserver`` for inputs, and for
    weights of its ``PerChannelMinMaxObserver`` with ``torch.per_channel_symmetric``.

    >>> from torch import ones
    >>> model = nn.Sequential(nn.Linear(2, 2), nn.ReLU()).eval()
    >>> type(simulate(model, ones(8, 2))[0]).__name__
    'SimulatedLayer'
    """
    check_model(model)
    check_inputs(calibration, "calibration")
    check_flag(per_channel, "per_channel")
    for name, bits in (("weight_bits", weight_bits), ("activation_bits", activation_bits)):
        if bits is not None:
            check_integer(bits, name, 2, 8)
    seen = reached_calls(model, calibration)
    chosen = list(seen) if layers is None else layers
    check_layer_names(chosen, list(seen))
    _check_not_simulated(model, chosen)
    result = copy.deepcopy(model)
    for name in chosen:
        layer: Any = result.get_submodule(name)
        if isinstance(layer, SimulatedLayer):  # by its other name
            continue
        of_input = input_qparams([call.x for call in seen[name]], activation_bits, observer)
        of_weight = weight_qparams(layer.weight, weight_bits, per_channel)
        result = replaced(result, name, SimulatedLayer(layer, of_input, of_weight))
    return result


def _check_not_simulated(model: nn.Module, layers: Sequence[str]) -> None:
    for name in layers:
        outer = name.rpartition(".")[0]
        if isinstance(model.get_submodule(outer), SimulatedLayer):
            raise TypeError(
                f"{outer or 'model'} is simulated already: name the other layers in `layers`, or "
                "pass the float model that it was made from"
            )


def reached_calls(model: nn.Module, inputs: Tensor) -> dict[str, list[Call]]:
    """Return the calls of each linear layer and convolution that runs on these inputs.

    Raises:
        ValueError: there is none.
    """
    modules = model.named_modules(remove_duplicate=False)  # a layer may have two names
    names = [name for name, module in modules if isinstance(module, QUANTIZED)]
    calls = {name: found for name, found in layer_calls(model, inputs, names).items() if found}
    if not calls:
        raise ValueError(
            f"no layer of {', '.join(names)} was called: a model must call its layers, and not "
            "read their weights, if their inputs are to be seen"
        )
    return calls


def replaced(model: nn.Module, name: str, module: nn.Module) -> nn.Module:
    """Put a module in the place of the one of that name, and return the model; "" is the model.

    Where that one has other names too, they become names of the new one.
    """
    if not name:
        return module
    old = model.get_submodule(name)
    for place, found in list(model.named_modules(remove_duplicate=False)):
        if found is old:
            parent, _, own = place.rpartition(".")
            setattr(model.get_submodule(parent), own, module)
    return model
