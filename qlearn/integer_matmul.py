"""Products of eight-bit codes, summed exactly in 32 bits."""

from __future__ import annotations

from functools import cache

import torch
from jaxtyping import Int8, Int32, UInt8
from torch import Tensor


def integer_matmul(a: UInt8[Tensor, "m k"], b: Int8[Tensor, "k n"]) -> Int32[Tensor, "m n"]:
    """Return the matrix product of unsigned and signed codes, ``Σ a·b``, exactly.

    Raises:
        TypeError: ``a`` is not uint8 or ``b`` is not int8.
        ValueError: they are not two matrices that can be multiplied, or k exceeds 65,793, from
            where on a sum may not fit int32.

    >>> integer_matmul(torch.tensor([[255, 1]], dtype=torch.uint8),
    ...                torch.tensor([[-128], [5]], dtype=torch.int8))
    tensor([[-32635]], dtype=torch.int32)
    """
    check_operands(a, b)
    # With k of 1, _int_mm of torch 2.13 returns memory that it has not written.
    return _fast(a, b) if a.shape[1] > 1 and int_mm_is_exact() else _plain(a, b)


def _plain(a: UInt8[Tensor, "m k"], b: Int8[Tensor, "k n"]) -> Int32[Tensor, "m n"]:
    """Multiply in float64, which holds every whole number below 2^53."""
    return (a.to(torch.float64) @ b.to(torch.float64)).to(torch.int32)


def _fast(a: UInt8[Tensor, "m k"], b: Int8[Tensor, "k n"]) -> Int32[Tensor, "m n"]:
    """Multiply by torch's int8 kernel, with a shifted to be signed; then add what that lost."""
    shifted = (a ^ 128).view(torch.int8)  # the code minus 128, bit for bit
    lost = 128 * b.sum(dim=0, dtype=torch.int32)
    return torch._int_mm(shifted, b) + lost


@cache
def int_mm_is_exact() -> bool:
    """Say whether ``torch._int_mm`` sums in 32 bits here; on some processors pairs saturate."""
    a = torch.full((1, 64), 127, dtype=torch.int8)
    return bool(torch._int_mm(a, a.T).item() == 64 * 127 * 127)


def check_operands(a: Tensor, b: Tensor) -> None:
    """Raise unless a and b are matrices of uint8 and int8 codes that can be multiplied."""
    if a.dtype != torch.uint8 or b.dtype != torch.int8:
        raise TypeError(
            f"the codes are {a.dtype} and {b.dtype}, but the kernels multiply torch.uint8 by "
            "torch.int8: convert them first"
        )
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(
            f"shapes {tuple(a.shape)} and {tuple(b.shape)} cannot be multiplied: pass (m, k) and "
            "(k, n)"
        )
    longest = (2**31 - 1) // (255 * 128)
    if a.shape[1] > longest:
        raise ValueError(
            f"k is {a.shape[1]}, and a sum of more than {longest} products may not fit int32: "
            "split the sum"
        )
