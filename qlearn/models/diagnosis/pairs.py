"""Parts of a quantized model beside the float parts of the same names, on the same inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from qlearn.models.diagnosis.gates import has_other_gates
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
        without_mean: the same in dB, once the mean of each channel's error is taken out.
        loudest: how many times as large as the median channel of its input the largest one is.
        weight: what is wrong with its weight; None without one, and where little is lost.
        rescaled: the same in dB, once each row has the size that fits best.
        has_other_gates: whether the float layer does the same with its gates in another order.
        norm: the norm that its input comes from, if it is one.
        with_norm: the SQNR of both together against both in float, in dB.
    """

    sqnr: float
    without_mean: float
    loudest: float
    weight: WeightError | None
    rescaled: float = -math.inf
    has_other_gates: bool = False
    norm: str = ""
    with_norm: float = math.inf


CHANGED = 60.0  # dB: a norm of another library, or in another type, is nearer than that
KEPT = 4  # norms: those that read one run soon
MOST = 1 - 1e-12  # of an error: its share that is the mean


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
                hooks.callback(part.register_forward_hook(_keep(normed, name, partner)).remove)
            if which(part, partner):
                measure = _measure(errors, name or WHOLE, partner, normed)
                hooks.callback(part.register_forward_hook(measure, with_kwargs=True).remove)
        yield errors


def is_norm(part: nn.Module) -> bool:
    """Say whether a part is a norm that divides by what it gets, as its class is called."""
    return "norm" in type(part).__name__.lower() and not any(part.children())


def _keep(normed: dict[int, Normed], name: str, partner: nn.Module) -> Callable[..., None]:
    """Return a hook that keeps what a norm put out, where the float norm puts out another thing."""

    def hook(_: nn.Module, args: Any, result: Any) -> None:
        if not isinstance(result, Tensor) or result.is_inference():
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
            given = cast_for(partner, args), cast_for(partner, kwargs)
            exact = partner(*given[0], **given[1])
        except (RuntimeError, TypeError, ValueError):  # such as of a part with other arguments
            return
        pairs = zip(pytree.tree_leaves(exact), pytree.tree_leaves(floats(result)), strict=False)
        for good, ours in pairs:
            if comparable(good, ours):
                decibels, before = sqnr(good.double(), ours.double()), errors.get(name)
                if before is not None and before.sqnr <= decibels:
                    continue
                x = next((x for x in pytree.tree_leaves(args) if isinstance(x, Tensor)), None)
                poor = decibels < RIGHT and x is not None
                errors[name] = PartError(
                    decibels,
                    decibels - 10 * math.log10(1 - _mean_share(ours.double() - good.double())),
                    _loudest(floats(x)) if poor and _rounds_inputs(part) else 1.0,
                    weight_error(part, partner, floats(x)) if poor else None,
                    _rescaled(ours.double(), good.double()) if poor else decibels,
                    poor and has_other_gates(partner, *given, ours),
                    *_with_norm(normed.get(id(x)), partner, (args, kwargs), ours),
                )

    return hook


def _with_norm(
    normed: Normed | None, partner: nn.Module, given: Any, ours: Tensor
) -> tuple[str, float]:
    """Return the changed norm in front of a layer, and how near both are to both in float."""
    if normed is None or normed.result._version != normed.version:
        return "", math.inf
    args, kwargs = cast_for(
        partner, pytree.tree_map(lambda x: normed.exact if x is normed.result else x, given)
    )
    with suppress(RuntimeError, TypeError, ValueError):
        good = pytree.tree_leaves(partner(*args, **kwargs))[0]
        if comparable(good, ours):
            return normed.name, sqnr(good.double(), ours.double())
    return "", math.inf


def _rescaled(ours: Tensor, good: Tensor) -> float:
    """Return the SQNR once each row, or token, has the size that fits best; of one number none."""
    if good.shape[-1] < 2:
        return -math.inf
    factors = (ours * good).sum(-1, True) / ours.square().sum(-1, True)
    return sqnr(good, (ours * factors).nan_to_num())


def _mean_share(error: Tensor) -> float:
    """Return the share of an error's power that is the mean of each channel."""
    power = error.square().mean()
    if not power:
        return 0.0
    axes = (1, -1) if error.ndim == 3 else (1 if error.ndim > 3 else -1,)
    by_channel = [error.movedim(axis, 0).reshape(error.shape[axis], -1) for axis in axes]
    share = max((each.mean(1).square().mean() / power).item() for each in by_channel)
    return min(share, MOST)


def _loudest(x: Tensor) -> float:
    """Return how many times as large as the median channel of rows or tokens the largest one is."""
    if not x.is_floating_point() or x.ndim not in (2, 3):
        return 1.0
    sizes = x.detach().abs().flatten(0, -2).amax(0).float()
    median = sizes.median().item()
    return sizes.max().item() / median if median else 1.0


def _rounds_inputs(part: nn.Module) -> bool:
    """Say whether a layer may round its inputs: those whose weight says how they are are asked."""
    weight = getattr(part, "weight", None)
    says = [n for n in ("act_quant_kwargs", "activation_quantization") if hasattr(weight, n)]
    return not says or any(getattr(weight, name) is not None for name in says)


def _keeps_weight(part: Any, partner: Any) -> bool:
    """Say whether a layer's weight is made of codes, or else the partner's bit by bit."""
    ours, exact = getattr(part, "weight", None), getattr(partner, "weight", None)
    if not isinstance(ours, Tensor) or not isinstance(exact, Tensor):
        return False
    plain = type(ours.data) is Tensor
    return not plain or (ours.shape == exact.shape and torch.equal(ours, exact.to(ours.dtype)))
