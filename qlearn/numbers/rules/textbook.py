"""The rule of textbooks, to set beside that of torch's observers."""

from __future__ import annotations

import torch
from jaxtyping import Float32
from torch import Tensor

from qlearn.checks import check_flag, check_float32, check_storage_dtype
from qlearn.numbers.extremes import extremes
from qlearn.numbers.qparams import QParams

# The smallest scale, so that a constant tensor does not divide by 0.
TEXTBOOK_EPS = 1e-8


def textbook_qparams(
    x: Float32[Tensor, ...],
    *,
    dtype: torch.dtype = torch.int8,
    symmetric: bool = True,
    axis: int | None = None,
) -> QParams:
    """Return the qparams of the textbook rule for the values of ``x``.

    * symmetric: ``scale = max|x| / quant_max`` (127 for int8), ``zero_point = 0``; no value of
      ``x`` gets the code −128;
    * affine: ``scale = (max − min) / (quant_max − quant_min)`` and
      ``zero_point = clamp(quant_min − rint(min/scale))``, where min and max are those of x
      alone: a range without 0 is not widened, its zero point is clamped to an end, and
      whatever lies beyond is clipped. :func:`qlearn.choose_qparams` does not have this fault.

    The scale is at least 1e-8.

    Args:
        x: float32 of any shape with at least one element.
        dtype: what the codes will be stored as; its whole range is used.
        symmetric: put the zero point at 0.
        axis: one scale for each slice along this dimension; one for all when None.

    Raises:
        TypeError: ``x`` is not a float32 tensor.
        ValueError: ``x`` is empty, has infinities or NaN, lacks the axis, is wider than
            float32 can express, or is symmetric uint8 with negative values, which have no code.

    Source: Wu et al., arXiv 2004.09602, section 3.1, "affine" and "scale" quantization, where a
    scale is the inverse of this one. The clamp and the smallest scale are those of tutorials; no
    kernel of torch follows this rule.

    >>> textbook_qparams(torch.tensor([-2.0, 1.27])).scale
    tensor(0.0157)
    """
    check_float32(x)
    check_storage_dtype(dtype)
    check_flag(symmetric, "symmetric")
    low, high = extremes(x, axis)
    limits = torch.iinfo(dtype)
    if symmetric:
        if limits.min == 0 and (low < 0).any():
            raise ValueError(
                f"x reaches down to {low.min().item()}, which a symmetric {dtype} with zero point "
                "0 cannot hold: use torch.int8, or symmetric=False"
            )
        scale = (torch.maximum(-low, high) / limits.max).clamp_min(TEXTBOOK_EPS)
        zero_point = torch.zeros_like(scale, dtype=torch.int64)
    else:
        scale = ((high - low) / (limits.max - limits.min)).clamp_min(TEXTBOOK_EPS)
        if torch.isinf(scale).any():
            raise ValueError(
                f"x spans {low.min().item()}..{high.max().item()}, wider than float32 can "
                "express: scale it down before quantizing"
            )
        zero_point = limits.min - torch.round(low / scale).to(torch.float64)
        zero_point = zero_point.clamp(limits.min, limits.max).to(torch.int64)
    return QParams(scale, zero_point, limits.min, limits.max, dtype, axis)
