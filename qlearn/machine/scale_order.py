"""In which order oneDNN multiplies a sum by its two scales on this machine, found by trying.

The two orders round differently. Of x86-64 processors, those with neither AVX-512 nor AVX-VNNI
multiply the scales first, and those with either and without AMX the sum by one scale and then by
the other. With AMX both occur, because oneDNN leaves small shapes and some convolutions to the
kernels of AVX-512. Which shapes are small is a matter of its rules of thumb, so there each shape
is tried for itself.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import torch

NO_BIAS, TO_FLOAT = None, (1.0, 0, torch.float32)  # the result's scale, zero point and dtype
NOTHING_AFTER: Any = ("none", [], "")


class Window(NamedTuple):
    """The shape of a convolution: of its image, its kernels, and how they move."""

    image: tuple[int, ...]
    kernels: tuple[int, ...]
    stride: tuple[int, int] = (1, 1)
    padding: tuple[int, int] = (0, 0)
    dilation: tuple[int, int] = (1, 1)
    groups: int = 1


def joins_scales(m: int = 1, n: int = 1, k: int = 1) -> bool:
    """Say whether oneDNN multiplies the two scales first in a linear layer, by trying.

    Args:
        m: rows of x; it matters with AMX alone, as do the other two.
        n: outputs.
        k: inputs.

    >>> joins_scales() in (True, False)
    True
    """
    return _linear_joins(m, n, k) if shape_decides() else _linear_joins(1, 1, 1)


def convolution_joins_scales(
    window: Window, *, x_zero_point: int = 0, output_scale: float = 2.0
) -> bool:
    """Say whether oneDNN multiplies the two scales first in a convolution, by trying.

    Args:
        window: its shape; all three arguments matter with AMX alone.
        x_zero_point: that of x; it matters whether that is 0.
        output_scale: that of the result; it matters whether that is 1.

    >>> convolution_joins_scales(Window((1, 1, 3, 3), (1, 1, 3, 3))) in (True, False)
    True
    """
    if not shape_decides():
        return joins_scales()
    return _convolution_joins(window, x_zero_point != 0, output_scale == 1)


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
    scales = x_scale.item(), 0, packed, weight_scale, torch.tensor([0])
    result = torch.ops.onednn.qlinear_pointwise(x, *scales, NO_BIAS, *TO_FLOAT, *NOTHING_AFTER)
    return bool(result[0, 0] == 3.0 * (x_scale * weight_scale))


@cache
def _convolution_joins(window: Window, offset: bool, unscaled: bool) -> bool:
    """Try it on sums of 5 or 10, or of 0 where the kernel's one weight meets the padding.

    In steps of the output 5 · (0.04 · 17.5) is 3.5, which becomes the code 4. But 5 · 0.04 is a
    little less than 0.2 in float32, and times 17.5 less than 3.5, which becomes 3. The result is
    uint8, as the static layer's is, because oneDNN chooses a kernel by all of this.
    """
    if not torch.backends.mkldnn.is_available() or 0 in (*window.image, *window.kernels):
        return False
    image, kernels, *where, groups = window
    zero_point, output_scale = (100 if offset else 0), (1.0 if unscaled else 2.0)
    x = torch.full(image, int(zero_point + 5 * output_scale), dtype=torch.uint8)
    weight = torch.zeros(kernels, dtype=torch.int8)
    down, across = _tap(window)
    weight[:, 0, down, across] = 1
    n, moves = len(weight), [list(pair) for pair in where]
    scales = torch.full((n,), 17.5, dtype=torch.float32)
    no_offset = torch.zeros(n, dtype=torch.int32)
    given = 0.04, zero_point
    packed = torch.ops.onednn.qconv_prepack(weight, scales, *given, *moves, groups, list(image))
    factors = (*given, packed, scales, no_offset, NO_BIAS)
    to_codes = (output_scale, 0, torch.uint8)
    codes = torch.ops.onednn.qconv2d_pointwise(
        x, *factors, *moves, groups, *to_codes, *NOTHING_AFTER
    )
    return int(codes.max()) == 4


def _tap(window: Window) -> tuple[int, int]:
    """Return the place in the kernel that lies on the image in the first window, if one does."""
    down, across = (
        min(-(-padding // step), size - 1)
        for padding, step, size in zip(
            window.padding, window.dilation, window.kernels[2:], strict=True
        )
    )
    return down, across
