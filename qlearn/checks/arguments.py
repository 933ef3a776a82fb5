"""Checks of single values: flags, words, integers, sequences, and the range of codes."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch

STORAGE_DTYPES = (torch.int8, torch.uint8, torch.int32)

_QUANTIZED_TO_STORAGE = {
    torch.qint8: "torch.int8",
    torch.quint8: "torch.uint8",
    torch.qint32: "torch.int32",
}


def check_flag(value: bool, name: str) -> None:
    """Raise TypeError unless ``value`` is True or False; "no", for one, would count as true."""
    if not isinstance(value, bool):
        raise TypeError(
            f"{name} must be True or False, not {value!r}{_of_pythons(value, name, bool)}"
        )


def check_choice(value: str, name: str, choices: tuple[str, ...]) -> None:
    """Raise ValueError unless ``value`` is one of the words.

    >>> check_choice("up", "rounding", ("nearest", "fma", "add"))
    Traceback (most recent call last):
    ValueError: rounding must be 'nearest', 'fma' or 'add', not 'up'
    """
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be {one_of(map(repr, choices))}, not {value!r}")


def one_of(words: Iterable[str]) -> str:
    """List words of which one is to be chosen.

    >>> one_of(["2", "4", "8"])
    '2, 4 or 8'
    """
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def check_integer(value: int, name: str, low: int | None = None, high: int | None = None) -> None:
    """Raise TypeError unless ``value`` is an int, and ValueError unless it is in low … high.

    True and False are no integers here, and neither is 8.0.

    >>> check_integer(17, "bits", 2, 16)
    Traceback (most recent call last):
    ValueError: bits must be an integer from 2 to 16, not 17
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(
            f"{name} must be {_integers(low, high)}, not {value!r}{_of_pythons(value, name, int)}"
        )
    if (low is not None and value < low) or (high is not None and value > high):
        raise ValueError(f"{name} must be {_integers(low, high)}, not {value}")


def _integers(low: int | None, high: int | None) -> str:
    """Say in words which integers are allowed."""
    if low is None:
        return "an integer"
    return f"an integer of at least {low}" if high is None else f"an integer from {low} to {high}"


def _of_pythons(value: object, name: str, kind: type) -> str:
    """Say how a number of NumPy's becomes one of Python's, if that is what this is.

    NumPy's are refused because they overflow: with bits of np.uint8(8), 2**bits would be 0.
    """
    types = {bool: np.bool_, int: np.integer, float: np.number}
    if not isinstance(value, types[kind]) or isinstance(value, np.complexfloating):
        return ""
    return f", which is NumPy's: pass {kind.__name__}({name})"


def pythons_integer(value: Any) -> Any:
    """Return an integer of NumPy's as Python's, and anything else as it is.

    >>> pythons_integer(np.uint64(32))
    32
    """
    return value.item() if isinstance(value, np.integer) else value


def check_number(value: float, name: str) -> None:
    """Raise TypeError unless ``value`` is an int or a float; True and False are neither here.

    An int that no float holds raises ValueError.

    >>> check_number("0.5", "alpha")
    Traceback (most recent call last):
    TypeError: alpha must be an int or a float, not '0.5'
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(
            f"{name} must be an int or a float, not {value!r}{_of_pythons(value, name, float)}"
        )
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        raise ValueError(
            f"{name} is an integer of {value.bit_length()} bits, and must be one that a float "
            f"holds, up to {sys.float_info.max:.2g}"
        )


def check_sequence(value: Sequence[object], name: str, wanted: str) -> None:
    """Raise TypeError unless ``value`` is a sequence; text and bytes do not count as such.

    >>> check_sequence(b"ab", "shape", "a tuple of integers")
    Traceback (most recent call last):
    TypeError: shape is b'ab': pass a tuple of integers
    """
    if isinstance(value, str | bytes | bytearray | memoryview) or not isinstance(value, Sequence):
        raise TypeError(f"{name} is {value!r}: pass {wanted}")


def check_storage_dtype(dtype: torch.dtype) -> None:
    """Raise unless ``dtype`` is an integer dtype that codes are stored in."""
    if not isinstance(dtype, torch.dtype):
        raise TypeError(f"dtype must be torch.int8, torch.uint8 or torch.int32, not {dtype!r}")
    if dtype in STORAGE_DTYPES:
        return
    raise ValueError(
        f"dtype is {dtype}, but codes are stored as plain integers: pass "
        + _QUANTIZED_TO_STORAGE.get(dtype, "torch.int8, torch.uint8 or torch.int32")
    )


def check_quant_range(quant_min: int, quant_max: int, dtype: torch.dtype) -> None:
    """Raise unless quant_min < quant_max are integers that ``dtype`` can hold."""
    check_storage_dtype(dtype)
    check_integer(quant_min, "quant_min")
    check_integer(quant_max, "quant_max")
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


def check_encloses_zero(quant_min: int, quant_max: int) -> None:
    """Raise ValueError unless 0 lies in quant_min … quant_max, as torch demands here and there."""
    if not quant_min <= 0 <= quant_max:
        raise ValueError(
            f"the range {quant_min}..{quant_max} does not enclose 0, which torch demands: shift it"
        )


def check_finite_range(low: float, high: float) -> None:
    """Raise unless low … high are two finite numbers in that order."""
    check_number(low, "low")
    check_number(high, "high")
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise ValueError(
            f"the range {low}..{high} must have two finite ends, the smaller one first: drop "
            "infinities and NaN, or swap the ends"
        )
