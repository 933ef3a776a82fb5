"""Computing piece by piece what is computed for each number alone."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

# Numbers whose intermediate results fit into a processor's cache
PIECE = 2**18


def by_pieces(rule: Callable[[Tensor], Tensor], x: Tensor, dtype: torch.dtype) -> Tensor:
    """Return ``rule(x)``, computed for a piece of x after the other.

    What the rule holds in between stays in the processor's cache, and takes no memory of the
    size of x.

    >>> by_pieces(torch.round, torch.tensor([[0.4, 0.6]]), torch.uint8)
    tensor([[0, 1]], dtype=torch.uint8)
    """
    flat = x.reshape(-1)
    result = torch.empty(flat.shape, dtype=dtype, device=x.device)
    for piece, part in zip(flat.split(PIECE), result.split(PIECE), strict=True):
        part.copy_(rule(piece))
    return result.reshape(x.shape)
