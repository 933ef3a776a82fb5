"""Norms that were changed, and the layers that read them."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from torch import Tensor, nn
from torch.utils import _pytree as pytree

from qlearn.models.diagnosis.runs import cast_for, comparable
from qlearn.numbers.metrics import sqnr

CHANGED = 60.0  # dB: a norm of another library, or in another type, is nearer than that
KEPT = 4  # norms: those that read one run soon


class Normed(NamedTuple):
    """What a norm put out that was changed.

    Attributes:
        name: the norm's.
        exact: what the float norm puts out for the same.
        result: what this one did, kept alive, so that no other tensor gets its place.
        version: how often it had been written into.
    """

    name: str
    exact: Tensor
    result: Tensor
    version: int


def is_norm(part: nn.Module) -> bool:
    """Say whether a part is a norm that divides by what it gets, as its class is called."""
    return "norm" in type(part).__name__.lower() and not any(part.children())


def kept(normed: dict[int, Normed], name: str, partner: nn.Module) -> Callable[..., None]:
    """Return a hook that keeps what a norm put out, where the float norm puts out another thing."""

    def hook(_: nn.Module, args: Any, result: Any) -> None:
        if not isinstance(result, Tensor) or result.is_quantized or result.is_inference():
            return
        try:
            exact = partner(*cast_for(partner, args))
        except (RuntimeError, TypeError, ValueError):  # such as of a norm with other arguments
            return
        if comparable(exact, result) and sqnr(exact.double(), result.double()) < CHANGED:
            while len(normed) >= KEPT:
                del normed[next(iter(normed))]
            normed[id(result)] = Normed(name, exact, result, result._version)

    return hook


def with_norm(
    normed: dict[int, Normed], partner: nn.Module, given: Any, ours: Tensor
) -> tuple[str, float]:
    """Return the changed norm in front of a layer, and how near both are to both in float."""
    read = (normed.get(id(x)) for x in pytree.tree_leaves(given))
    norm = next((each for each in read if each is not None), None)
    if norm is None or norm.result._version != norm.version:
        return "", math.inf
    args, kwargs = cast_for(
        partner, pytree.tree_map(lambda x: norm.exact if x is norm.result else x, given)
    )
    with suppress(RuntimeError, TypeError, ValueError):
        good = pytree.tree_leaves(partner(*args, **kwargs))[0]
        if comparable(good, ours):
            return norm.name, sqnr(good.double(), ours.double())
    return "", math.inf
