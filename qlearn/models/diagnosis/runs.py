"""Running a model, and what it puts out."""

from __future__ import annotations

import copy
import dataclasses
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, fx, nn
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


def comparable(good: Any, ours: Any) -> bool:
    """Say whether two results are finite numbers of one shape.

    >>> comparable(torch.ones(2), torch.ones(2)), comparable(torch.ones(2), torch.ones(3))
    (True, False)
    """
    return (
        isinstance(good, Tensor)
        and isinstance(ours, Tensor)
        and not (good.is_nested or ours.is_nested)
        and good.ndim > 0
        and good.numel() > 0
        and good.shape == ours.shape
        and good.is_floating_point()
        and bool((good.isfinite() & ours.isfinite()).all())
    )


def arguments(inputs: Inputs) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return copies of them as a call has them: a model may write into its inputs."""
    inputs = pytree.tree_map_only(Tensor, torch.clone, inputs)
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


def copied(model: nn.Module, name: str) -> nn.Module:
    """Return a copy to run, because observers, caches and counters change in each call.

    Raises:
        ValueError: torch cannot copy it.
    """
    kept = [x for part in model.modules() for x in vars(part).values() if isinstance(x, Tensor)]
    known: dict[int, Any] = {id(x): x.detach().clone() for x in kept if not x.is_leaf}
    try:
        with warnings.catch_warnings(action="ignore"):  # of exported graphs
            result = copy.deepcopy(model, known)
    except Exception as error:
        raise ValueError(
            f"{name} cannot be copied, and running it could change it ({reason(error)}): pass a "
            "model without what torch does not copy"
        ) from error
    if isinstance(model, fx.GraphModule):  # whose own copy has no hooks
        hooks = {key: copy.copy(x) for key, x in vars(model).items() if key.startswith("_forward_")}
        vars(result).update(hooks)
    return result
