"""In which order oneDNN's linear layers multiply a sum by its two scales here, found by trying.

The two orders round differently. Of x86-64 processors, those with neither AVX-512 nor AVX-VNNI
multiply the scales first, and those with either and without AMX the sum by one scale and then by
the other. With AMX both occur, because oneDNN leaves small shapes to the kernels of AVX-512. Which
shapes are small is a matter of its rules of thumb, so there each shape is tried for itself.
"""

from __future__ import annotations

from functools import cache

import torch


def joins_scales(m: int = 1, n: int = 1, k: int = 1) -> bool:
    """Say whether oneDNN multiplies the two scales first in a linear layer, by trying.

    A static layer has a third way, too: see :mod:`qlearn.machine.variants`.

    Args:
        m: rows of x; it matters with AMX alone, as do the other two.
        n: outputs.
        k: inputs.

    >>> joins_scales() in (True, False)
    True
    """
    return _linear_joins(m, n, k) if shape_decides() else _linear_joins(1, 1, 1)


def shape_decides() -> bool:
    """Say whether the order may depend on the shape: on processors with AMX.

    >>> shape_decides() in (True, False)
    True
    """
    return bool(torch.cpu.get_capabilities().get("amx_int8", False))


@cache
def _linear_joins(m: int, n: int, k: int) -> bool:
    if not torch.backends.mkldnn.is_available() or 0 in (m, n, k):
        return False
    x, weight = torch.zeros(m, k, dtype=torch.uint8), torch.zeros(n, k, dtype=torch.int8)
    x[:, 0], weight[:, 0] = 3, 1
    x_scale, weight_scale = torch.tensor([[0.1], [0.013]], dtype=torch.float32)
    packed = torch.ops.onednn.qlinear_prepack(weight, [m, k])
    result = torch.ops.onednn.qlinear_pointwise(
        x,
        x_scale=x_scale.item(),
        x_zero_point=0,
        qw=packed,
        w_scale=weight_scale,
        w_zero_point=torch.tensor([0]),
        bias=None,
        output_scale=1.0,
        output_zero_point=0,
        output_dtype=torch.float32,
        post_op_name="none",
        post_op_args=[],
        post_op_algorithm="",
    )
    return bool(result[0, 0] == 3.0 * (x_scale * weight_scale))
