"""Layers of a quantized model beside the float layers of the same names, on the same inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from qlearn.models.diagnosis.places import can_be_hooked
from qlearn.models.diagnosis.runs import comparable, floats
from qlearn.models.simulated_layer import SimulatedLayer
from qlearn.numbers.metrics import sqnr


class LayerError(NamedTuple):
    """What a layer adds to the error, in the call that added most.

    Attributes:
        sqnr: of its output against the float layer's on the same input, in dB.
        mean_share: share of the error's power that is the mean of each channel.
        weight: SQNR in dB of its weight against the float layer's, in which each row counts the
            same; infinity without a weight.
    """

    sqnr: float
    mean_share: float
    weight: float


@contextmanager
def layer_errors(quantized: nn.Module, model: nn.Module) -> Iterator[dict[str, LayerError]]:
    """Measure, inside this block, each layer that runs and has a float layer of its name.

    Layers that were fused with the next one are left out, since no float layer stands for them.
    """
    errors: dict[str, LayerError] = {}
    theirs = dict(model.named_modules())
    with ExitStack() as hooks:
        for name, part in quantized.named_modules():
            partner = theirs.get(name)
            if partner is not None and can_be_hooked(part) and _is_alone(part, partner):
                hook = part.register_forward_hook(_measure(errors, name, partner), with_kwargs=True)
                hooks.callback(hook.remove)
        yield errors


def _measure(errors: dict[str, LayerError], name: str, partner: nn.Module) -> Callable[..., None]:
    """Return a hook that runs the float layer on the same input."""

    def hook(part: nn.Module, args: Any, kwargs: Any, result: Any) -> None:
        try:
            exact = partner(*floats(args), **floats(kwargs))
        except (RuntimeError, TypeError, ValueError):  # such as of a model in another dtype
            return
        pairs = zip(pytree.tree_leaves(exact), pytree.tree_leaves(floats(result)), strict=False)
        for good, ours in pairs:
            if comparable(good, ours):
                weight = _weight_sqnr(part, partner)
                found = LayerError(
                    sqnr(good.float(), ours.float()), _mean_share(ours - good), weight
                )
                errors[name] = min(found, errors.get(name, found))

    return hook


def _weight_sqnr(part: Any, partner: Any) -> float:
    """Return the SQNR in dB of a weight against the float one; infinity where there is none."""
    ours, exact = getattr(part, "weight", None), getattr(partner, "weight", None)
    ours = ours() if callable(ours) and not isinstance(ours, Tensor) else ours
    if not isinstance(ours, Tensor) or not isinstance(exact, Tensor):
        return math.inf
    if ours.shape != exact.shape or exact.ndim < 2:
        return math.inf
    error = (ours.detach().dequantize() - exact.detach()).double().flatten(1)
    rows = exact.detach().double().flatten(1)
    power = rows.square().sum(1)
    noise = (error.square().sum(1) / power)[power > 0]
    return -10 * math.log10(noise.mean().item()) if noise.any() else math.inf


def _mean_share(error: Tensor) -> float:
    """Return the share of an error's power that is the mean of each channel."""
    axis = 1 if error.ndim > 3 else -1
    by_channel = error.double().movedim(axis, 0).reshape(error.shape[axis], -1)
    power = by_channel.square().mean()
    return (by_channel.mean(1).square().mean() / power).item() if power else 0.0


def _is_alone(part: nn.Module, partner: nn.Module) -> bool:
    """Say whether a layer with codes does what one float layer does.

    Layers of torch.ao may hold the batch norm and the ReLU behind them, too; so do float layers
    that a batch norm was folded into.
    """
    kind = type(part)
    if any(partner.children()) or getattr(partner, "inplace", False):
        return False
    if isinstance(part, SimulatedLayer):
        return True
    if kind is type(partner):
        return _keeps_weight(part, partner)
    static = "quantized.modules" in kind.__module__ and "Transpose" not in kind.__name__
    fused = any(word in kind.__name__ for word in ("Conv", "Linear", "Identity", "ReLU"))
    mixed = "intrinsic" in kind.__module__ or (static and fused)
    return "quantized" in kind.__module__ and not mixed


def _keeps_weight(part: Any, partner: Any) -> bool:
    """Say whether a layer's weight is made of codes, or else the partner's bit by bit."""
    ours, exact = getattr(part, "weight", None), getattr(partner, "weight", None)
    if not isinstance(ours, Tensor) or not isinstance(exact, Tensor):
        return False
    plain = type(ours.data) is Tensor
    return not plain or (ours.shape == exact.shape and torch.equal(ours, exact))
