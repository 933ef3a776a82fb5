"""Checks of codes that share scales in groups or blocks."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from qlearn.checks.finite import check_finite, first_index
from qlearn.checks.formats import check_rounded_dtype
from qlearn.checks.tensors import check_float32, check_tensor


def check_code_dtype(codes: Tensor, name: str, dtype: torch.dtype) -> None:
    """Raise TypeError unless ``codes`` is a dense tensor of that dtype."""
    check_tensor(codes, name, f"a tensor of {dtype}")
    if codes.dtype != dtype:
        raise TypeError(f"{name} have dtype {codes.dtype}, but must be {dtype}: convert them")


def check_in_range(codes: Tensor, name: str, low: int, high: int, way_out: str = "") -> None:
    """Raise ValueError unless each of the codes lies in low … high."""
    if codes.numel() == 0:
        return
    least, most = (int(end) for end in torch.aminmax(codes))
    if least < low or most > high:
        raise ValueError(
            f"{name} reach from {least} to {most}, but must lie in {low}..{high}: "
            f"{way_out or 'clamp them, or take more bits'}"
        )


def check_one_for_each(part: Tensor, name: str, shape: Sequence[int]) -> None:
    """Raise ValueError unless ``part`` has that shape, an entry for each group."""
    if part.shape != torch.Size(shape):
        raise ValueError(
            f"{name} have shape {tuple(part.shape)}, but there are {tuple(shape)} groups: "
            "pass one for each"
        )


def check_one_for_all(part: Tensor, name: str) -> None:
    """Raise unless ``part`` is a finite float32 number that serves the whole tensor."""
    check_float32(part, name)
    if part.ndim:
        raise ValueError(
            f"{name} has shape {tuple(part.shape)}, but there is one for the whole tensor: pass a "
            "single number, of shape ()"
        )
    check_finite(part, name=name, because="no code would mean a number: pass a finite one")


def check_scales(scales: Tensor, shape: Sequence[int]) -> None:
    """Raise unless these are finite scales, one for each group."""
    check_rounded_dtype(scales, "scales")
    check_one_for_each(scales, "scales", shape)
    check_finite(scales, name="scales", because="no code would mean a number: pass finite ones")


def check_grid(low: Tensor, high: Tensor) -> None:
    """Raise ValueError unless the numbers that the end codes of each group mean are finite."""
    if not (low.isfinite().all() and high.isfinite().all()):
        place = first_index(~(low.isfinite() & high.isfinite()))
        raise ValueError(
            f"a group is too wide for {low.dtype}, which ends at {torch.finfo(low.dtype).max:.4g}: "
            f"its width or what its end codes mean lies beyond, as at index {place} of the groups; "
            "divide all numbers by a power of two first"
        )
