"""What oneDNN's linear layers do otherwise on another processor.

On ARM, PyTorch gives the dynamic layer's activations to oneDNN as int8. And it hands the layers
whose weight has one scale on to another library: see :mod:`qlearn.integers.arm_compute`.
"""

from __future__ import annotations

import torch
from jaxtyping import Float32, Int32
from torch import Tensor

from qlearn.machine import onednn_uses_arm_compute


def dynamic_dtype() -> torch.dtype:
    """Return the dtype of the dynamic layer's codes here: int8 on Linux ARM, else uint8.

    Both have the same scale. The zero points differ by 128, or by 64 with a reduced range, and by
    one more or less where the zero point falls half-way between two codes. And a sum with the
    smaller one keeps more of the number's last bits, which decides beside a tie.

    Source: ``PackedLinearWeightsOnednn::apply_dynamic_impl`` in ATen's qlinear_dynamic.cpp, whose
    comment gives the reason: the library behind oneDNN on ARM multiplies int8 by int8 faster.

    >>> dynamic_dtype() in (torch.uint8, torch.int8)
    True
    """
    return torch.int8 if onednn_uses_arm_compute() else torch.uint8


def scaled(
    total: Int32[Tensor, "m n"],
    x_scale: Float32[Tensor, ""],
    weight_scale: Float32[Tensor, "*n"],
    *,
    joined: bool,
) -> Float32[Tensor, "m n"]:
    """Return ``total · x_scale · weight_scale``, the scales multiplied first if ``joined``.

    Which order oneDNN takes here, :mod:`qlearn.machine.scale_order` finds out for linear layers and
    :mod:`qlearn.machine.variants` for convolutions.

    >>> scaled(torch.tensor([[3]]), torch.tensor(0.5), torch.tensor([0.25]), joined=True)
    tensor([[0.3750]])
    """
    sums = total.to(torch.float32)
    if joined:
        return sums * (x_scale * weight_scale)
    return sums * x_scale * weight_scale
