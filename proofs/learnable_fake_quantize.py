"""learnable_fake_quantize against torch's kernels, gradients of scale and zero point too."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.fake_inputs import (
    RANGES,
    SIXTEEN_BITS,
    channels_along,
    forward_and_backward,
    gradient_for,
    without_nan_on_arm,
    without_overflow,
)
from proofs.inputs import X, trained, with_gradient
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import learnable_fake_quantize
from qlearn.machine import int32_saturates


def _learned_zero_point(draw: Draw, low: int, high: int) -> float:
    """Return a float: an integer, half-way between two, anywhere, or outside the range."""
    code = draw.integer(low, high)
    return draw.choice(
        [
            code,
            code + 0.5,
            code + draw.normal(1).item(),
            10 * code,
            -0.5,
            0.49999997,
            1e9,
            -math.inf,
        ]
    )


def _learned(
    draw: Draw, scales: list[float], x: Tensor, axis: int | None, low: int, high: int
) -> tuple[Any, Any]:
    """Compare the gradients of x, scale and zero point, by the rounding of this processor."""
    factor = draw.choice([1.0, 0.1, 1 / math.sqrt(1 + x.numel() * high)])
    # On ARM the compiler fuses what ATen's default code for x86-64 computes in two steps.
    fused = int32_saturates() or torch.backends.cpu.get_cpu_capability() != "DEFAULT"
    zero_points = [float(_learned_zero_point(draw, low, high)) for _ in scales]
    inputs = (x, torch.tensor(scales), torch.tensor(zero_points))
    dy = gradient_for(draw, x)

    def ours(x: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
        return learnable_fake_quantize(
            x,
            scale,
            zero_point,
            quant_min=low,
            quant_max=high,
            axis=axis,
            grad_factor=factor,
            rounding="fma" if fused else "add",
        )

    def torchs(x: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
        if axis is None:
            return torch._fake_quantize_learnable_per_tensor_affine(
                x, scale, zero_point, low, high, factor
            )
        return torch._fake_quantize_learnable_per_channel_affine(
            x, scale, zero_point, axis, low, high, factor
        )

    return forward_and_backward(ours, inputs, dy), forward_and_backward(torchs, inputs, dy)


@proof(
    "learnable_fake_quantize",
    "torch._fake_quantize_learnable_per_tensor_affine, forward and backward",
)
def learned_per_tensor(draw: Draw) -> tuple[Any, Any]:
    """Compare tensors that are not empty, below 2^63 steps."""
    _, low, high = draw.choice([*RANGES, SIXTEEN_BITS])
    scale = draw.scale()
    x = without_overflow(without_nan_on_arm(draw.hard_tensor(scale)), scale)
    return _learned(draw, [scale], x if x.numel() else torch.zeros(3), None, low, high)


@proof(
    "learnable_fake_quantize",
    "torch._fake_quantize_learnable_per_channel_affine, forward and backward",
)
def learned_per_channel(draw: Draw) -> tuple[Any, Any]:
    """Compare two and more dimensions."""
    _, low, high = draw.choice(RANGES)
    axis, scales = draw.integer(0, 2), [draw.scale() for _ in range(draw.integer(1, 4))]
    return _learned(draw, scales, channels_along(draw, scales, axis), axis, low, high)


public(
    "learnable_fake_quantize",
    "models/qat_to_the_bit",
    {
        "x": X,
        "scale": torch.tensor([0.1]),
        "zero_point": torch.tensor([1.0]),
        "quant_min": -8,
        "quant_max": 7,
        "axis": None,
        "grad_factor": 0.5,
        "rounding": "fma",
    },
    Large(
        "and backward",
        with_gradient,
        trained(
            lambda x: learnable_fake_quantize(
                x, torch.tensor([0.03]), torch.tensor([1.0]), quant_min=-128, quant_max=127
            )
        ),
    ),
)
