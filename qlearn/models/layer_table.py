"""Each layer of a quantized model: what it adds to the error, and what its ruler is used for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float32
from torch import Tensor, nn

from qlearn.checks.models import QUANTIZED, check_inputs, check_model
from qlearn.models.calls import Call, layer_calls, run_model
from qlearn.models.rows import LayerRow, LayerTable
from qlearn.models.simulated_layer import SimulatedLayer
from qlearn.numbers.metrics import clipped_share, sqnr
from qlearn.numbers.quantize import quantize


def layer_table(model: nn.Module, quantized: nn.Module, inputs: Tensor) -> LayerTable:
    """Measure each quantized layer of a model on a batch of inputs.

    A layer's own error compares it with the float layer on the input that the quantized model
    gave it, ``sqnr(layer(x̂), quantized_layer(x̂))``: so what came in with x̂ is in both. The
    error leaving compares the layer's outputs in the two models,
    ``sqnr(layer(x), quantized_layer(x̂))``. The first finds the place of a fault.

    Args:
        model: float32, on the CPU, in eval mode.
        quantized: from :func:`qlearn.simulate`, or any module whose :class:`SimulatedLayer` have
            the names of the model's layers, with a kernel of yours in their forward.
        inputs: what the model is used on, not what it was calibrated by.

    Returns:
        A :class:`~qlearn.models.rows.LayerRow` for each layer, which explains its other numbers.

    Raises:
        TypeError: a module or the batch is something else, or of another dtype.
        ValueError: the models have no such layers in common, or do not run on the inputs; model
            is in train mode, or holds infinities or NaN.

    Source: torch's numeric suite, ``torch.ao.ns._numeric_suite``, which gives the outputs alone:
    ``compare_model_stub`` for a layer's own error, ``compare_model_outputs`` for the error leaving.

    >>> from qlearn import simulate
    >>> model, x = nn.Sequential(nn.Linear(1, 1, bias=False)).eval(), torch.ones(4, 1)
    >>> row = layer_table(model, simulate(model, 2 * x), x)[0]
    >>> row.name, row.clipped, round(row.used, 2)
    ('0', 0.0, 0.0)
    """
    check_model(model)
    check_inputs(inputs, "inputs")
    names = common_layers(model, quantized)
    exact, seen = layer_calls(model, inputs, names), layer_calls(quantized, inputs, names)
    return LayerTable(
        _row(
            name, model.get_submodule(name), quantized.get_submodule(name), exact[name], seen[name]
        )
        for name in names
        if seen[name] and len(seen[name]) == len(exact[name])
    )


def common_layers(model: nn.Module, quantized: nn.Module) -> list[str]:
    """Return the names of the quantized layers whose float layer the model has."""
    if not isinstance(quantized, nn.Module):
        raise TypeError(f"quantized is a {type(quantized).__name__}: pass what simulate returns")
    ours = dict(model.named_modules())
    found = [name for name, layer in quantized.named_modules() if isinstance(layer, SimulatedLayer)]
    names = [name for name in found if isinstance(ours.get(name), QUANTIZED)]
    if not names:
        raise ValueError(
            "quantized has no SimulatedLayer under the name of a layer of model: pass "
            "simulate(model, calibration), or replace layers of its result by subclasses"
        )
    return names


def _row(name: str, layer: Any, quantized: Any, exact: list[Call], seen: list[Call]) -> LayerRow:
    """Measure one layer in its calls."""
    axis = -3 if isinstance(layer, nn.Conv2d) else -1  # also of an image without a batch
    x = torch.cat([_by_channel(call.x, axis) for call in seen], 1)
    alone = [run_model(layer, call.x, f"the layer {name}") for call in seen]
    error = torch.cat(
        [_by_channel(call.y - y, axis) for call, y in zip(seen, alone, strict=True)], 1
    )
    means, codes = error.mean(1), quantized.input_qparams
    power = error.square().mean().item()
    outputs = _flat([call.y for call in seen])
    return LayerRow(
        name=name,
        own=sqnr(_flat(alone), outputs),
        leaving=sqnr(_flat([call.y for call in exact]), outputs),
        clipped=clipped_share(x, codes) if codes else 0.0,
        used=_used(x, codes) if codes else 0.0,
        mean_share=means.square().mean().item() / power if power else 0.0,
        weight_spread=_spread(layer.weight.detach().flatten(1), torch.amin),
        input_spread=_spread(x, torch.median),
        mean_error=means,
    )


def _by_channel(x: Tensor, axis: int) -> Float32[Tensor, "channels values"]:
    return x.movedim(axis, 0).reshape(x.shape[axis], -1)  # also of a single vector


def _flat(parts: list[Tensor]) -> Tensor:
    return torch.cat([part.flatten() for part in parts])


def _used(x: Tensor, qparams: Any) -> float:
    """Return the share of the codes' range between the smallest and the largest code."""
    low, high = torch.aminmax(quantize(x, qparams).int())
    return (high - low).item() / (qparams.quant_max - qparams.quant_min)


def _spread(rows: Tensor, other: Callable[[Tensor], Tensor]) -> float:
    """Return the largest absolute value of the largest row, over that of another; 0 left out."""
    largest = rows.abs().amax(1)
    largest = largest[largest > 0]
    return (largest.max() / other(largest)).item() if largest.numel() else 1.0
