"""Products of eight-bit codes, summed exactly in 32 bits."""

from __future__ import annotations

from functools import cache

import torch
from jaxtyping import Int8, Int32, UInt8
from torch import Tensor

from qlearn.checks import check_tensor

# How many numbers a block of rows may have, in the layers that go through their input in blocks:
# the sums of a row and what becomes of them take many times the memory of its codes.
BLOCK = 2**16


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
    return _matmul(a, 0, b)


def rows_at_a_time(*columns: int) -> int:
    """Return how many rows make a block, for rows that become as long as the longest of these.

    >>> rows_at_a_time(64, 1024)
    64
    """
    return max(1, BLOCK // max(*columns, 1))


def accumulate(
    codes: UInt8[Tensor, "m k"],
    zero_point: int,
    weight: Int8[Tensor, "n k"],
    weight_zero_point: Int32[Tensor, "*n"],
) -> Int32[Tensor, "m n"]:
    """Return ``Σ (q_x − z_x)·(q_w − z_w)``, as ``Σ (q_x − z_x)·q_w − z_w·Σ (q_x − z_x)``.

    >>> accumulate(torch.tensor([[7, 9]], dtype=torch.uint8), 5,
    ...            torch.tensor([[1, 3]], dtype=torch.int8), torch.tensor(1, dtype=torch.int32))
    tensor([[8]], dtype=torch.int32)
    """
    total = _matmul(codes, zero_point, weight.T)
    if weight_zero_point.any():  # symmetric weights, the usual ones, have none
        code_sums = codes.sum(dim=1, keepdim=True, dtype=torch.int32)
        total -= weight_zero_point * (code_sums - weight.shape[1] * zero_point)
    return total


def _matmul(a: UInt8[Tensor, "m k"], zero_point: int, b: Int8[Tensor, "k n"]) -> Tensor:
    """Return ``Σ (a − zero_point)·b`` in the way that is exact here."""
    check_operands(a, b)
    # With k of 1 the strides of a are (1, 1): see _fast.
    way = _fast if a.shape[1] > 1 and int_mm_is_exact() else _plain
    return way(a, b, zero_point)


def _plain(
    a: UInt8[Tensor, "m k"], b: Int8[Tensor, "k n"], zero_point: int = 0
) -> Int32[Tensor, "m n"]:
    """Multiply in float64, which holds every whole number below 2^53."""
    return ((a.to(torch.float64) - zero_point) @ b.to(torch.float64)).to(torch.int32)


def _fast(
    a: UInt8[Tensor, "m k"], b: Int8[Tensor, "k n"], zero_point: int = 0
) -> Int32[Tensor, "m n"]:
    """Multiply by torch's int8 kernel, with a shifted to be signed; then add what that lost.

    Where the strides of its first matrix are (1, 1), _int_mm of torch 2.13 returns memory that it
    has not written. A row cut from a transposed matrix has such strides; the reshaping ends that.
    """
    shifted = (a ^ 128).view(torch.int8)  # the code minus 128, bit for bit
    shifted = shifted.flatten().reshape(a.shape)
    return torch._int_mm(shifted, b).add_((128 - zero_point) * _sums(b.T))


def _sums(codes: Int8[Tensor, "n k"]) -> Int32[Tensor, " n"]:
    """Sum up each row; the matrix product with ones does it faster than torch.sum."""
    if min(codes.shape) < 2 or not int_mm_is_exact():  # for (1, 1) see _fast
        return codes.sum(dim=1, dtype=torch.int32)
    return torch._int_mm(codes, codes.new_ones(codes.shape[1], 1)).flatten()


@cache
def int_mm_is_exact() -> bool:
    """Say whether ``torch._int_mm`` sums in 32 bits here; on some processors pairs saturate."""
    a = torch.full((1, 64), 127, dtype=torch.int8)
    return bool(torch._int_mm(a, a.T).item() == 64 * 127 * 127)


def check_operands(a: Tensor, b: Tensor) -> None:
    """Raise unless a and b are matrices of uint8 and int8 codes that can be multiplied."""
    check_tensor(a, "a", "codes, a matrix of torch.uint8")
    check_tensor(b, "b", "codes, a matrix of torch.int8")
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
