"""What stands out in the inputs of linear layers, and SmoothQuant on the book's model."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import torch
from jaxtyping import Float32
from torch import Tensor, nn

from qlearn.checks import check_integer
from qlearn.course.language.layers import layer_inputs, linear_layers
from qlearn.language.norms import norms_and_readers
from qlearn.language.smoothing import smooth_scales

Rows = Float32[Tensor, "*rows k"]


class Divided(nn.Module):
    """Divide each channel by a factor: what SmoothQuant leaves to do when the model runs."""

    scales: Tensor

    def __init__(self, scales: Float32[Tensor, " k"]) -> None:
        super().__init__()
        self.register_buffer("scales", scales)

    def forward(self, x: Rows) -> Rows:
        """Return ``x / s``."""
        return x / self.scales


def smoothed(model: nn.Module, text: bytes, *, alpha: float = 0.5, only: str = "") -> nn.Module:
    """Return a copy in which the factors of SmoothQuant stand before and in each linear layer.

    Each layer has its own, from what reaches it on the text, and its inputs are divided when the
    model runs, as torchao does it. With ``only``, layers without this in their name stay.

    Raises:
        ValueError: no layer has ``only`` in its name; the text has no whole window.
    """
    names = [*linear_layers(model)]
    if not any(only in name for name in names):
        parts = ", ".join(dict.fromkeys(name.rpartition(".")[2] for name in names))
        raise ValueError(f"no layer has {only!r} in its name: their last parts are {parts}")
    inputs, changed = layer_inputs(model, text), copy.deepcopy(model)
    for name, layer in linear_layers(changed).items():
        if only not in name:
            continue
        scales = smooth_scales(layer.weight, inputs[name], alpha=alpha)
        with torch.no_grad():
            layer.weight *= scales
        changed.set_submodule(name, nn.Sequential(Divided(scales), layer))
    return changed


def smoothed_norms(model: nn.Module, text: bytes, *, alpha: float = 0.5) -> nn.Module:
    """Return a copy with SmoothQuant behind its norms alone, as the paper has it.

    The layers that read a norm share their factors, from all their weights together. The norm's
    gains are divided by them, so nothing is left to do when the model runs.
    """
    inputs, changed = layer_inputs(model, text), copy.deepcopy(model)
    with torch.no_grad():
        for layer in [m for m in changed.modules() if hasattr(m, "input_layernorm")]:
            for norm, readers in norms_and_readers(layer):
                name = next(n for n, m in changed.named_modules() if m is readers[0])
                together = torch.cat([reader.weight for reader in readers])
                scales = smooth_scales(together, inputs[name], alpha=alpha)
                norm.weight.div_(scales)
                for reader in readers:
                    reader.weight *= scales
    return changed


def largest_over_median(rows: Rows) -> float:
    """Return how far the loudest channel stands out: the largest ``|x|`` of each, compared.

    >>> largest_over_median(torch.tensor([[1.0, -2.0, 30.0], [0.5, 3.0, 1.0]]))
    10.0
    """
    size = rows.abs().flatten(0, -2).amax(0)
    return (size.max() / size.median()).item()


def kept_in_float(inputs: Rows, threshold: float, *, at_once: int) -> float:
    """Return how many columns hold a number of at least the threshold, in a batch of rows.

    Args:
        inputs: what reaches a layer.
        threshold: of LLM.int8().
        at_once: rows that are multiplied together; the mean over the batches is returned.

    Raises:
        TypeError: ``at_once`` is no integer.
        ValueError: the rows cannot be cut into batches of ``at_once``.

    >>> kept_in_float(torch.tensor([[1.0, 7.0, 0.0], [9.0, 0.0, 0.0]]), 6.0, at_once=1)
    1.0
    >>> kept_in_float(torch.tensor([[1.0, 7.0, 0.0], [9.0, 0.0, 0.0]]), 6.0, at_once=2)
    2.0
    """
    check_integer(at_once, "at_once", 1)
    rows = inputs.flatten(0, -2)
    if len(rows) % at_once:
        raise ValueError(f"{len(rows)} rows cannot be cut into batches of {at_once}")
    batches = (rows.abs() >= threshold).unflatten(0, (-1, at_once)).any(1)
    return batches.double().sum(1).mean().item()


def span(figures: float | Sequence[float], digits: int = 3) -> str:
    """Return a figure in print, or the smallest and the largest of several.

    >>> span(1.29987), span([1.2999, 1.2991, 1.2992]), span([1.2999, 1.2991], 2)
    ('1.300', '1.299–1.300', '1.30')
    """
    each = [figures] if isinstance(figures, int | float) else figures
    ends = [f"{end:.{digits}f}" for end in (min(each), max(each))]
    return "–".join(dict.fromkeys(ends))
