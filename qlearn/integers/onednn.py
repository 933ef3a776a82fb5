"""How oneDNN brings the integers of a product back to float32: that depends on the processor.

On ARM, PyTorch hands part of oneDNN's linear layers on: see :mod:`qlearn.integers.arm_compute`.
"""

from __future__ import annotations

import torch
from jaxtyping import Float32, Int32
from torch import Tensor

from qlearn.machine import joins_scales


def scaled(
    total: Int32[Tensor, "m n"], x_scale: Float32[Tensor, ""], weight_scale: Float32[Tensor, "*n"]
) -> Float32[Tensor, "m n"]:
    """Return ``total · x_scale · weight_scale``, multiplied in the order that oneDNN takes here.

    >>> scaled(torch.tensor([[3]]), torch.tensor(0.5), torch.tensor([0.25]))
    tensor([[0.3750]])
    """
    sums = total.to(torch.float32)
    if joins_scales():
        return sums * (x_scale * weight_scale)
    return sums * x_scale * weight_scale
