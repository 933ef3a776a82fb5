"""Running a model, and what it puts out."""

from __future__ import annotations

import copy
import dataclasses
import textwrap
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.utils import _pytree as pytree

from qlearn.numbers.metrics import sqnr

LONGEST = 160  # letters of an error that a finding quotes
FEW_COLUMNS, MANY_ROWS = 3, 8  # of an output of numbers, such as a price
AGREE = 0.95  # of the answers
CONSTANT = 1e-6  # of the power: less variation is none
Inputs = Tensor | tuple[Any, ...] | Mapping[str, Any]


def answers(model: nn.Module, inputs: Inputs) -> list[Tensor]:
    """Return copies of what a model puts out: the tensors of float numbers among it.

    One number for each row becomes a column.
    """
    found, rows = [x.clone() for x in returned(model, inputs)], row_count(inputs)
    return [x[:, None] if x.shape == (rows,) else x for x in found]


def returned(model: nn.Module, inputs: Inputs) -> list[Tensor]:
    """Return the tensors of float numbers that a model puts out: themselves, and no copies."""
    args, kwargs = arguments(inputs)
    with torch.no_grad():
        return numbers(model(*args, **kwargs))


def row_count(inputs: Inputs) -> int | None:
    """Return how many rows the inputs have; None where the tensors have not one such number.

    >>> row_count((torch.zeros(3, 2), torch.zeros(3))), row_count((torch.zeros(3), torch.zeros(4)))
    (3, None)
    """
    tensors = [x for x in pytree.tree_leaves(inputs) if isinstance(x, Tensor)]
    counts = {len(x) if x.ndim else 0 for x in tensors}
    return (counts.pop() or None) if len(counts) == 1 else None


def numbers(result: Any) -> list[Tensor]:
    """Return the tensors of float numbers in a model's result, dequantized.

    >>> numbers({"logits": torch.tensor([1.0]), "tokens": torch.tensor([3])})
    [tensor([1.])]
    """
    found = [floats(x).detach() for x in _leaves(result) if isinstance(x, Tensor)]
    return [
        x.float() if x.dtype.itemsize == 1 else x
        for x in found
        if x.is_floating_point() and x.layout == torch.strided and x.numel()
    ]


def _leaves(result: Any) -> Iterator[Any]:
    """Yield what a result is made of, the fields of dataclasses and of other mappings, too."""
    for leaf in pytree.tree_leaves(result):
        if dataclasses.is_dataclass(leaf) and not isinstance(leaf, type):
            yield from _leaves([getattr(leaf, each.name) for each in dataclasses.fields(leaf)])
        elif isinstance(leaf, Mapping):
            yield from _leaves(list(leaf.values()))
        else:
            yield leaf


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


def without_infinities(good: Tensor, ours: Tensor) -> tuple[Tensor, Tensor]:
    """Return two results with 0 where both have the same infinity, as where both are masked.

    >>> without_infinities(torch.tensor([1.0, -torch.inf]), torch.tensor([2.0, -torch.inf]))
    (tensor([1., 0.]), tensor([2., 0.]))
    """
    if good.shape != ours.shape:
        return good, ours
    same = good.isinf() & (good == ours)
    return good.masked_fill(same, 0), ours.masked_fill(same, 0)


def compared(exact: list[Tensor], found: list[Tensor]) -> list[tuple[Tensor, Tensor]]:
    """Return pairs of results in float64, as far as they can be compared."""
    pairs = [without_infinities(*pair) for pair in zip(exact, found, strict=False)]
    return [(good.double(), ours.double()) for good, ours in pairs if comparable(good, ours)]


def output_sqnr(good: Tensor, ours: Tensor) -> float:
    """Return the SQNR of an output in dB; of few columns the least against what varies in one.

    A price around 300 that is off by 3 has 40 dB, which says little where prices differ by 5.

    >>> good = torch.tensor([[300.0], [310.0]] * 4)
    >>> output_sqnr(good, good + 1)
    13.9...
    """
    whole = sqnr(good, ours)
    if good.ndim != 2 or good.shape[1] > FEW_COLUMNS or len(good) < MANY_ROWS:
        return whole
    if good.shape[1] > 1 and (good.argmax(1) == ours.argmax(1)).double().mean() >= AGREE:
        return whole  # as of a classifier
    power, noise = good.var(0, correction=0), (good - ours).square().mean(0)
    varies = power > CONSTANT * good.square().mean(0)
    columns = 10 * torch.log10(power[varies] / noise[varies])
    return min([whole, *columns.tolist()])


def least_sqnr(exact: list[Tensor], found: list[Tensor]) -> float | None:
    """Return the least SQNR in dB of some results; None if none can be compared.

    >>> least_sqnr([torch.ones(4)], [torch.full((4,), 1.1)])
    19.99999...
    """
    return min((output_sqnr(*pair) for pair in compared(exact, found)), default=None)


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


def cast_for(model: nn.Module, given: Any) -> Any:
    """Return what was given, dequantized, its floats in the type that a model computes in."""
    kinds = (x.dtype for x in model.parameters() if x.is_floating_point())
    given, dtype = floats(given), next(kinds, None)
    if dtype is None:
        return given
    return pytree.tree_map_only(
        Tensor, lambda x: x.to(dtype) if x.is_floating_point() else x, given
    )


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Say which model it was that does not run."""
    try:
        yield
    except Exception as error:
        raise ValueError(
            f"{name} does not run on these inputs; look on the page of symptoms for the message, "
            f"or pass the arguments of its forward ({reason(error)})"
        ) from error


def reason(error: Exception) -> str:
    """Return an error in a line.

    >>> reason(KeyError("x"))
    "KeyError: 'x'"
    """
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {textwrap.shorten(lines[0], LONGEST, placeholder='…')}"


def exchanged(model: nn.Module, parts: Mapping[str, nn.Module]) -> nn.Module:
    """Return a copy of a model that has copies of other parts under these names."""
    mixed = copy.deepcopy(model)
    for name, part in parts.items():
        mixed.set_submodule(name, copy.deepcopy(part))
    return mixed


def copied(model: nn.Module, name: str) -> nn.Module:
    """Return a copy to run, because observers, caches and counters change in each call.

    Raises:
        ValueError: torch cannot copy it.
    """
    kept = [x for part in model.modules() for x in pytree.tree_leaves(dict(vars(part)))]
    known: dict[int, Any] = {
        id(x): x.detach().clone() for x in kept if isinstance(x, Tensor) and not x.is_leaf
    }
    try:
        with warnings.catch_warnings(action="ignore"):  # of exported graphs
            result = copy.deepcopy(model, known)
    except Exception as error:
        raise ValueError(
            f"{name} cannot be copied, and running it could change it ({reason(error)}): take out "
            "of it, or detach, what torch does not copy"
        ) from error
    for part, ours in zip(model.modules(), result.modules(), strict=True):
        if isinstance(part, fx.GraphModule):  # whose own copy has no hooks, nor what they ask for
            hooks = {k: copy.copy(x) for k, x in vars(part).items() if k.startswith("_forward_")}
            asked = {k: x for k, x in vars(part).items() if k not in vars(ours)}
            vars(ours).update(asked | hooks)
    return result
