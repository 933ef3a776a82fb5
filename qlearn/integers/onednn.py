"""How oneDNN brings the integers of a product back to float32: that depends on the processor.

On ARM, PyTorch hands part of oneDNN's linear layers on: see :mod:`qlearn.integers.arm_compute`.
"""

from __future__ import annotations

from functools import cache

import torch
from jaxtyping import Float32, Int32
from torch import Tensor


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


@cache
def joins_scales() -> bool:
    """Say whether oneDNN multiplies the two scales first, which rounds differently, by trying.

    Of x86-64 processors those do that have neither AVX-512 nor AVX-VNNI, and so use its older
    kernels. With AMX, which has not been tried, its source multiplies the scales first in some
    shapes and not in others; what is found here, on a product of one number, need not hold there.
    """
    if not torch.backends.mkldnn.is_available():
        return False
    three, one = torch.tensor([[3]], dtype=torch.uint8), torch.tensor([[1]], dtype=torch.int8)
    scales = torch.tensor(0.1), torch.tensor([0.013])
    packed = torch.ops.onednn.qlinear_prepack(one, [1, 1])
    result = torch.ops.onednn.qlinear_pointwise(
        *(three, scales[0].item(), 0, packed, scales[1], torch.tensor([0]), None),
        *(1.0, 0, torch.float32, "none", [], ""),  # float32 out, nothing after the product
    )
    return bool(result.item() == (3.0 * (scales[0] * scales[1])).item())
