"""What a compiled torchao model computes on a processor that ends at AVX2: sums of pairs."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor, nn

from qlearn.integers.per_token import linear_per_token
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor


def on_older_processor(model: nn.Module, *, saturate: bool = True) -> nn.Module:
    """Return a copy whose dynamic int8 layers add their products in pairs, in 16 bits.

    The layers are those that torchao's ``Int8DynamicActivationInt8WeightConfig`` has quantized,
    with symmetric activations; they compute :func:`qlearn.linear_per_token`.

    Args:
        model: a model after ``quantize_``.
        saturate: with False the sums are exact, as with VNNI.

    Raises:
        ValueError: no layer of the model was quantized so.
    """
    changed = copy.deepcopy(model)
    layers = {
        name: layer
        for name, layer in changed.named_modules()
        if isinstance(layer, nn.Linear) and _is_dynamic(layer.weight)
    }
    if not layers:
        raise ValueError(
            "no linear layer has int8 weights and dynamic activations: call "
            "quantize_(model, Int8DynamicActivationInt8WeightConfig()) first"
        )
    for name, layer in layers.items():
        changed.set_submodule(name, _PerToken(layer, saturate=saturate))
    return changed


def _is_dynamic(weight: Any) -> bool:
    """Tell whether a weight is an Int8Tensor of torchao's that quantizes the activations too."""
    return getattr(weight, "act_quant_kwargs", None) is not None and hasattr(weight, "qdata")


class _PerToken(nn.Module):
    """A linear layer in codes, with a scale for each row of its input."""

    def __init__(self, layer: Any, *, saturate: bool):
        super().__init__()
        scale = layer.weight.scale.flatten()
        zero_point = torch.zeros(len(scale), dtype=torch.int32)
        qparams = QParams(scale, zero_point, -128, 127, torch.int8, axis=0)
        self.weight = QTensor(layer.weight.qdata, qparams)
        self.bias = None if layer.bias is None else layer.bias.detach()
        self.reduce_range = bool(layer.weight.reduce_range)
        self.saturate = saturate

    def forward(self, x: Tensor) -> Tensor:
        """Compute the layer for inputs of any number of axes."""
        rows = x.reshape(-1, x.shape[-1])
        y = linear_per_token(
            rows, self.weight, self.bias, reduce_range=self.reduce_range, saturate=self.saturate
        )
        return y.reshape(*x.shape[:-1], -1)
