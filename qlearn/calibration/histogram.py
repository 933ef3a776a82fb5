"""The way from a histogram to one of wider bins."""

from __future__ import annotations

import torch
from jaxtyping import Float32
from torch import Tensor

# Into how many parts a bin is cut when it is moved to a histogram of wider bins.
PARTS = 16


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
    if low == high:  # one value, in one bin
        return torch.histc(low, bins, min=new[0].item(), max=new[1].item()) * counts.sum()
    parts = (counts / PARTS).repeat_interleave(PARTS)
    width = (high - low) / parts.numel()
    middles = torch.linspace(low, high, parts.numel() + 1, dtype=torch.float32)[:-1] + 0.5 * width
    edges = torch.linspace(*new, bins + 1, dtype=torch.float32)
    inner_edges = edges[1:-1]  # so the end bins take what lies beyond them
    places = torch.bucketize(middles, inner_edges, right=True)
    return torch.bincount(places, weights=parts, minlength=bins)
