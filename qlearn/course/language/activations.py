"""Linear layers whose inputs are rounded as well, and what stands out in these inputs."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Literal

import torch
from jaxtyping import Float32
from torch import Tensor, nn

from qlearn.checks import check_integer
from qlearn.course.language.layers import layer_inputs, linear_layers
from qlearn.language.norms import norms_and_readers
from qlearn.language.smoothing import smooth_scales

Shared = Literal["tensor", "token"]
Rows = Float32[Tensor, "*rows k"]
Weight = Float32[Tensor, "n k"]


def codes_and_step(x: Tensor, bits: int, *, rows: bool) -> tuple[Tensor, Tensor]:
    """Return symmetric codes as floats, and the step: one for each row, or one for all.

    >>> codes_and_step(torch.tensor([[1.0, -0.5], [0.25, 0.1]]), 8, rows=True)[0]
    tensor([[127., -64.],
            [127.,  51.]])
    """
    largest = 2 ** (bits - 1) - 1
    size = x.abs().amax(-1, keepdim=True) if rows else x.abs().amax()
    # Not below the smallest normal number: a device may take smaller ones for 0, and 0/0 is NaN.
    step = (size / largest).clamp_min(torch.finfo(torch.float32).tiny)
    return torch.round(x / step), step


def rounded_product(bits: int, weight_bits: int | None = None, *, scales: Shared = "token") -> Any:
    """Return ``product(x, weight)`` of codes: scales of a token or a tensor, and of each output.

    With eight bits and up to 1,040 inputs the sums of the products of codes are integers below
    2^24, so float32 holds them exactly. With more inputs or bits float32 may round them.

    >>> product = rounded_product(8, scales="tensor")
    >>> product(torch.tensor([[127.0, 0.4]]), torch.tensor([[1.0, 1.0]]))
    tensor([[127.]])
    """

    def product(x: Rows, weight: Weight) -> Float32[Tensor, "*rows n"]:
        codes, step = codes_and_step(x, bits, rows=scales == "token")
        of_weight, weight_step = codes_and_step(weight, weight_bits or bits, rows=True)
        sums: Tensor = codes @ of_weight.T
        return sums * (step * weight_step.T)

    return product


def decomposed_product(threshold: float, *, bits: int = 8) -> Any:
    """Return ``product(x, weight)`` of LLM.int8() as its paper has it: loud columns in float.

    ``linear_llm_int8``, as bitsandbytes, has no more of the weight than its codes. Here the columns
    that meet outliers are the weight's own, in float32. The codes of the others are chosen without
    these columns, for each batch anew, which a program that stores codes cannot do.

    >>> product = decomposed_product(6.0)
    >>> product(torch.tensor([[127.0, 0.5]]), torch.tensor([[0.001, 1.0]]))
    tensor([[0.6270]])
    """
    quiet_product = rounded_product(bits)

    def product(x: Rows, weight: Weight) -> Float32[Tensor, "*rows n"]:
        loud = (x.abs() >= threshold).flatten(0, -2).any(0)
        quiet = quiet_product(x.masked_fill(loud, 0.0), weight.masked_fill(loud, 0.0))
        together: Tensor = quiet + x[..., loud] @ weight[:, loud].T
        return together

    return product


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
