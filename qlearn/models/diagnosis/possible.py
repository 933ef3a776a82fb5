"""How much of a weight as many values could keep."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from qlearn.models.diagnosis.weights import BYTES, living_rows

WINDOW = 32  # columns: the smallest group that is usual


def possible(ours: Tensor, exact: Tensor, codes: int) -> float:
    """Return the SQNR of the float weight in dB, rounded to as many values as ours has.

    In windows of 32 columns, each row between its own ends; so many values as ours has there, and
    no more than there are codes. A weight that keeps far less was not rounded badly: it was put
    together otherwise than it was taken apart.

    >>> exact = torch.linspace(-1, 1, 64).reshape(1, 64)
    >>> ours = (exact * 7).round() / 7
    >>> possible(ours, exact, 16) > 20 > possible(ours, exact, 2)
    True
    """
    ours, exact, power = living_rows(ours, exact)
    pairs = zip(ours.split(WINDOW, 1), exact.split(WINDOW, 1), strict=True)
    noise = sum((rounded(x, value_count(y).clamp(max=codes)) - x).square().sum(1) for y, x in pairs)
    if not isinstance(noise, Tensor) or not len(power):
        return math.inf
    share = (noise / power).mean().item()
    return -10 * math.log10(share) if share else math.inf


def value_count(x: Tensor) -> Tensor:
    """Return how many different values each row has, as a column.

    >>> value_count(torch.tensor([[1.0, 2.0, 1.0], [3.0, 3.0, 3.0]])).tolist()
    [[2], [1]]
    """
    ordered = x.sort(1).values
    steps = ordered.diff(dim=1) > 1e-4 * x.abs().amax(1, keepdim=True)
    return steps.sum(1, keepdim=True) + 1


def rounded(x: Tensor, counts: Tensor) -> Tensor:
    """Return x rounded to so many values between the ends of each row; of one value, that is 0."""
    low, high = x.amin(1, keepdim=True), x.amax(1, keepdim=True)
    step = (high - low) / (counts - 1).clamp(min=1)
    found = ((x - low) / step).nan_to_num().round() * step + low
    return torch.where(counts > 1, found, torch.zeros_like(found))


def code_count(part: nn.Module, exact: Tensor) -> int:
    """Return how many codes the layer that stores a weight has for it, at most.

    >>> layer = nn.Module()
    >>> layer.register_buffer("packed", torch.zeros(2, 4, dtype=torch.int32))
    >>> code_count(layer, torch.zeros(2, 32))
    16
    """
    stored = [x for x in [*part.buffers(), *part.parameters()] if x.dtype in BYTES and x.ndim > 1]
    for x in sorted(stored, key=lambda x: -x.numel()):
        if x.numel() == exact.numel():
            return x.float().unique().numel()
        bits = 8 * x.numel() * x.element_size() / exact.numel()
        if bits in range(1, 8):
            return 2 ** int(bits)
    return 256
