"""What a part of a quantized model puts out, beside the float part on the same input."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from torch import Tensor, nn
from torch.func import functional_call
from torch.utils import _pytree as pytree

from qlearn.models.diagnosis.gates import has_other_gates
from qlearn.models.diagnosis.roundings import RIGHT
from qlearn.models.diagnosis.runs import cast_for, comparable, floats, numbers
from qlearn.models.diagnosis.weight_error import WeightError, shown, weight_error
from qlearn.numbers.metrics import sqnr

MOST = 1 - 1e-12  # of an error: its share that is the mean


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
        by_weight: the SQNR in dB of the float layer with the part's weight in it.
    """

    sqnr: float
    without_mean: float = -math.inf
    loudest: float = 1.0
    weight: WeightError | None = None
    rescaled: float = -math.inf
    has_other_gates: bool = False
    norm: str = ""
    with_norm: float = math.inf
    by_weight: float = math.inf


def part_error(
    part: nn.Module, partner: nn.Module, given: tuple[Any, Any], good: Tensor, ours: Tensor
) -> PartError:
    """Measure a result of a part, called with these arguments, beside that of the float part.

    Both are float64. Where little is lost, nothing is looked for.
    """
    decibels = sqnr(good, ours)
    x = next((x for x in pytree.tree_leaves(given) if isinstance(x, Tensor)), None)
    if decibels >= RIGHT or x is None:
        return PartError(decibels)
    args, kwargs = cast_for(partner, given)
    return PartError(
        decibels,
        decibels - 10 * math.log10(1 - _mean_share(ours - good)),
        _loudest(floats(x)) if _rounds_inputs(part) else 1.0,
        weight_error(part, partner, floats(x)),
        _rescaled(ours, good),
        has_other_gates(partner, args, kwargs, ours),
        by_weight=_by_weight(part, partner, (args, kwargs), good),
    )


def _by_weight(part: nn.Module, partner: nn.Module, given: tuple[Any, Any], good: Tensor) -> float:
    """Return the SQNR of the float layer with the part's weight, infinity where it shows none."""
    exact = getattr(partner, "weight", None)
    try:
        weight = shown(part)
        if weight is None or not isinstance(exact, Tensor) or weight.shape != exact.shape:
            return math.inf
        found = numbers(functional_call(partner, {"weight": weight.to(exact.dtype)}, *given))
    except Exception:  # whatever somebody's own layer does
        return math.inf
    return sqnr(good, found[0].double()) if found and comparable(good, found[0]) else math.inf


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
