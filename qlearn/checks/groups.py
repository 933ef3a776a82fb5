"""Checks of codes that share scales and zero points in groups."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from qlearn.checks.formats import check_rounded_dtype
from qlearn.checks.tensors import check_tensor


def check_group_parts(
    codes: Tensor, scales: Tensor, zero_points: Tensor, shape: Sequence[int]
) -> None:
    """Raise unless these are codes, and scales and zero points of that shape."""
    for name, part in (("codes", codes), ("zero_points", zero_points)):
        check_tensor(part, name, "a tensor of torch.int8")
        if part.dtype != torch.int8:
            raise TypeError(f"{name} have dtype {part.dtype}, but must be torch.int8: convert them")
    check_rounded_dtype(scales, "scales")
    for name, part in (("scales", scales), ("zero_points", zero_points)):
        if part.shape != torch.Size(shape):
            raise ValueError(
                f"{name} have shape {tuple(part.shape)}, but there are {tuple(shape)} groups: "
                "pass one for each"
            )


def check_in_range(codes: Tensor, name: str, low: int, high: int) -> None:
    """Raise ValueError unless each of the codes lies in low … high."""
    if codes.numel() == 0:
        return
    least, most = (int(end) for end in torch.aminmax(codes))
    if least < low or most > high:
        raise ValueError(
            f"{name} reach from {least} to {most}, but must lie in {low}..{high}: clamp them, or "
            "take more bits"
        )


def check_grid(low: Tensor, high: Tensor) -> None:
    """Raise ValueError unless the numbers that the end codes of each group mean are finite."""
    if not (low.isfinite().all() and high.isfinite().all()):
        most = torch.finfo(low.dtype).max
        raise ValueError(
            f"the end codes of a group would mean more than {most:.4g}, the largest {low.dtype}: "
            "divide x by a power of two first"
        )
