"""What the proofs of fake quantization share: ranges, inputs, and gradients through a function."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from proofs.draw import Draw
from qlearn.machine import int32_saturates

SIXTEEN_BITS = (torch.int32, -(2**15), 2**15 - 1)

# A range, and the dtype that holds it: whole, reduced, narrow and custom.
RANGES = [
    (torch.int8, -128, 127),
    (torch.uint8, 0, 255),
    (torch.uint8, 0, 127),
    (torch.int8, -64, 63),
    (torch.int8, -127, 127),
    (torch.int8, -8, 7),
    (torch.uint8, 0, 15),
    (torch.int8, -20, 100),
]


def forward_and_backward(
    function: Callable[..., Tensor], inputs: tuple[Tensor, ...], dy: Tensor
) -> tuple[Tensor, ...]:
    """Return what the function gives and the gradients of its inputs for the gradient dy."""
    leaves = [given.detach().requires_grad_() for given in inputs]
    y = function(*leaves)
    return y.detach(), *torch.autograd.grad(y, leaves, dy)


def gradient_for(draw: Draw, x: Tensor) -> Tensor:
    """Return an incoming gradient; now and then one that is infinite or laid out differently."""
    dy = draw.normal(x.numel()).reshape(x.shape)
    if x.numel() and draw.chance(0.05):
        dy.view(-1)[draw.integer(0, x.numel() - 1)] = draw.choice(
            [math.inf, -math.inf, 1e-42, -0.0]
        )
    if x.ndim == 2 and draw.chance(0.1):
        dy = dy.t().contiguous().t()
    return dy


def without_overflow(x: Tensor, scale: float) -> Tensor:
    """Return x below 2^62 steps; beyond 2^63 torch's kernels for channels and learning overflow."""
    return x if x.numel() == 0 else x.clamp(max=min(scale * 2.0**62, 3e38))


def without_nan_on_arm(x: Tensor) -> Tensor:
    """Return x without NaN where torch's kernels for channels and learning take it for code 0."""
    return x.nan_to_num(0.0, math.inf, -math.inf) if int32_saturates() else x


def channels_along(draw: Draw, scales: list[float], axis: int) -> Tensor:
    """Return hard values for each scale, laid along an axis of 1 to 4, seldom in many rows."""
    shape = draw.choice([(-1,), (4, -1), (2, 2, -1)]) if axis == 0 else (4, -1)
    rows = []
    for scale in scales:
        noise = draw.normal(2000) * scale * 100 if draw.number % 50 == 0 else torch.tensor([])
        row = torch.cat([draw.hard_values(scale, n=6), torch.full((4,), math.nan), noise])
        row = without_nan_on_arm(row[: row.numel() // 4 * 4])
        rows.append(without_overflow(row, scale))
    return torch.stack(rows).reshape(len(rows), *shape).movedim(0, axis)
