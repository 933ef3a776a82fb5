"""llama.cpp's own C functions for blocks, which the package libggml-python brings compiled."""

from __future__ import annotations

import ctypes
import importlib.util
from functools import cache
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float32
from torch import Tensor

# The numbers of the types in ggml.h.
TYPES = {"Q4_0": 2, "Q8_0": 8, "Q4_K": 12, "Q6_K": 14}


@cache
def library() -> ctypes.CDLL:
    """Return ggml's base library.

    Raises:
        FileNotFoundError: the package holds no such library for this system.
    """
    spec = importlib.util.find_spec("libggml")
    assert spec is not None and spec.origin is not None, (
        "requirements-test.txt names libggml-python"
    )
    names = ("lib*/libggml-base.so", "lib*/libggml-base.dylib", "bin/ggml-base.dll")
    found = [path for name in names for path in Path(spec.origin).parent.glob(name)]
    if not found:
        raise FileNotFoundError(f"no ggml-base lies beside {spec.origin}: install another wheel")
    loaded = ctypes.CDLL(str(found[0]))
    loaded.ggml_quantize_chunk.restype = ctypes.c_size_t
    loaded.ggml_row_size.restype = ctypes.c_size_t
    return loaded


def ggml_quantize(x: Float32[Tensor, "rows n"], kind: str) -> bytes:
    """Return the blocks that ggml makes of a matrix, without an importance matrix."""
    numbers = x.contiguous().numpy()
    rows, n = numbers.shape
    size = library().ggml_row_size(TYPES[kind], ctypes.c_int64(n))
    blocks = np.zeros(rows * size, np.uint8)
    written = library().ggml_quantize_chunk(
        TYPES[kind],
        numbers.ctypes.data_as(ctypes.c_void_p),
        blocks.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_int64(0),
        ctypes.c_int64(rows),
        ctypes.c_int64(n),
        None,
    )
    assert written == blocks.size, (written, blocks.size)
    return blocks.tobytes()


def ggml_dequantize(data: bytes, kind: str, n: int) -> Float32[Tensor, " n"]:
    """Return the n numbers that ggml reads in blocks."""
    blocks, numbers = np.frombuffer(data, np.uint8), np.empty(n, np.float32)
    function = getattr(library(), f"dequantize_row_{kind[0].lower()}{kind[1:]}")
    function(
        blocks.ctypes.data_as(ctypes.c_void_p),
        numbers.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_int64(n),
    )
    return torch.from_numpy(numbers)
