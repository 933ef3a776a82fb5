"""A model as its quantized form computes: inputs and weights of its layers rounded to codes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from qlearn.calibration.observers import MinMaxObserver
from qlearn.checks import check_flag, check_integer
from qlearn.checks.codes import check_qparams
from qlearn.checks.models import QUANTIZED, check_inputs, check_layer_names, check_model
from qlearn.models.calls import Call, layer_calls
from qlearn.numbers.fake_quantize import fake_quantize
from qlearn.numbers.qparams import QParams
from qlearn.numbers.rules.observer import choose_qparams


class SimulatedLayer(nn.Module):
    """A linear layer or convolution whose input and weight are rounded to codes and back.

    ``layer(x)`` becomes ``layer(fake_quantize(x))`` with a fake-quantized weight; the bias and
    the output stay in float32. None as qparams leaves that side in float32. A subclass with
    another ``forward`` puts a kernel of yours in its place.

    Raises:
        TypeError: ``layer`` is another module, or the qparams are no QParams.

    >>> layer = SimulatedLayer(nn.Linear(2, 1), QParams(0.5, 0, 0, 255, torch.uint8), None)
    >>> layer.quantized_input(torch.tensor([0.3, 0.8]))
    tensor([0.5000, 1.0000])
    """

    def __init__(
        self, layer: nn.Module, input_qparams: QParams | None, weight_qparams: QParams | None
    ) -> None:
        super().__init__()
        if not isinstance(layer, QUANTIZED):
            raise TypeError(f"layer is a {type(layer).__name__}: pass an nn.Linear or nn.Conv2d")
        for qparams in (input_qparams, weight_qparams):
            if qparams is not None:
                check_qparams(qparams)
        self.layer: Any = layer
        self.input_qparams, self.weight_qparams = input_qparams, weight_qparams

    @property
    def weight(self) -> Tensor:
        """The weight that is multiplied by: what comes back from its codes."""
        weight: Tensor = self.layer.weight
        if self.weight_qparams is None:
            return weight
        return fake_quantize(weight, self.weight_qparams)

    def quantized_input(self, x: Tensor) -> Tensor:
        """Return what comes back from the codes of ``x``."""
        return x if self.input_qparams is None else fake_quantize(x, self.input_qparams)

    def forward(self, x: Tensor) -> Tensor:
        """Compute the layer on numbers that have a code."""
        return computed(self.layer, self.quantized_input(x), self.weight)


def computed(layer: Any, x: Tensor, weight: Tensor) -> Tensor:
    """Return what the layer computes with another weight; its forward need not be known."""
    result: Tensor = torch.func.functional_call(layer, {"weight": weight}, (x,))
    return result


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
    :class:`SimulatedLayer` under its old name. Codes of inputs are unsigned, with a zero point
    and one scale; codes of weights are signed and symmetric. All else computes in float32, batch
    norms too: fold them into the convolutions first, as the converted model will.

    Args:
        model: float32, on the CPU, in eval mode; it stays as it is.
        calibration: a batch, from which the observers choose the ranges of the inputs.
        weight_bits: 2 to 8; None leaves the weights in float32.
        activation_bits: 2 to 8; None leaves the inputs in float32.
        per_channel: one scale for each output channel of a weight, else one for the whole.
        observer: called with dtype, quant_min and quant_max, makes an observer for a layer.
        layers: names of the layers to quantize; None for all.

    Raises:
        TypeError: the model or the batch has another dtype, or the model is quantized already.
        ValueError: the model has no such layers, is in train mode or on another device; the
            batch is empty or does not fit the model; a name is unknown; bits outside 2 … 8.

    >>> model = nn.Sequential(nn.Linear(2, 2), nn.ReLU()).eval()
    >>> type(simulate(model, torch.rand(8, 2))[0]).__name__
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
    result = copy.deepcopy(model)
    for name in chosen:
        layer: Any = result.get_submodule(name)
        of_input = input_qparams([call.x for call in seen[name]], activation_bits, observer)
        of_weight = weight_qparams(layer.weight, weight_bits, per_channel)
        result = replaced(result, name, SimulatedLayer(layer, of_input, of_weight))
    return result


def reached_calls(model: nn.Module, inputs: Tensor) -> dict[str, list[Call]]:
    """Return the calls of each linear layer and convolution that runs on these inputs.

    Raises:
        ValueError: there is none.
    """
    names = [name for name, module in model.named_modules() if isinstance(module, QUANTIZED)]
    calls = {name: found for name, found in layer_calls(model, inputs, names).items() if found}
    if not calls:
        raise ValueError(
            f"no layer of {', '.join(names)} was called: a model must call its layers, and not "
            "read their weights, if their inputs are to be seen"
        )
    return calls


def input_qparams(
    batches: Sequence[Tensor], bits: int | None, observer: Callable[..., Any]
) -> QParams | None:
    """Return what an observer chooses for unsigned codes after having seen the batches."""
    if bits is None:
        return None
    if not callable(observer):
        raise TypeError(f"observer is {observer!r}: pass a class, such as qlearn.HistogramObserver")
    watching = observer(dtype=torch.uint8, quant_min=0, quant_max=2**bits - 1)
    for x in batches:
        watching(x.detach())
    qparams = watching.qparams()
    if not isinstance(qparams, QParams):
        raise TypeError(f"the observer's qparams() are a {type(qparams).__name__}: return QParams")
    return qparams


def weight_qparams(weight: Tensor, bits: int | None, per_channel: bool) -> QParams | None:
    """Return symmetric qparams for the range of a weight, or of each output channel of it."""
    if bits is None:
        return None
    half, axis = 2 ** (bits - 1), 0 if per_channel else None
    low, high = torch.aminmax(weight.detach().flatten(1), dim=1)
    if not per_channel:
        low, high = low.min(), high.max()
    return choose_qparams(low, high, symmetric=True, quant_min=-half, quant_max=half - 1, axis=axis)


def replaced(model: nn.Module, name: str, module: nn.Module) -> nn.Module:
    """Put a module in the place of the one of that name, and return the model; "" is the model."""
    if not name:
        return module
    parent, _, own = name.rpartition(".")
    setattr(model.get_submodule(parent), own, module)
    return model
