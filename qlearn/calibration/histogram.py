"""Counts of values in equal bins, and the way from a histogram to one of wider bins.

Both are what torch's HistogramObserver computes, in every bit, in less time.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float32, Int64
from torch import Tensor

# Into how many parts a bin is cut when it is moved to a histogram of wider bins.
PARTS = 16

# Up to here a float32 counts without a gap; torch.histc counts in float32, each thread for itself.
EXACT_COUNTS = 2**24


def bin_counts(
    values: Float32[Tensor, "*shape"], bins: int, low: Tensor, high: Tensor
) -> Float32[Tensor, " bins"]:
    """Return how many of the values, all in low … high, fall into each of ``bins`` equal bins.

    Source: ``torch.histc``, in every bit.

    >>> bin_counts(torch.tensor([0.0, 0.1, 0.9, 1.0]), 2, torch.tensor(0.0), torch.tensor(1.0))
    tensor([2., 2.])
    """
    # What torch.histc does with a range of no width, or too wide for float32, is left to it.
    ordinary = 0 < ((high - low) * bins).item() < math.inf
    if ordinary and values.numel() < EXACT_COUNTS:
        return _fast_counts(values, bins, low, high)
    return torch.histc(values, bins, min=low.item(), max=high.item())


def _fast_counts(values: Tensor, bins: int, low: Tensor, high: Tensor) -> Tensor:
    """Count by whole vectors: torch.histc's own arithmetic, but one step for all values at a time.

    The largest value ends up in a bin of its own behind the last, and is put back into that.
    """
    places = (values - low).mul_(bins).div_(high - low)  # in place: new memory costs more time
    small = torch.int16 if bins < 2**15 else torch.int64
    counts = torch.bincount(places.to(small).flatten(), minlength=bins + 1)
    counts[bins - 1] += counts[bins]
    return counts[:bins].to(torch.float32)


def moved_counts(
    counts: Float32[Tensor, " bins"],
    old: tuple[Tensor, Tensor],
    new: tuple[Tensor, Tensor],
) -> Float32[Tensor, " bins"]:
    """Return the counts of the range ``old`` in the bins of the range ``new``, which holds it.

    Each bin is cut into PARTS parts of equal count, and each part goes to the new bin that its
    middle lies in. Both ranges are (smallest, largest).

    >>> ranges = [(torch.tensor(0.0), torch.tensor(end)) for end in (2.0, 4.0)]
    >>> moved_counts(torch.tensor([3.0, 5.0]), *ranges)
    tensor([8., 0.])
    """
    bins, (low, high) = counts.numel(), old
    if old == new:
        return counts
    if low == high:  # all of them in the bin of the one value
        return bin_counts(low, bins, *new) * counts.sum()
    parts = (counts / PARTS).unsqueeze(1).expand(-1, PARTS).flatten()
    width = (high - low) / parts.numel()
    middles = torch.linspace(low, high, parts.numel() + 1)[:-1].add_(0.5 * width)
    edges = torch.linspace(*new, bins + 1)[1:-1]  # what lies beyond the ends is in the end bins
    if not _wide(width, old, new):
        return torch.bincount(_places(middles, edges), weights=parts, minlength=bins)
    return torch.segment_reduce(parts, "sum", offsets=_begins(middles, edges, low, width))


def _places(
    middles: Float32[Tensor, " parts"], edges: Float32[Tensor, " inner"]
) -> Int64[Tensor, " parts"]:
    """Return the bin that each middle lies in, which is how many edges lie at or below it."""
    return torch.bucketize(middles, edges, right=True)


def _wide(width: Tensor, old: tuple[Tensor, Tensor], new: tuple[Tensor, Tensor]) -> bool:
    """Say whether a part is so wide that float32 keeps its middle within an eighth of its width.

    linspace is off by some 2^-22 of the largest number, and by more where numbers are so small
    that float32 has fewer bits for them. The new range must be a number, too.
    """
    largest = max(abs(end.item()) for end in old)
    wide = width.item() > max(2.0**-17 * largest, 2.0**-100)
    return wide and bool(torch.isfinite(new[1] - new[0]))


def _begins(
    middles: Float32[Tensor, " parts"], edges: Float32[Tensor, " inner"], low: Tensor, width: Tensor
) -> Int64[Tensor, " bins+1"]:
    """Return at which part each new bin begins, and the number of parts: as _places has it.

    Below an edge at a distance of t widths lie ⌊t + 1/2⌋ middles. A quarter less gives that
    number or one less, whatever the rounding; then one comparison tells which of the two.
    """
    parts = middles.numel()
    guess = ((edges - low) / width + 0.25).clamp_(0, parts - 1).to(torch.int64)
    below = guess + (middles[guess] < edges)
    return torch.cat([below.new_zeros(1), below, below.new_tensor([parts])])
