"""Which integers a code may be: ``quant_min`` to ``quant_max``."""

from __future__ import annotations

import torch

from qlearn.checks import check_flag, check_integer, check_storage_dtype


def quant_range(
    dtype: torch.dtype, *, bits: int | None = None, reduce_range: bool = False
) -> tuple[int, int]:
    """Return the smallest and the largest code, ``(quant_min, quant_max)``.

    With b bits a signed dtype holds −2^(b−1) … 2^(b−1) − 1 and an unsigned one
    0 … 2^b − 1. ``reduce_range`` halves both ends by floor division for int8 and
    uint8, which is one bit less but for a single signed bit, and leaves int32 whole.

    Args:
        dtype: the storage dtype: torch.int8, torch.uint8 or torch.int32.
        bits: how many of the dtype's bits to use; all of them when None.
        reduce_range: give up one bit, as the kernels without VNNI need.

    Raises:
        ValueError: for another dtype, for more bits than it has, for fewer than one,
            and for a single bit that is then halved away.

    Source: ``torch.ao.quantization.utils.calculate_qmin_qmax``.

    >>> quant_range(torch.int8)
    (-128, 127)
    >>> quant_range(torch.uint8, reduce_range=True)
    (0, 127)
    >>> quant_range(torch.int8, bits=4)
    (-8, 7)
    """
    check_storage_dtype(dtype)
    check_flag(reduce_range, "reduce_range")
    limits = torch.iinfo(dtype)
    bits = limits.bits if bits is None else bits
    check_integer(bits, "bits", 1, limits.bits)
    codes = 2**bits
    quant_min, quant_max = (0, codes - 1) if limits.min == 0 else (-codes // 2, codes // 2 - 1)
    if reduce_range and dtype != torch.int32:
        quant_min, quant_max = quant_min // 2, quant_max // 2
    if quant_min == quant_max:
        raise ValueError(
            f"bits={bits} with reduce_range=True leaves the single code {quant_min}: "
            "use 2 bits or more, or reduce_range=False"
        )
    return quant_min, quant_max
