"""What the layers of a model are given and put out, while it runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class Call(NamedTuple):
    """Input and output of a layer, in one call of it."""

    x: Tensor
    y: Tensor


def run_model(model: nn.Module, inputs: Tensor, name: str = "") -> Tensor:
    """Return ``model(inputs)`` without gradients.

    Raises:
        ValueError: torch refuses the inputs; its own words follow.
    """
    try:
        with torch.no_grad():
            result: Tensor = model(inputs)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        raise ValueError(
            f"{name or 'the model'} does not run on inputs of shape {tuple(inputs.shape)} and "
            f"{inputs.dtype}: pass a batch as in training, or a model for such inputs ({error})"
        ) from error
    return result


def first(args: tuple[Any, ...], named: dict[str, Any]) -> Tensor:
    """Return the first argument of a call, as ``layer(x)`` has it or ``layer(input=x)``."""
    given: Tensor = [*args, *named.values()][0]
    return given


def layer_calls(model: nn.Module, inputs: Tensor, names: Iterable[str]) -> dict[str, list[Call]]:
    """Run the model, and return the calls of each named layer; a layer not reached has none.

    >>> calls = layer_calls(nn.Sequential(nn.ReLU()), torch.tensor([-1.0, 2.0]), ["0"])
    >>> calls["0"][0].y
    tensor([0., 2.])
    """
    calls: dict[str, list[Call]] = {name: [] for name in names}
    hooks = [
        model.get_submodule(name).register_forward_hook(
            lambda _, args, named, y, name=name: calls[name].append(Call(first(args, named), y)),
            with_kwargs=True,
        )
        for name in calls
    ]
    try:
        run_model(model, inputs)
    finally:
        for hook in hooks:
            hook.remove()
    return calls
