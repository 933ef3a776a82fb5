"""The linear layers of the language model: what enters them, and others in their place."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Float32
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from qlearn.course.language.net import CONTEXT
from qlearn.course.language.text import load_language_text


def linear_layers(model: nn.Module) -> dict[str, nn.Linear]:
    """Return the layers that are quantized, by name: all linear ones but the head.

    >>> from qlearn.course.language.shipped import load_language_model
    >>> len(linear_layers(load_language_model()))
    28
    """
    return {
        name: module
        for name, module in model.named_modules()
        if isinstance(module, nn.Linear) and name != "lm_head"
    }


def calibration_text(seed: int, *, windows: int = 16) -> bytes:
    """Return windows of 256 bytes from random places of the training text, one after the other."""
    text, chance = load_language_text("train"), random.Random(seed)
    starts = [chance.randrange(len(text) - CONTEXT) for _ in range(windows)]
    return b"".join(text[start : start + CONTEXT] for start in starts)


@contextmanager
def hooked(*hooks: RemovableHandle) -> Iterator[None]:
    """Take hooks off at the end, also where the model raises: it is the caller's."""
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def layer_inputs(model: nn.Module, text: bytes) -> dict[str, Float32[Tensor, "rows k"]]:
    """Return what reaches each linear layer on a text: a row for each byte of its whole windows.

    Raises:
        ValueError: the text has no whole window.
    """
    whole = len(text) // CONTEXT * CONTEXT
    if not whole:
        raise ValueError(f"the text has {len(text)} bytes: a window has {CONTEXT}")
    found: dict[str, Tensor] = {}
    hooks = (
        layer.register_forward_pre_hook(
            lambda _, inputs, name=name: found.update({name: inputs[0].flatten(0, -2)})
        )
        for name, layer in linear_layers(model).items()
    )
    with hooked(*hooks), torch.no_grad():
        model(torch.tensor(list(text[:whole])).view(-1, CONTEXT))
    return found


def with_weights(model: nn.Module, change: Callable[[str, Tensor], Tensor]) -> nn.Module:
    """Return a copy in which ``change(name, weight)`` stands for the weight of each layer."""
    changed = copy.deepcopy(model)
    with torch.no_grad():
        for name, layer in linear_layers(changed).items():
            layer.weight.copy_(change(name, layer.weight))
    return changed


class Computed(nn.Module):
    """A linear layer whose product is computed by a function of ours; its bias is added after."""

    def __init__(self, product: Callable[[Tensor, Tensor], Tensor], layer: nn.Linear) -> None:
        super().__init__()
        self.product = product
        self.weight = nn.Parameter(layer.weight.detach(), requires_grad=False)
        self.bias = None if layer.bias is None else nn.Parameter(layer.bias.detach(), False)

    def forward(self, x: Float32[Tensor, "*rows k"]) -> Float32[Tensor, "*rows n"]:
        """Return ``product(x, weight)``, and the bias if there is one."""
        products = self.product(x, self.weight)
        return products if self.bias is None else products + self.bias


def with_products(model: nn.Module, product: Callable[[Tensor, Tensor], Tensor]) -> nn.Module:
    """Return a copy that computes each layer's ``product(x, weight)`` so; biases stay."""
    changed = copy.deepcopy(model)
    for name, layer in linear_layers(changed).items():
        changed.set_submodule(name, Computed(product, layer))
    return changed
