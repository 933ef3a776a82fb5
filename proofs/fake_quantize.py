"""fake_quantize against torch's kernels, gradients too."""

from __future__ import annotations

from typing import Any

import torch

from proofs.draw import Draw
from proofs.fake_inputs import RANGES, channels_along, forward_and_backward, gradient_for
from proofs.inputs import INT8, INT32, ROWS, X, trained, with_gradient
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import QParams, fake_quantize, quant_range


@proof("fake_quantize", "torch.fake_quantize_per_tensor_affine, forward and backward")
def per_tensor(draw: Draw) -> tuple[Any, Any]:
    """Compare any range, also that of int32."""
    dtype, low, high = draw.choice([*RANGES, (torch.int32, *quant_range(torch.int32))])
    zero_point = draw.integer(max(low, -(2**20)), min(high, 2**20))
    qparams = QParams(draw.scale(), zero_point, low, high, dtype)
    scale = qparams.scale.item()
    x = draw.hard_tensor(scale)
    dy = gradient_for(draw, x)
    return (
        forward_and_backward(lambda t: fake_quantize(t, qparams), (x,), dy),
        forward_and_backward(
            lambda t: torch.fake_quantize_per_tensor_affine(t, scale, zero_point, low, high),
            (x,),
            dy,
        ),
    )


@proof("fake_quantize", "torch.fake_quantize_per_channel_affine, forward and backward")
def per_channel(draw: Draw) -> tuple[Any, Any]:
    """Compare along each axis, below the 2^63 steps at which torch's kernel overflows."""
    dtype, low, high = draw.choice(RANGES)
    axis, scales = draw.integer(0, 2), [draw.scale() for _ in range(draw.integer(1, 4))]
    zero_points = [draw.integer(low, high) for _ in scales]
    qparams = QParams(scales, zero_points, low, high, dtype, axis)
    x = channels_along(draw, qparams.scale.tolist(), axis)
    dy = gradient_for(draw, x)
    return (
        forward_and_backward(lambda t: fake_quantize(t, qparams), (x,), dy),
        forward_and_backward(
            lambda t: torch.fake_quantize_per_channel_affine(
                t, qparams.scale, qparams.zero_point, axis, low, high
            ),
            (x,),
            dy,
        ),
    )


public(
    "fake_quantize",
    "numbers/quantized_tensors",
    {"x": X, "qparams": ROWS},
    Large("and backward", with_gradient, trained(lambda x: fake_quantize(x, INT8))),
    Large("int32, and backward", with_gradient, trained(lambda x: fake_quantize(x, INT32))),
)
