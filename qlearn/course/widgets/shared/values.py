"""Float32 tensors as a page stores them: few and finite numbers, in bytes of one order."""

from __future__ import annotations

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_float32

MOST = 10_000
LARGEST = 1e30  # differences of such values, and sixteen times those, still fit float32
# A little more: what 1e30 is in float32, whatever torch's default dtype is
LARGEST_STORED = torch.tensor(LARGEST, dtype=torch.float32).item()


def stored(**tensors: Float32[Tensor, "..."]) -> bytes:
    """Return the tensors' values as little-endian bytes, one row after the other.

    Raises:
        TypeError, ValueError: a page cannot store them together, or an axis not show them.

    >>> stored(x=torch.tensor([1.0, float("nan")]))
    Traceback (most recent call last):
    ValueError: x holds 1 values that are infinite, NaN or beyond 1e+30, which no axis can show: \
leave them out
    """
    for name, x in tensors.items():
        check_float32(x, name)
        bad = int((~(x.abs() <= LARGEST)).sum())
        if bad:
            raise ValueError(
                f"{name} holds {bad} values that are infinite, NaN or beyond {LARGEST:g}, "
                "which no axis can show: leave them out"
            )
    sizes = [x.numel() for x in tensors.values()]
    if 0 in sizes or sum(sizes) > MOST:
        raise ValueError(
            f"{' and '.join(tensors)} have {' and '.join(map(str, sizes))} values, but the page "
            f"that stores them takes 1 to {MOST:,}: pass a part of them"
        )
    return b"".join(x.detach().numpy().astype("<f4").tobytes() for x in tensors.values())


def matrix_shape(x: Tensor, name: str, row: str) -> tuple[int, int]:
    """Return how many rows and columns x has; raise unless it is a matrix, saying what a row is.

    >>> matrix_shape(torch.zeros(3), "batches", "a batch")
    Traceback (most recent call last):
    ValueError: batches has shape (3,), but each row is a batch: pass a matrix
    """
    if x.ndim != 2:
        raise ValueError(f"{name} has shape {tuple(x.shape)}, but each row is {row}: pass a matrix")
    return len(x), x.shape[1]


def loaded(values: bytes) -> Float32[Tensor, " values"]:
    """Return what was stored, in one dimension.

    >>> loaded(stored(x=torch.tensor([[1.0], [2.5]])))
    tensor([1.0000, 2.5000])
    """
    return torch.frombuffer(bytearray(values), dtype=torch.float32)
