"""What the layers of a model are given and put out, while it runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle


class Call(NamedTuple):
    """Input and output of a layer, in one call of it: copies, which no later layer writes into."""

    x: Tensor
    y: Tensor


def run_model(model: nn.Module, inputs: Tensor, name: str = "") -> Tensor:
    """Return ``model(inputs)`` without gradients.

    Raises:
        ValueError: torch or the model refuses the inputs; its own words follow.
    """
    try:
        with torch.no_grad():
            result: Tensor = model(inputs)
    except (RuntimeError, LookupError, TypeError, ValueError, AssertionError) as error:
        raise ValueError(
            f"{name or 'the model'} does not run on inputs of shape {tuple(inputs.shape)} and "
            f"{inputs.dtype}: pass a batch as in training, or a model for such inputs ({error})"
        ) from error
    return result


def first(args: tuple[Any, ...], named: dict[str, Any]) -> Tensor:
    """Return the first argument of a call, as ``layer(x)`` has it or ``layer(input=x)``."""
    given: Tensor = [*args, *named.values()][0]
    return given


def watch(layer: nn.Module, calls: list[Call]) -> list[RemovableHandle]:
    """Let a layer add each of its calls to a list; the hooks are the caller's to remove."""
    given: list[Tensor] = []

    def before(_: nn.Module, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        given.append(first(args, named).clone())

    def after(_: nn.Module, args: tuple[Any, ...], y: Tensor) -> None:
        calls.append(Call(given.pop(), y.clone()))

    return [
        layer.register_forward_pre_hook(before, with_kwargs=True),
        layer.register_forward_hook(after),
    ]


def layer_calls(model: nn.Module, inputs: Tensor, names: Iterable[str]) -> dict[str, list[Call]]:
    """Run the model, and return the calls of each named layer; a layer not reached has none.

    >>> calls = layer_calls(nn.Sequential(nn.ReLU(inplace=True)), torch.tensor([-1.0, 2.0]), ["0"])
    >>> calls["0"][0]
    Call(x=tensor([-1.,  2.]), y=tensor([0., 2.]))
    """
    calls: dict[str, list[Call]] = {name: [] for name in names}
    hooks = [
        hook for name, found in calls.items() for hook in watch(model.get_submodule(name), found)
    ]
    try:
        run_model(model, inputs)
    finally:
        for hook in hooks:
            hook.remove()
    return calls
