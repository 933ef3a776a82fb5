"""Blocks: neighbours along an axis that share a scale."""

from __future__ import annotations

from torch import Tensor


def in_blocks(x: Tensor, size: int, axis: int = -1) -> Tensor:
    """Return a view of ``x`` whose axis is two: the blocks, and behind it the numbers of each.

    >>> import torch
    >>> in_blocks(torch.arange(6), 3)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    return x.unflatten(axis, (x.shape[axis] // size, size))
