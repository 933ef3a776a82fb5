"""Checks of small float formats, of the numbers that they round, and of their codes."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from qlearn.checks.arguments import check_choice
from qlearn.checks.finite import first_index
from qlearn.checks.tensors import PAIRS, as_codes, as_floats, check_tensor
from qlearn.formats.float_format import FloatFormat

# float32 holds all of their numbers.
ROUNDED_DTYPES = (torch.float32, torch.bfloat16, torch.float16)


def check_format(format: FloatFormat) -> None:
    """Raise TypeError unless ``format`` is a FloatFormat."""
    if not isinstance(format, FloatFormat):
        raise TypeError(f"format must be a FloatFormat, as E4M3FN, E5M2 or E2M1FN, not {format!r}")


def check_element_format(format: FloatFormat) -> None:
    """Raise unless ``format`` is a FloatFormat that has a sign."""
    check_format(format)
    if not format.signed:
        raise ValueError(
            f"{format} has neither sign nor zero, so it serves as scale alone: take a format with "
            "a sign, as E4M3FN or E2M1FN"
        )


def check_rounded_dtype(x: Tensor, name: str = "x") -> None:
    """Raise TypeError unless ``x`` is a dense float32, bfloat16 or float16 tensor."""
    check_tensor(x, name, "a float32, bfloat16 or float16 tensor")
    if x.dtype not in ROUNDED_DTYPES:
        raise TypeError(
            f"{name} has dtype {x.dtype}, but float32, bfloat16 or float16 is rounded: pass "
            + as_floats(x, name)
        )


def check_has_codes(x: Tensor, format: FloatFormat) -> None:
    """Raise ValueError if ``x`` holds NaN and the format has none."""
    if format.nan_code is None and x.numel() and x.amax().isnan():
        raise ValueError(
            f"x holds NaN, as at index {first_index(x.isnan())}, for which {format} has no code: "
            "replace it, or take a format that has NaN, as E4M3FN"
        )


def check_overflow(overflow: str, format: FloatFormat) -> None:
    """Raise ValueError unless the format can treat what lies beyond its ends in this way."""
    check_choice(overflow, "overflow", ("saturate", "special"))
    if overflow == "special" and format.nan_code is None:
        raise ValueError(
            f"{format} has neither infinity nor NaN, so overflow must be 'saturate', not 'special'"
        )


def check_float_codes(codes: Tensor, format: FloatFormat, name: str = "codes") -> None:
    """Raise unless these are codes of the format in a tensor of uint8."""
    check_format(format)
    check_tensor(codes, name, "a tensor of torch.uint8")
    if codes.dtype != torch.uint8:
        way_out = f"{name}.to(torch.uint8)"
        if codes.dtype == PAIRS:
            way_out = as_codes(name)
        elif codes.dtype.is_floating_point and codes.element_size() == 1:
            way_out = f"{name}.view(torch.uint8)"
        raise TypeError(f"{name} have dtype {codes.dtype}, but must be torch.uint8: pass {way_out}")
    last = 2**format.bits - 1
    if codes.numel() and codes.amax() > last:
        raise ValueError(
            f"{name} reach to {int(codes.amax())}, but {format} has the codes 0 to {last}: take "
            "each number's own byte, not two packed in one"
        )


def check_block_scales(scales: Tensor, format: FloatFormat, shape: Sequence[int]) -> None:
    """Raise unless these are codes of the scales' format, one for each block."""
    check_float_codes(scales, format, "scales")
    if scales.shape != torch.Size(shape):
        raise ValueError(
            f"scales have shape {tuple(scales.shape)}, but the blocks {tuple(shape)}: pass one "
            "scale for each block"
        )
