"""The Hadamard matrix: a rotation that spreads one large number over all the others."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_integer


def hadamard(n: int) -> Float32[Tensor, "n n"]:
    """Return Sylvester's matrix of +1 and −1, divided by ``√n``, so that ``H·Hᵀ = I``.

    ``H_1 = [1]``, and ``H_2n`` has ``H_n`` four times, once with the other sign. It is symmetric.
    Where n is a power of four, ``1/√n`` is a power of two, and ``H·Hᵀ = I`` is exact; for other n
    it holds to float32's rounding.

    Raises:
        TypeError: n is no integer.
        ValueError: n is no power of two.

    Source: Sylvester, 1867; as in QuaRot, Ashkboos et al., arXiv 2404.00456.

    >>> hadamard(4)
    tensor([[ 0.5000,  0.5000,  0.5000,  0.5000],
            [ 0.5000, -0.5000,  0.5000, -0.5000],
            [ 0.5000,  0.5000, -0.5000, -0.5000],
            [ 0.5000, -0.5000, -0.5000,  0.5000]])
    >>> torch.tensor([8.0, 0.0, 0.0, 0.0]) @ hadamard(4)
    tensor([4., 4., 4., 4.])
    """
    return signs(n) / math.sqrt(n)


def signs(n: int) -> Float32[Tensor, "n n"]:
    """Return Sylvester's matrix itself, of +1 and −1."""
    check_integer(n, "n", 1)
    if n & (n - 1):
        block = n & -n  # the largest power of two that divides n
        raise ValueError(
            f"n is {n}, but Sylvester's matrices have the sizes 1, 2, 4, 8, …: pad to "
            f"{1 << n.bit_length()}" + (f", or rotate blocks of {block}" if block > 1 else "")
        )
    matrix = torch.ones(1, 1, dtype=torch.float32)
    while len(matrix) < n:
        matrix = torch.cat([torch.cat([matrix, matrix], 1), torch.cat([matrix, -matrix], 1)])
    return matrix
