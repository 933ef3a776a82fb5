"""Which integers a code may be: ``quant_min`` to ``quant_max``."""

from __future__ import annotations

import torch

from qlearn.checks import check_flag

STORAGE_DTYPES = (torch.int8, torch.uint8, torch.int32)

_QUANTIZED_TO_STORAGE = {
    torch.qint8: "torch.int8",
    torch.quint8: "torch.uint8",
    torch.qint32: "torch.int32",
}


def quant_range(
    dtype: torch.dtype, *, bits: int | None = None, reduce_range: bool = False
) -> tuple[int, int]:
    """Return the smallest and the largest code, ``(quant_min, quant_max)``.

    With b bits a signed dtype holds −2^(b−1) … 2^(b−1) − 1 and an unsigned one
    0 … 2^b − 1. ``reduce_range`` halves both ends by floor division for int8 and
    uint8, which is one bit less, and leaves int32 whole.

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
    if bits is None:
        bits = limits.bits
    if isinstance(bits, bool) or not isinstance(bits, int):
        raise TypeError(f"bits is {bits!r}, but it counts bits: pass an int or None")
    if not 1 <= bits <= limits.bits:
        raise ValueError(
            f"bits is {bits}, but {dtype} has 1 to {limits.bits}: pass a number in that range"
        )
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


def check_storage_dtype(dtype: torch.dtype) -> None:
    """Raise unless ``dtype`` is an integer dtype that codes are stored in."""
    if not isinstance(dtype, torch.dtype):
        raise TypeError(f"dtype is {dtype!r}, which is no torch.dtype: pass torch.int8, say")
    if dtype in STORAGE_DTYPES:
        return
    hint = _QUANTIZED_TO_STORAGE.get(dtype, "torch.int8, torch.uint8 or torch.int32")
    raise ValueError(f"dtype is {dtype}, but codes are stored as plain integers: pass {hint}")


def check_quant_range(quant_min: int, quant_max: int, dtype: torch.dtype) -> None:
    """Raise unless quant_min < quant_max are integers that ``dtype`` can hold."""
    check_storage_dtype(dtype)
    for name, value in (("quant_min", quant_min), ("quant_max", quant_max)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{name} is {value!r}, but codes are integers: pass an int")
    if quant_min >= quant_max:
        raise ValueError(
            f"quant_min {quant_min} is not below quant_max {quant_max}: "
            "a range holds at least two codes"
        )
    limits = torch.iinfo(dtype)
    if quant_min < limits.min or quant_max > limits.max:
        raise ValueError(
            f"the range {quant_min}..{quant_max} does not fit {dtype}, which holds "
            f"{limits.min}..{limits.max}: narrow the range or choose another dtype"
        )
