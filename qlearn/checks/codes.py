"""Checks of qparams and of integer codes."""

from __future__ import annotations

import torch
from torch import Tensor

from qlearn.checks.tensors import check_tensor
from qlearn.numbers.qparams import QParams

# The longest sum that int32 holds, of products 255 · −128, and of −128 · −128 where both are signed
LONGEST_SUM = (2**31 - 1) // (255 * 128)
LONGEST_SIGNED_SUM = (2**31 - 1) // (128 * 128)


def check_qparams(qparams: QParams) -> None:
    """Raise TypeError unless ``qparams`` is a QParams."""
    if not isinstance(qparams, QParams):
        raise TypeError(
            f"the qparams are a {type(qparams).__name__}: pass a QParams(scale, zero_point, "
            "quant_min, quant_max, dtype)"
        )


def check_codes(q: Tensor, qparams: QParams) -> None:
    """Raise TypeError unless ``q`` is a tensor of the dtype that ``qparams`` store codes in."""
    check_qparams(qparams)
    check_tensor(q, "q", f"codes, a tensor of {qparams.dtype}")
    if q.dtype != qparams.dtype:
        hint = ", its .int_repr()" if q.is_quantized else ""
        raise TypeError(
            f"q has dtype {q.dtype}, but these qparams store {qparams.dtype}: "
            f"pass a tensor of {qparams.dtype}{hint}"
        )


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
    check_sum(a.shape[1], LONGEST_SUM)


def check_sum(k: int, longest: int) -> None:
    """Raise ValueError if a sum has more than the ``longest`` number of products.

    >>> check_sum(131_072, LONGEST_SIGNED_SUM)
    Traceback (most recent call last):
    ValueError: k is 131072, and a sum of more than 131071 products may not fit int32: split the sum
    """
    if k > longest:
        raise ValueError(
            f"k is {k}, and a sum of more than {longest} products may not fit int32: split the sum"
        )
