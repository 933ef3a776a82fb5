"""What eight-bit products become on a processor without VNNI: pairs that saturate in 16 bits."""

from __future__ import annotations

import torch
from jaxtyping import Int8, Int32, UInt8
from torch import Tensor

from qlearn.checks.codes import check_operands
from qlearn.integers.matmul import rows_at_a_time


def saturating_matmul(a: UInt8[Tensor, "m k"], b: Int8[Tensor, "k n"]) -> Int32[Tensor, "m n"]:
    """Return ``Σ a·b`` as the instruction vpmaddubsw adds it up.

    It multiplies two unsigned by two signed bytes and adds the two products into 16 bits,
    clamping to −32768 … 32767; the pairs, (0, 1), (2, 3) and so on along k, are then summed in
    32 bits. 255·127 + 255·127 is 64770 and becomes 32767: half of it is lost. With codes up to
    128, as reduce_range leaves them, no pair can overflow.

    Raises:
        TypeError: ``a`` is not uint8 or ``b`` is not int8.
        ValueError: they are not two matrices that can be multiplied, or k exceeds 65,793,
            from where on a sum may not fit int32.

    Source: FBGEMM on x86-64 processors without AVX512-VNNI, and oneDNN on those without any VNNI,
    before zero points are taken off. FBGEMM's depthwise kernels, for a multiple of 8 channels, add
    so on every x86-64 processor. On ARM no kernel does.

    >>> saturating_matmul(torch.tensor([[255, 255]], dtype=torch.uint8),
    ...                   torch.tensor([[127], [127]], dtype=torch.int8))
    tensor([[32767]], dtype=torch.int32)
    """
    check_operands(a, b)
    total = torch.zeros(a.shape[0], b.shape[1], dtype=torch.int32)
    size = rows_at_a_time(*b.shape)
    for rows, sums in zip(a.split(size), total.split(size), strict=True):
        _add_pairs(rows, b, sums)
    return total


def _add_pairs(
    a: UInt8[Tensor, "m k"], b: Int8[Tensor, "k n"], total: Int32[Tensor, "m n"]
) -> None:
    """Add the saturated sums of all pairs along k to ``total``."""
    limits = torch.iinfo(torch.int16)
    for first in range(0, a.shape[1], 2):
        pair = slice(first, first + 2)  # the last one is alone where k is odd
        products = a[:, pair].to(torch.int32) @ b[pair].to(torch.int32)
        total += products.clamp_(limits.min, limits.max)
