"""Parts of a quantized model beside the float parts of the same names, on the same inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from qlearn.models.diagnosis.norms import Normed, is_norm, kept, with_norm
from qlearn.models.diagnosis.part_error import PartError, part_error
from qlearn.models.diagnosis.places import WHOLE, can_be_hooked
from qlearn.models.diagnosis.runs import cast_for, comparable, floats
from qlearn.models.simulated_layer import SimulatedLayer
from qlearn.numbers.metrics import sqnr

Which = Callable[[nn.Module, nn.Module], bool]


@contextmanager
def part_errors(
    quantized: nn.Module, model: nn.Module, which: Which
) -> Iterator[dict[str, PartError]]:
    """Measure, inside this block, the parts that run and have such a float part of their name."""
    errors: dict[str, PartError] = {}
    theirs = dict(model.named_modules())
    normed: dict[int, Normed] = {}
    with ExitStack() as hooks:
        for name, part in quantized.named_modules():
            partner = theirs.get(name)
            if partner is None or not can_be_hooked(part):
                continue
            if is_norm(part) and which is is_layer:
                hooks.callback(part.register_forward_hook(kept(normed, name, partner)).remove)
            if which(part, partner):
                measure = _measure(errors, name or WHOLE, partner, normed)
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


def _measure(
    errors: dict[str, PartError], name: str, partner: nn.Module, normed: dict[int, Normed]
) -> Callable[..., None]:
    """Return a hook that runs the float part on the same input."""

    def hook(part: nn.Module, args: Any, kwargs: Any, result: Any) -> None:
        try:
            exact = partner(*cast_for(partner, args), **cast_for(partner, kwargs))
        except (RuntimeError, TypeError, ValueError):  # such as of a part with other arguments
            return
        pairs = zip(pytree.tree_leaves(exact), pytree.tree_leaves(floats(result)), strict=False)
        for good, ours in pairs:
            if comparable(good, ours):
                good, ours, before = good.double(), ours.double(), errors.get(name)
                if before is None or sqnr(good, ours) < before.sqnr:
                    found = part_error(part, partner, (args, kwargs), good, ours)
                    norm, together = with_norm(normed, partner, (args, kwargs), ours)
                    errors[name] = found._replace(norm=norm, with_norm=together)

    return hook


def _keeps_weight(part: Any, partner: Any) -> bool:
    """Say whether a layer's weight is made of codes, or else the partner's bit by bit."""
    ours, exact = getattr(part, "weight", None), getattr(partner, "weight", None)
    if not isinstance(ours, Tensor) or not isinstance(exact, Tensor):
        return False
    plain = type(ours.data) is Tensor
    return not plain or (ours.shape == exact.shape and torch.equal(ours, exact.to(ours.dtype)))
