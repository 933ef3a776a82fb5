"""Checks of tensors that are quantized block by block along one axis."""

from __future__ import annotations

from torch import Tensor

from qlearn.checks.arguments import check_integer
from qlearn.checks.tensors import check_axis


def check_divides(size: int, x: Tensor, name: str, axis: int = -1, *, fixed: bool = False) -> None:
    """Raise unless ``size`` is an integer of at least 1 that divides that axis of ``x``.

    >>> import torch
    >>> check_divides(32, torch.ones(2, 40), "group_size")
    Traceback (most recent call last):
    ValueError: group_size is 32 and does not divide 40, the length of axis -1 of shape (2, 40): \
choose one that does, or pad the axis with zeros
    """
    check_integer(size, name, 1)
    check_axis(axis, x)
    if x.shape[axis] % size:
        raise ValueError(
            f"{name} is {size} and does not divide {x.shape[axis]}, the length of axis {axis} of "
            f"shape {tuple(x.shape)}: {'' if fixed else 'choose one that does, or '}pad the axis "
            "with zeros"
        )
