"""Parts of a quantized model beside the float parts of the same names, on the same inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from qlearn.models.diagnosis.places import WHOLE, can_be_hooked
from qlearn.models.diagnosis.roundings import RIGHT
from qlearn.models.diagnosis.runs import cast_for, comparable, floats
from qlearn.models.diagnosis.weight_error import WeightError, weight_error
from qlearn.models.simulated_layer import SimulatedLayer
from qlearn.numbers.metrics import sqnr


class PartError(NamedTuple):
    """What a part adds to the error, in the call that added most.

    Attributes:
        sqnr: of its output against the float part's on the same input, in dB.
        mean_share: share of the error's power that is the mean of each channel.
        loudest: how many times as large as the median channel of its input the largest one is.
        weight: what is wrong with its weight; None without one, and where little is lost.
    """

    sqnr: float
    mean_share: float
    loudest: float
    weight: WeightError | None


Which = Callable[[nn.Module, nn.Module], bool]


@contextmanager
def part_errors(
    quantized: nn.Module, model: nn.Module, which: Which
) -> Iterator[dict[str, PartError]]:
    """Measure, inside this block, the parts that run and have such a float part of their name."""
    errors: dict[str, PartError] = {}
    theirs = dict(model.named_modules())
    with ExitStack() as hooks:
        for name, part in quantized.named_modules():
            partner = theirs.get(name)
            if partner is not None and can_be_hooked(part) and which(part, partner):
                measure = _measure(errors, name or WHOLE, partner)
                hooks.callback(part.register_forward_hook(measure, with_kwargs=True).remove)
        yield errors


def is_layer(part: nn.Module, partner: nn.Module) -> bool:
    """Say whether a layer with codes does what one float layer does.

    Layers of torch.ao may hold the batch norm and the ReLU behind them, too; so do float layers
    that a batch norm was folded into.
    """
    kind = type(part)
    own = not kind.__module__.startswith("torch.") and kind is not type(partner)
    if own and not any(part.children()):  # somebody's own, perhaps for several layers
        return any(True for _ in partner.parameters())
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


def is_block(part: nn.Module, partner: nn.Module) -> bool:
    """Say whether a part has parts, and code of its own that may do something else."""
    own = not isinstance(part, nn.Sequential | nn.ModuleList)
    ours = not type(part).__module__.startswith("torch.ao.")
    return own and ours and any(part.children()) and any(partner.children())


def _measure(errors: dict[str, PartError], name: str, partner: nn.Module) -> Callable[..., None]:
    """Return a hook that runs the float part on the same input."""

    def hook(part: nn.Module, args: Any, kwargs: Any, result: Any) -> None:
        try:
            exact = partner(*cast_for(partner, args), **cast_for(partner, kwargs))
        except (RuntimeError, TypeError, ValueError):  # such as of a part with other arguments
            return
        pairs = zip(pytree.tree_leaves(exact), pytree.tree_leaves(floats(result)), strict=False)
        for good, ours in pairs:
            if comparable(good, ours):
                decibels = sqnr(good.double(), ours.double())
                x = next((x for x in pytree.tree_leaves(args) if isinstance(x, Tensor)), None)
                poor = decibels < RIGHT and x is not None
                found = PartError(
                    decibels,
                    _mean_share(ours.double() - good.double()),
                    _loudest(floats(x)) if poor else 1.0,
                    weight_error(part, partner, floats(x)) if poor else None,
                )
                before = errors.get(name)
                errors[name] = found if before is None or found.sqnr < before.sqnr else before

    return hook


def _mean_share(error: Tensor) -> float:
    """Return the share of an error's power that is the mean of each channel."""
    power = error.square().mean()
    if not power:
        return 0.0
    axes = (1, -1) if error.ndim == 3 else (1 if error.ndim > 3 else -1,)
    by_channel = [error.movedim(axis, 0).reshape(error.shape[axis], -1) for axis in axes]
    return max((each.mean(1).square().mean() / power).item() for each in by_channel)


def _loudest(x: Tensor) -> float:
    """Return how many times as large as the median channel of rows or tokens the largest one is."""
    if not x.is_floating_point() or x.ndim not in (2, 3):
        return 1.0
    sizes = x.detach().abs().flatten(0, -2).amax(0).float()
    median = sizes.median().item()
    return sizes.max().item() / median if median else 1.0


def _keeps_weight(part: Any, partner: Any) -> bool:
    """Say whether a layer's weight is made of codes, or else the partner's bit by bit."""
    ours, exact = getattr(part, "weight", None), getattr(partner, "weight", None)
    if not isinstance(ours, Tensor) or not isinstance(exact, Tensor):
        return False
    plain = type(ours.data) is Tensor
    return not plain or (ours.shape == exact.shape and torch.equal(ours, exact.to(ours.dtype)))
