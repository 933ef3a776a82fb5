"""Running a model, and what it puts out."""

from __future__ import annotations

import copy
import dataclasses
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

Inputs = Tensor | tuple[Any, ...] | Mapping[str, Any]


def answers(model: nn.Module, inputs: Inputs) -> list[Tensor]:
    """Return what a model puts out: the tensors of float numbers among it."""
    args, kwargs = arguments(inputs)
    with torch.no_grad():
        return numbers(model(*args, **kwargs))


def numbers(result: Any) -> list[Tensor]:
    """Return the tensors of float numbers in a model's result, dequantized.

    >>> numbers({"logits": torch.tensor([1.0]), "tokens": torch.tensor([3])})
    [tensor([1.])]
    """
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        result = vars(result)
    found = [x for x in pytree.tree_leaves(floats(result)) if isinstance(x, Tensor)]
    return [x.detach() for x in found if x.is_floating_point() and not x.is_nested and x.numel()]


def floats(found: Any) -> Any:
    """Return what was found with its quantized tensors as floats."""
    return pytree.tree_map_only(Tensor, lambda x: x.dequantize() if x.is_quantized else x, found)


def arguments(inputs: Inputs) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return them as a call has them."""
    if isinstance(inputs, Mapping):
        return (), dict(inputs)
    return (inputs if isinstance(inputs, tuple) else (inputs,)), {}


def check_inputs(inputs: Any) -> None:
    """Raise unless this is a tensor, a tuple or a dictionary, and holds numbers.

    >>> check_inputs([1, 2])
    Traceback (most recent call last):
    TypeError: inputs is a list: pass a batch as a tensor, (x, y) for two arguments, or {"x": x}
    """
    if not isinstance(inputs, Tensor | tuple | Mapping):
        raise TypeError(
            f"inputs is a {type(inputs).__name__}: pass a batch as a tensor, (x, y) for two "
            'arguments, or {"x": x}'
        )
    if any(isinstance(x, Tensor) and not x.numel() for x in pytree.tree_leaves(inputs)):
        raise ValueError("inputs has an empty tensor, of which nothing can be seen: pass a batch")


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Say which model it was that does not run."""
    try:
        yield
    except Exception as error:
        raise ValueError(
            f"{name} does not run on these inputs; look on the page of symptoms for the message, "
            f"or pass a batch as it is used on ({reason(error)})"
        ) from error


def reason(error: Exception) -> str:
    """Return an error in a line.

    >>> reason(KeyError("x"))
    "KeyError: 'x'"
    """
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"


def copied(model: nn.Module) -> nn.Module:
    """Return a copy to run, because observers, caches and counters change in each call.

    Raises:
        ValueError: torch cannot copy it.
    """
    try:
        with warnings.catch_warnings(action="ignore"):  # of exported graphs
            return copy.deepcopy(model)
    except Exception as error:
        raise ValueError(
            "this model cannot be copied, and running it could change it: detach the tensors that "
            f"it keeps in attributes ({reason(error)})"
        ) from error
