"""The fused multiply-add against the C library's."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.inputs import INT8, X, values
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import fma


@cache
def _fmaf() -> Callable[[float, float, float], float]:
    """Return C's fmaf, which rounds once, as IEEE 754 says."""
    function = ctypes.CDLL(ctypes.util.find_library("m")).fmaf
    function.argtypes, function.restype = [ctypes.c_float] * 3, ctypes.c_float
    return function


def _one_nan(x: Tensor) -> Tensor:
    """Return x with one bit pattern for NaN, of which IEEE 754 leaves the sign and payload open."""
    return torch.where(x.isnan(), torch.nan, x)


@proof("fma", "fmaf of the C library")
def rounded_once(draw: Draw) -> tuple[Any, Any]:
    """Compare ties, their neighbours and special values; b is a single number or one for each."""
    a, c = draw.hard_values(draw.scale(), n=8), draw.hard_values(draw.scale(), n=8)
    b = draw.normal(a.numel()) * draw.scale(12)
    if draw.chance(0.5):  # a·b + c near zero, where the product's last bits decide
        c = -a * b
    if draw.chance(0.5):
        b = b[0]
    triples = zip(a.tolist(), b.expand(a.shape).tolist(), c.tolist(), strict=True)
    return _one_nan(fma(a, b, c)), _one_nan(torch.tensor([_fmaf()(*three) for three in triples]))


public(
    "fma",
    "integers/dynamic_linear_to_the_bit",
    {"a": X, "b": torch.tensor(0.1), "c": X + 1},
    Large("by one number", values, lambda x: fma(x, INT8.scale, INT8.scale)),
    keeps_nan=True,
)
