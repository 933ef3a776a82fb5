"""Checks of GGUF's bytes, of the shape that they are to have, and of the scales in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from qlearn.checks.arguments import check_integer, check_sequence, pythons_integer
from qlearn.checks.tensors import check_tensor

# The longest axis that torch can count
LONGEST = 2**63 - 1


def bytes_in(data: Any) -> Tensor:
    """Return the bytes as a flat tensor of uint8; raise TypeError if ``data`` holds none."""
    if isinstance(data, Tensor):
        check_tensor(data, "data", "bytes, or a tensor of torch.uint8")
        if data.dtype == torch.uint8:
            return data.detach().flatten()
    elif isinstance(data, bytes | bytearray | memoryview):
        return torch.from_numpy(np.frombuffer(bytes(data), np.uint8).copy())
    elif isinstance(data, np.ndarray) and data.dtype == np.uint8:
        return torch.from_numpy(data.flatten())
    kind = getattr(data, "dtype", type(data).__name__)
    raise TypeError(f"data is {kind}, but blocks are bytes: pass bytes, or an array of uint8")


def lengths_in(shape: Any) -> Any:
    """Return the shape with Python's integers for NumPy's, of which readers of GGUF make it.

    >>> lengths_in(np.array([2, 32], np.uint64))
    [2, 32]
    """
    if isinstance(shape, np.ndarray):
        return shape.tolist()
    if isinstance(shape, tuple | list):
        return [pythons_integer(length) for length in shape]
    return shape


def check_shape(shape: Sequence[int], stored: int, kind: str, numbers: int, size: int) -> None:
    """Raise unless the shape is made of whole blocks, and of as many as are stored."""
    check_sequence(shape, "shape", "a tuple of integers, as (2, 256)")
    for length in shape:
        check_integer(length, "each length in shape", 0, LONGEST)
    if not shape or shape[-1] % numbers:
        raise ValueError(
            f"shape is {tuple(shape)}, but {kind} has blocks of {numbers} along the last axis: "
            f"that must be a multiple of {numbers}"
        )
    if math.prod(length for length in shape if length) > LONGEST:
        raise ValueError(f"shape is {tuple(shape)}, and torch counts to 2^63 alone: shorten it")
    wanted = math.prod(shape) // numbers * size
    if stored != wanted:
        raise ValueError(
            f"data has {stored} bytes, but shape {tuple(shape)} takes {wanted} in {kind}, "
            f"{size} for each {numbers} numbers: pass the bytes of that tensor alone, and its shape"
        )


def check_float16_scales(d: Tensor) -> None:
    """Raise ValueError if a scale of a block is beyond float16, in which it is stored."""
    largest = torch.finfo(torch.float16).max
    beyond = d.half().isinf()
    if beyond.any():
        raise ValueError(
            f"the scale of a block is {d[beyond][0].item():.6g}, but GGUF stores it in float16, "
            f"which ends at {largest:g}: divide x by a power of two first"
        )
