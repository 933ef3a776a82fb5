"""LoRA: a narrow pair of matrices beside each frozen weight, and nothing else is trained."""

from __future__ import annotations

import copy
from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import torch
from jaxtyping import Float32
from torch import Tensor, nn

from qlearn.checks import check_choice
from qlearn.course.language.layers import linear_layers
from qlearn.course.language.shipped import from_planes

TARGET = Path(__file__).parent / "data/adapters.npz"
RANK = 4
Base = Literal["nf4", "float", "int2"]


class Adapted(nn.Module):
    """A linear layer, frozen, and an adapter beside it: ``x·Wᵀ + bias + (x·Aᵀ)·Bᵀ``."""

    def __init__(
        self, layer: nn.Linear, rank: int = RANK, *, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        outputs, inputs = layer.weight.shape
        self.weight = nn.Parameter(layer.weight.detach().clone(), requires_grad=False)
        bias = layer.bias
        self.bias = None if bias is None else nn.Parameter(bias.detach().clone(), False)
        chance = torch.Generator().manual_seed(0) if generator is None else generator
        self.a = nn.Parameter(torch.randn(rank, inputs, generator=chance) / inputs**0.5)
        self.b = nn.Parameter(torch.zeros(outputs, rank))  # so that it begins with adding nothing

    def forward(self, x: Float32[Tensor, "*rows k"]) -> Float32[Tensor, "*rows n"]:
        """Return the layer's outputs and what the adapter adds to them."""
        outputs = x @ self.weight.T
        outputs = outputs if self.bias is None else outputs + self.bias
        return outputs + (x @ self.a.T) @ self.b.T


def with_adapters(
    model: nn.Module, *, rank: int = RANK, generator: torch.Generator | None = None
) -> nn.Module:
    """Return a copy with an adapter beside each linear layer but the head; all else is frozen."""
    chance = torch.Generator().manual_seed(0) if generator is None else generator
    changed = copy.deepcopy(model).requires_grad_(False)
    for name, layer in linear_layers(changed).items():
        changed.set_submodule(name, Adapted(layer, rank, generator=chance))
    return changed


def adapters(model: nn.Module) -> dict[str, Tensor]:
    """Return the parameters that are trained, by name."""
    return {name: p for name, p in model.named_parameters() if p.requires_grad}


def with_trained_adapters(model: nn.Module, base: Base) -> nn.Module:
    """Return a copy with the adapters that were trained on top of such a base.

    Args:
        model: its weights as they are after quantization.
        base: what ``data_makers/train_language_adapters.py`` froze: the float weights, NF4, or
            codes of two bits in groups of 32.

    Raises:
        ValueError: another base.
    """
    check_choice(base, "base", get_args(Base))
    adapted = with_adapters(model)
    source = files("qlearn.course.language") / "data/adapters.npz"
    with as_file(source) as path, np.load(path) as stored:
        for name, parameter in adapters(adapted).items():
            parameter.data = from_planes(stored[f"{base}/{name}"])
    return adapted.eval()
