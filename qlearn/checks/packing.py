"""Checks of codes that are packed into words, and of words that are unpacked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from qlearn.checks.arguments import check_choice, check_integer, one_of
from qlearn.checks.groups import check_in_range
from qlearn.checks.tensors import check_axis, check_tensor

INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def check_packing(bits: int, order: str, known: Mapping[str, Sequence[int]]) -> None:
    """Raise unless the order is one of the known ones, each with the bits that it packs."""
    check_choice(order, "order", tuple(known))
    check_integer(bits, "bits")
    if bits not in known[order]:
        having = one_of(map(str, known[order]))
        ways = ", ".join(repr(name) for name, sizes in known.items() if bits in sizes)
        raise ValueError(
            f"bits is {bits}, but the order {order!r} packs codes of {having} bits: "
            + (f"{ways} would pack {bits}" if ways else "no order packs so many")
        )


def check_packable(codes: Tensor, bits: int, run: int, order: str) -> None:
    """Raise unless these are codes of so many bits, in rows of whole runs."""
    check_tensor(codes, "codes", "a tensor of integers")
    if codes.dtype not in INTEGERS:
        raise TypeError(
            f"codes have dtype {codes.dtype}: pass uint8, int8, int16, int32 or int64, such as "
            "codes.int()"
        )
    check_axis(-1, codes)
    if codes.shape[-1] % run:
        raise ValueError(
            f"codes have shape {tuple(codes.shape)}, and {order!r} fills its words with {run} "
            "codes at a time: pad the last axis with a code that means zero, and cut that off "
            "after unpack"
        )
    if codes.numel() and int(codes.min()) < 0:
        raise ValueError(
            f"codes reach down to {int(codes.min())}, but {bits} bits hold 0..{2**bits - 1}: "
            f"add {2 ** (bits - 1)} to codes.int(), or pass codes.int() & {2**bits - 1} for two's "
            "complement, as in ONNX"
        )
    check_in_range(codes, "codes", 0, 2**bits - 1)


def check_packed(packed: Tensor, word: torch.dtype, run: int, order: str) -> None:
    """Raise unless these are words of that dtype, in rows of whole runs."""
    check_tensor(packed, "packed", f"a tensor of {word}")
    if packed.dtype != word:
        raise TypeError(
            f"packed has dtype {packed.dtype}, but the words of {order!r} are {word}: pass "
            f"packed.view({word}) if it holds the same bytes"
        )
    check_axis(-1, packed)
    if packed.shape[-1] % run:
        raise ValueError(
            f"packed has shape {tuple(packed.shape)}, but {order!r} writes {run} words at a time: "
            "some are missing at the end of each row, or too many"
        )
