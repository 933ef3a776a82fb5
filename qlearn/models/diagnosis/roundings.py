"""What was measured where numbers became codes."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

RIGHT = 20.0  # dB: a tenth of the size is error; eight bits that fit leave 30 to 45
LOST = 6.0  # dB: below it, half of the size is error
MANY = 0.25  # share of the rows or channels of which so little is left
MOST = 0.5  # share of the numbers that become 0
FEWEST = 4  # rows or channels: of fewer, one is a large share
MUCH = 16  # times the variance of a channel: four times its size
LOOKED_AT = 2**20  # numbers of a tensor: rows beyond them are left out


class Rounding(NamedTuple):
    """A tensor before and after it was rounded to codes.

    Attributes:
        place: the layer or the node that it belongs to.
        scale: the size of a step.
        zero_point: the code of 0.
        codes: the first and the last code.
        reach: the smallest and the largest value.
        sqnr: of the rounded values, in dB.
        clipped: share of the values beyond the ends.
        clipping: share of the error's power that is theirs.
        used: how many codes are used; 0 where enough is left of the values.
        lost: the largest share that is lost, and of what: "channels" and "rows" with less than
            6 dB, or "numbers" that become 0. Channels of the model's inputs are also lost if what
            varies in them is.
        is_dynamic: whether the ruler is that of this batch.
    """

    place: str
    scale: float
    zero_point: int
    codes: tuple[int, int]
    reach: tuple[float, float]
    sqnr: float
    clipped: float
    clipping: float
    used: int
    lost: tuple[float, str]
    is_dynamic: bool = False

    @property
    def ends(self) -> tuple[float, float]:
        """The values of the first and of the last code."""
        low, high = self.codes
        return (low - self.zero_point) * self.scale, (high - self.zero_point) * self.scale

    @property
    def code_count(self) -> int:
        """How many codes there are."""
        return self.codes[1] - self.codes[0] + 1

    @property
    def is_default(self) -> bool:
        """Whether scale and zero point are those of an observer without data, and do not fit."""
        return self.scale == 1 and self.zero_point == 0 and self.sqnr < RIGHT

    @property
    def is_short(self) -> bool:
        """Whether little is left, because much lies beyond the ends."""
        return self.sqnr < RIGHT and self.clipping >= 0.5 and not self.is_default

    @property
    def is_long(self) -> bool:
        """Whether little is left, because few codes are used."""
        few = self.used <= self.code_count / 4
        return self.sqnr < RIGHT and self.clipping < 0.5 and few and not self.is_default

    def shares_ruler(self, other: Rounding) -> bool:
        """Whether another tensor, at least four times as large, has the same ruler."""
        mine, theirs = (max(map(abs, each.reach)) for each in (self, other))
        same = (self.scale, self.zero_point) == (other.scale, other.zero_point)
        return same and theirs >= 4 * mine > 0

    @property
    def loses_parts(self) -> bool:
        """Whether many parts are lost, though the large ones are not."""
        share, what = self.lost
        return self.sqnr >= RIGHT and share >= (MOST if what == "numbers" else MANY)


def rounding(
    place: str,
    x: Tensor,
    rounded: Tensor,
    scale: float,
    zero_point: int,
    codes: tuple[int, int],
    *,
    is_input: bool = False,
    is_dynamic: bool = False,
) -> Rounding | None:
    """Measure it; None where there is nothing, or no finite numbers.

    >>> x, rounded = torch.tensor([[0.2, 5.0]]), torch.tensor([[0.0, 3.0]])
    >>> seen = rounding("conv", x, rounded, 1.0, 0, (0, 3))
    >>> seen.ends, seen.clipped, seen.used
    ((0.0, 3.0), 0.5, 2)
    """
    x, rounded = (first_rows(part.detach()).double() for part in (x, rounded))
    if not x.numel() or not bool(torch.isfinite(x).all() & torch.isfinite(rounded).all()):
        return None
    low, high = ((code - zero_point) * scale for code in codes)
    outside = (x < low - scale / 2) | (x > high + scale / 2)
    error = (x - rounded).square()
    total, power = error.sum(), x.square().sum()
    decibels = 10 * torch.log10(power / total).item() if total else torch.inf
    return Rounding(
        place,
        scale,
        zero_point,
        codes,
        (x.min().item(), x.max().item()),
        decibels,
        outside.float().mean().item(),
        (error[outside].sum() / total).item() if total else 0.0,
        rounded.unique().numel() if decibels < RIGHT else 0,
        _lost(x, rounded, error, is_input=is_input),
        is_dynamic,
    )


def first_rows(x: Tensor) -> Tensor:
    """Return as many rows as are looked at, one at least."""
    if x.numel() <= LOOKED_AT or x.ndim < 2:
        return x
    return x[: max(1, LOOKED_AT * len(x) // x.numel())]


def channel_axes(x: Tensor) -> tuple[int, ...]:
    """Return the axes that may be those of the channels: of tokens the last, of signals not."""
    return (1, -1) if x.ndim == 3 else (1,)


def _lost(x: Tensor, rounded: Tensor, error: Tensor, *, is_input: bool) -> tuple[float, str]:
    """Return the largest share that is lost, and of what.

    Of an input each channel says something. Inside, some say little, and no model misses them.
    """
    alive = x != 0
    zeros = (rounded[alive] == 0).float().mean().item() if bool(alive.any()) else 0.0
    shares = [(zeros, "numbers")]
    if x.ndim > 1:
        kinds = (_lost_along, lost_variation) if is_input else (_lost_along,)
        channels = max(share(axis, x, error) for axis in channel_axes(x) for share in kinds)
        shares += [(channels, "channels"), (_lost_along(0, x, error), "rows")]
    return max(shares, key=lambda pair: pair[0] - (MOST - MANY) * (pair[1] == "numbers"))


def _lost_along(axis: int, x: Tensor, error: Tensor) -> float:
    """Return the share of the rows along an axis of which little is left; zeros are left out."""
    if x.shape[axis] < FEWEST:
        return 0.0
    power, noise = (part.movedim(axis, 0).flatten(1).sum(1) for part in (x.square(), error))
    return _share(noise, power)


def lost_variation(axis: int, x: Tensor, error: Tensor) -> float:
    """Return the share along an axis of which what varies is lost, whatever the mean is.

    Only those count beside which another one varies much more. The error is one that was squared.

    >>> x = torch.tensor([[9.1, 5.0, 9.3, 0.0], [9.3, 8.0, 9.1, 99.0]])
    >>> lost_variation(1, x, (x - x.round()).square())
    0.5
    """
    if x.shape[axis] < FEWEST:
        return 0.0
    power = x.movedim(axis, 0).flatten(1).var(1, correction=0)
    noise = error.movedim(axis, 0).flatten(1).mean(1)
    return _share(noise.masked_fill(power >= power.max() / MUCH, 0), power)


def _share(noise: Tensor, power: Tensor) -> float:
    """Return the share of those that have power in which less than 6 dB are left."""
    alive = power > 0
    lost = noise[alive] > power[alive] * 10 ** (-LOST / 10)
    return lost.double().mean().item() if len(lost) else 0.0
