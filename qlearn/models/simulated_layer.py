"""A layer whose input and weight are rounded to codes and back, and how their scales are chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from qlearn.checks.codes import check_qparams
from qlearn.checks.models import QUANTIZED, check_loaded
from qlearn.numbers.fake_quantize import fake_quantize
from qlearn.numbers.qparams import QParams
from qlearn.numbers.rules.observer import choose_qparams


class SimulatedLayer(nn.Module):
    """A linear layer or convolution whose input and weight are rounded to codes and back.

    ``layer(x)`` becomes ``layer(fake_quantize(x))`` with a fake-quantized weight; the bias and
    the output stay in float32. None as qparams leaves that side in float32. A subclass with
    another ``forward(self, input)`` puts a kernel of yours in its place. An attribute that it
    lacks, such as ``in_features``, is that of ``layer``, and so a subclass needs other names for
    parameters of its own than ``bias``.

    Raises:
        TypeError: ``layer`` is another module, or the qparams are no QParams.
        ValueError: ``layer`` has no numbers yet, as an nn.LazyLinear.

    Source: ``torch.ao.nn.quantized.reference.Linear`` and ``Conv2d`` behind a quantize and a
    dequantize, which is how ``convert_to_reference_fx`` writes a layer. Here both are one
    :func:`qlearn.fake_quantize`.

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
        for name, parameter in layer.named_parameters():
            check_loaded(parameter, f"the layer's {name}")
        self.layer: Any = layer
        self.training = layer.training
        self.input_qparams, self.weight_qparams = input_qparams, weight_qparams
        # nn.TransformerEncoderLayer reads its layers' weights without calling them, and so without
        # rounding their inputs, unless a layer has a hook.
        self.register_forward_pre_hook(_do_nothing)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the layer, where this module has none of that name."""
        try:
            return super().__getattr__(name)
        except AttributeError:
            # Copy and pickle ask for dunders; a property of this class has failed by itself.
            if name == "layer" or name.startswith("__") or hasattr(type(self), name):
                raise
            return getattr(self.layer, name)

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

    def forward(self, input: Tensor) -> Tensor:
        """Compute the layer on numbers that have a code; the name is that in torch's layers."""
        return computed(self.layer, self.quantized_input(input), self.weight)


def _do_nothing(module: nn.Module, args: Any) -> None:
    """Be a hook."""


def computed(layer: Any, x: Tensor, weight: Tensor) -> Tensor:
    """Return what the layer computes with another weight; its forward need not be known."""
    result: Tensor = torch.func.functional_call(layer, {"weight": weight}, (x,))
    return result


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
    if qparams.axis is not None:
        raise ValueError(
            f"the observer chose a scale for each place along axis {qparams.axis} of an input, but "
            "one scale serves all of it: pass an observer of the whole tensor"
        )
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
