"""Products of eight-bit codes, summed exactly in 32 bits."""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Int8, Int32, UInt8
from torch import Tensor

from qlearn.checks.codes import LONGEST_SIGNED_SUM, check_operands, check_sum
from qlearn.machine import int_mm_is_exact

# How many numbers a block of rows may have, in the layers that go through their input in blocks:
# the sums of a row and what becomes of them take many times the memory of its codes.
BLOCK = 2**16
# From how many products on torch's int8 kernel is faster than a product in float64.
LARGE = 2**16


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
    if a.numel() * b.shape[1] >= LARGE and int_mm_is_exact():
        return large_matmul(a, b)
    return (a.to(torch.float64) @ b.to(torch.float64)).to(torch.int32)


def large_matmul(a: UInt8[Tensor, "m k"], b: Int8[Tensor, "k n"]) -> Int32[Tensor, "m n"]:
    """Return the same product by torch's int8 kernel: ``Σ (a − 128)·b + 128·Σ b``.

    For large matrices it takes about a sixth of the time of a product in float64. The kernel
    multiplies signed codes and must be exact here: see :func:`int_mm_is_exact`.

    >>> large_matmul(torch.tensor([[255, 1]], dtype=torch.uint8),
    ...              torch.tensor([[-128], [5]], dtype=torch.int8))
    tensor([[-32635]], dtype=torch.int32)
    """
    signed = (a ^ 128).view(torch.int8)  # the code minus 128
    return large_signed_matmul(signed, b).add_(128 * b.sum(dim=0, dtype=torch.int32))


def signed_matmul(a: Int8[Tensor, "m k"], b: Int8[Tensor, "k n"]) -> Int32[Tensor, "m n"]:
    """Return the matrix product of two matrices of signed codes, exactly.

    Raises:
        ValueError: k exceeds 131,071, from where on a sum may not fit int32.

    >>> signed_matmul(torch.tensor([[-128, 1]], dtype=torch.int8),
    ...               torch.tensor([[-128], [5]], dtype=torch.int8))
    tensor([[16389]], dtype=torch.int32)
    """
    check_sum(a.shape[1], LONGEST_SIGNED_SUM)
    if a.numel() * b.shape[1] >= LARGE and int_mm_is_exact():
        return large_signed_matmul(a, b)
    return (a.to(torch.float64) @ b.to(torch.float64)).to(torch.int32)


def large_signed_matmul(a: Int8[Tensor, "m k"], b: Int8[Tensor, "k n"]) -> Int32[Tensor, "m n"]:
    """Return the same product of signed codes by torch's int8 kernel, which must be exact here.

    >>> large_signed_matmul(torch.tensor([[-128, 1]], dtype=torch.int8),
    ...                     torch.tensor([[-128], [5]], dtype=torch.int8))
    tensor([[16389]], dtype=torch.int32)
    """
    if a.shape[1] == 1:
        return a.to(torch.int32) * b
    # A row cut out of a transposed matrix has the strides (1, 1), for which _int_mm of torch 2.13
    # returns memory that it has not written. Reshaped, the row has others.
    a = a.flatten().reshape(a.shape)
    if 0 in b.stride():  # of one row or column repeated it takes others, too
        b = b.contiguous()
    return torch._int_mm(a, b)


def accumulate(
    codes: UInt8[Tensor, "m k"],
    zero_point: int,
    weight: Int8[Tensor, "n k"],
    weight_zero_point: Int32[Tensor, "*n"],
) -> Int32[Tensor, "m n"]:
    """Return ``Σ (q_x − z_x)·(q_w − z_w)``, the product of the codes without their zero points.

    It is ``Σ q_x·q_w − z_x·Σ q_w − z_w·Σ (q_x − z_x)``: one product of codes, and a correction for
    each zero point.

    >>> accumulate(torch.tensor([[7, 9]], dtype=torch.uint8), 5,
    ...            torch.tensor([[1, 3]], dtype=torch.int8), torch.tensor(1, dtype=torch.int32))
    tensor([[8]], dtype=torch.int32)
    """
    total = integer_matmul(codes, weight.T)
    total -= zero_point * weight.sum(dim=1, dtype=torch.int32)
    if weight_zero_point.any():  # symmetric weights, the usual ones, have none
        code_sums = codes.sum(dim=1, keepdim=True, dtype=torch.int32)
        total -= weight_zero_point * (code_sums - weight.shape[1] * zero_point)
    return total


def in_blocks(
    layer: Callable[[UInt8[Tensor, "some k"]], UInt8[Tensor, "some n"]],
    rows: UInt8[Tensor, "m k"],
    *,
    longest: int,
) -> UInt8[Tensor, "m n"]:
    """Return ``layer(rows)``, computed for a block of rows at a time, which takes less memory.

    ``longest`` is the length of a row where it is longest on its way through the layer.

    >>> in_blocks(lambda block: block * 2, torch.tensor([[1], [2]], dtype=torch.uint8), longest=1)
    tensor([[2],
            [4]], dtype=torch.uint8)
    """
    return torch.cat([layer(block) for block in rows.split(rows_at_a_time(longest))])


def rows_at_a_time(*columns: int) -> int:
    """Return how many rows make a block, for rows that become as long as the longest of these.

    >>> rows_at_a_time(64, 1024)
    64
    """
    return max(1, BLOCK // max(*columns, 1))


def unsigned(codes: Int8[Tensor, "m k"]) -> UInt8[Tensor, "m k"]:
    """Return signed codes plus 128, for a product that takes codes from 0 on.

    With 128 added to their zero point too, the sums of :func:`accumulate` are the same.

    >>> unsigned(torch.tensor([[-128, 0, 127]], dtype=torch.int8))
    tensor([[  0, 128, 255]], dtype=torch.uint8)
    """
    return codes.view(torch.uint8) ^ 128
