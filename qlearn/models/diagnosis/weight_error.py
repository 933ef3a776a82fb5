"""What is wrong with the weight of one layer."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from qlearn.models.diagnosis.possible import code_count, possible
from qlearn.models.diagnosis.roundings import RIGHT
from qlearn.models.diagnosis.weights import is_made, living_rows

APART = 6.0  # dB: GPTQ gives up 5 of the weight's for the outputs', and rounding to nearest none
RATIO = 0.2  # of an octave: more is another scale
SPREAD = 2.0  # from the smallest factor of a row to the largest: a wrong scale is wrong for all
EMPTY = 0.05  # share of the rows
PRUNED = 0.3  # share of the numbers that are 0
FEW = 8  # rows or columns: fewer are alike by chance
SMALLER, OTHER_SIGN = 1 / 8, -0.5  # share of the inputs, and a cosine
MOST_ROWS = 1024  # that are compared with each other
MOST_INPUTS = 4096  # of a layer that is asked for its weight


class WeightError(NamedTuple):
    """A weight beside the float one.

    Attributes:
        sqnr: in dB, each row counting the same.
        factor: how many times as large as the float one it is; 1 if it points elsewhere.
        empty: share of the rows that are 0, and not so in float.
        turned: whether it holds the float one rotated, or its rows or columns in another order.
        possible: what as many values as it has could keep, in dB.
        flipped: share of the columns that large inputs meet with the other sign.
        spread: the factor of the largest row by that of the smallest; 1 if it points elsewhere.
    """

    sqnr: float
    factor: float
    empty: float
    turned: bool
    possible: float = -math.inf
    flipped: float = 0.0
    spread: float = 1.0

    @property
    def octaves(self) -> float:
        """How often it doubled in size, or was halved."""
        return abs(math.log2(abs(self.factor) or 1))

    @property
    def is_another_size(self) -> bool:
        """Whether it has another scale than the float one."""
        return self.octaves > RATIO

    @property
    def is_smoothed(self) -> bool:
        """Whether each row has a factor of its own."""
        return self.spread > SPREAD

    @property
    def lost_rows(self) -> bool:
        """Whether many of its rows are 0."""
        return self.empty > EMPTY

    @property
    def is_misread(self) -> bool:
        """Whether its values could keep much more, and neither size nor rows are the reason."""
        is_apart = APART < self.possible - self.sqnr < math.inf  # of few numbers all may be kept
        has_reason = self.is_another_size or self.is_smoothed or self.lost_rows
        return not has_reason and 0 <= self.sqnr < RIGHT and is_apart


def weight_error(part: Any, partner: Any, x: Tensor) -> WeightError | None:
    """Compare a layer's weight with the float one; None where there is none.

    A layer that shows none is asked for it, by inputs of which one number is not 0.
    """
    exact = getattr(partner, "weight", None)
    if not isinstance(exact, Tensor) or exact.ndim < 2:
        return None
    try:
        ours, flipped = shown(part), 0.0
        if (ours is None or ours.shape != exact.shape) and isinstance(partner, nn.Linear):
            ours = _asked(part, partner, x)
            flipped = 0.0 if ours is None else _flipped(ours, _asked(part, partner, x, SMALLER))
    except Exception:  # whatever somebody's own layer does
        return None
    if ours is None or ours.shape != exact.shape:
        return None
    found, is_pruned = compared(ours, exact), (ours == 0).double().mean() > PRUNED
    could = -math.inf if is_pruned else possible(ours, exact, code_count(part, exact))
    return found._replace(possible=could, flipped=flipped, turned=found.turned and not flipped)


def compared(ours: Tensor, exact: Tensor) -> WeightError:
    """Compare two weights.

    >>> compared(torch.tensor([[3.0, 6.0], [0.0, 0.0]]), torch.tensor([[1.0, 2.0], [1.0, 0.0]]))
    WeightError(sqnr=-3.9..., factor=3.0, empty=0.5, turned=False, possible=-inf, flipped=0.0, \
spread=1.0)
    """
    ours, exact, power = living_rows(ours, exact)
    is_turned = turned(ours, exact)
    noise = ((ours - exact).square().sum(1) / power).mean().item() if len(power) else 0.0
    cosine = functional.cosine_similarity(ours, exact)
    factors = ((ours * exact).sum(1) / power)[cosine > 0.95]
    empty = (ours == 0).all(1)
    same_way = len(factors) > 0 and len(factors) >= 0.9 * int((~empty).sum())
    low, high = factors.abs().aminmax() if same_way else (1.0, 1.0)
    return WeightError(
        -10 * math.log10(noise) if noise else math.inf,
        factors.median().item() if same_way else 1.0,
        empty.double().mean().item() if len(empty) else 0.0,
        is_turned,
        spread=float(high / low),
    )


def turned(ours: Tensor, exact: Tensor) -> bool:
    """Say whether a matrix is another one, rotated on one side, or in another order.

    The products of its rows, or of its columns, with each other are then the same.

    >>> exact = torch.arange(64.0).reshape(8, 8).sin()
    >>> turned(exact.flip(1), exact), turned(exact, exact), turned(exact.cos(), exact)
    (True, False, False)
    """
    ours, exact = (
        part.detach().dequantize().double().flatten(1)[:MOST_ROWS] for part in (ours, exact)
    )
    if min(exact.shape) < FEW or _cosine(ours, exact) > 0.9:
        return False
    pairs = (ours @ ours.T, exact @ exact.T), (ours.T @ ours, exact.T @ exact)
    return max(_cosine(*map(_without_diagonal, pair)) for pair in pairs) > 0.8


def _without_diagonal(products: Tensor) -> Tensor:
    """Return the products of different rows: those with themselves are alike in all weights."""
    return products - torch.diag(products.diag())


def _cosine(one: Tensor, other: Tensor) -> float:
    return functional.cosine_similarity(one.flatten(), other.flatten(), dim=0).item()


def shown(part: Any) -> Tensor | None:
    """Return the weight that a layer has, as floats."""
    weight = getattr(part, "weight", None)
    if callable(weight) and not isinstance(weight, Tensor):
        weight = weight()
    if not isinstance(weight, Tensor):
        return None
    weight = weight.detach().dequantize() if is_made(weight) else weight.detach()
    return weight if weight.is_floating_point() and weight.dtype.itemsize > 1 else None


def _flipped(large: Tensor, small: Tensor | None) -> float:
    """Return the share of the columns whose sign is another one for inputs that are smaller."""
    if small is None:
        return 0.0
    return (functional.cosine_similarity(large, small, dim=0) < OTHER_SIGN).double().mean().item()


def _asked(part: nn.Module, partner: nn.Linear, x: Tensor, share: float = 1.0) -> Tensor | None:
    """Return the weight by which a layer multiplies inputs as large as its own, or a share."""
    inputs = partner.in_features
    if inputs > MOST_INPUTS or x.shape[-1] != inputs:
        return None
    sizes = share * x.detach().abs().reshape(-1, inputs).amax(0)
    sizes = torch.where(sizes > 0, sizes, torch.ones_like(sizes))
    alone = torch.diag(sizes)
    found: Tensor = part.forward(alone) - part.forward(torch.zeros_like(alone))  # without hooks
    return (found.double() / sizes.double()[:, None]).T
