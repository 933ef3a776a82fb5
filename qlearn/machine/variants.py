"""Which of its kernels an engine requantizes a layer with here, found by trying.

oneDNN has three, and FBGEMM two for convolutions, that round differently: see
:mod:`qlearn.integers.requantization`, which says what each computes. A layer's shape, the processor
and the version of torch decide which of them it gets:

=========  =========================================================================================
"joined"   oneDNN on processors with neither AVX-512 nor AVX-VNNI; with AMX in all but small shapes
           and some convolutions; elsewhere for some convolutions in groups
"apart"    oneDNN on processors with AVX-512 or AVX-VNNI
"divided"  oneDNN's reference code, where it has no kernel: on processors with neither AVX-512 nor
           AVX-VNNI for some convolutions in groups; on the others, in torch 2.15, for the static
           linear layers of the engine whose input has a zero point other than 0
"fused"    FBGEMM
"added"    FBGEMM's depthwise kernels in torch 2.15, for a multiple of 8 channels and a padding of
           half a kernel
=========  =========================================================================================
"""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from functools import cache
from typing import Literal

import torch
from torch import Tensor

from qlearn.machine.engines import engine_set, working_engines
from qlearn.machine.scale_order import joins_scales, shape_decides
from qlearn.machine.windows import Window, one_weight, smallest

Variant = Literal["joined", "apart", "divided", "fused", "added"]

# 9 / 1.2 is a little less than 7.5 in float32, and becomes 7; 9 · (1 / 1.2) is 7.5, and becomes 8.
TOTAL, OUTPUT_SCALE, CODE_IF_DIVIDED = 9, 1.2, 7
DEPTHWISE = Window((1, 8, 3, 3), (8, 1, 3, 3), padding=(1, 1), groups=8)


def linear_variant(m: int = 1, n: int = 1, k: int = 1, *, x_zero_point: int = 0) -> Variant:
    """Return what oneDNN requantizes a static linear layer with here, by trying.

    Args:
        m: rows of x; it matters with AMX alone, as do the other two.
        n: outputs.
        k: inputs.
        x_zero_point: that of x; it matters whether that is 0.

    >>> linear_variant(x_zero_point=3) in ("joined", "apart", "divided")
    True
    """
    if x_zero_point and _linear_divides():
        return "divided"
    return "joined" if joins_scales(m, n, k) else "apart"


def convolution_variant(
    window: Window, *, x_zero_point: int = 0, output_scale: float = 2.0
) -> Variant:
    """Return what oneDNN requantizes a convolution with here, by trying.

    Args:
        window: its shape.
        x_zero_point: that of x; it matters whether that is 0.
        output_scale: that of the result; it matters whether that is 1.

    >>> convolution_variant(Window((1, 1, 3, 3), (1, 1, 3, 3))) in ("joined", "apart", "divided")
    True
    """
    offset = x_zero_point != 0
    if not shape_decides():  # nor then does the number of images, or how large they are
        window = smallest(window)
    if _convolution_joins(window, offset, output_scale == 1):
        return "joined"
    return "divided" if _convolution_divides(window, offset) else "apart"


def fbgemm_variant(window: Window) -> Variant:
    """Return what FBGEMM requantizes a convolution with here, by trying.

    >>> fbgemm_variant(Window((1, 1, 3, 3), (1, 1, 3, 3)))
    'fused'
    """
    return "added" if _fbgemm_adds(DEPTHWISE) and _fbgemm_adds(window) else "fused"


def _quietly() -> AbstractContextManager[object]:
    """Let torch announce the end of its quantized tensors to those who make one themselves."""
    return warnings.catch_warnings(action="ignore")


@cache
def _linear_divides() -> bool:
    if "onednn" not in working_engines():
        return False
    zero_point = 3
    ones, scale = torch.ones(1, 1, dtype=torch.int8), torch.tensor([2.0], dtype=torch.float64)
    weight = torch._make_per_channel_quantized_tensor(ones, scale, torch.tensor([0]), 0)
    x = torch.full((1, 1), zero_point + TOTAL, dtype=torch.uint8)
    with engine_set("onednn"), _quietly():
        packed = torch.ops.quantized.linear_prepack(weight, None)
        given = torch._make_per_tensor_quantized_tensor(x, 0.5, zero_point)
        result = torch.ops.quantized.linear(given, packed, OUTPUT_SCALE, 0)
    return int(result.int_repr()) == CODE_IF_DIVIDED


@cache
def _convolution_joins(window: Window, offset: bool, unscaled: bool) -> bool:
    """Try it on sums of 5 or 10, or of 0 where the kernel's one weight meets the padding.

    In steps of the output 5 · (0.04 · 17.5) is 3.5, which becomes the code 4. But 5 · 0.04 is a
    little less than 0.2 in float32, and times 17.5 less than 3.5, which becomes 3.
    """
    output_scale = 1.0 if unscaled else 2.0
    return _largest_code(window, int(5 * output_scale), (0.04, 17.5), output_scale, offset) == 4


@cache
def _convolution_divides(window: Window, offset: bool) -> bool:
    return _largest_code(window, TOTAL, (0.5, 2.0), OUTPUT_SCALE, offset) == CODE_IF_DIVIDED


def _largest_code(
    window: Window, total: int, scales: tuple[float, float], output_scale: float, offset: bool
) -> int | None:
    """Return the code that oneDNN makes of a sum, or None where there is nothing to compute.

    The result is uint8, as the static layer's is, because oneDNN chooses a kernel by all of this.
    """
    if not torch.backends.mkldnn.is_available() or 0 in (*window.image, *window.kernels):
        return None
    zero_point = 100 if offset else 0
    x = torch.full(window.image, zero_point + total, dtype=torch.uint8)
    weight = one_weight(window)
    weight_scales = torch.full((len(weight),), scales[1], dtype=torch.float32)
    packed = torch.ops.onednn.qconv_prepack(
        weight, weight_scales, scales[0], zero_point, **window.moves(), x_shape=list(window.image)
    )
    codes: Tensor = torch.ops.onednn.qconv2d_pointwise(
        x,
        x_scale=scales[0],
        x_zero_point=zero_point,
        qw=packed,
        w_scale=weight_scales,
        w_zero_point=torch.zeros(len(weight), dtype=torch.int32),
        bias=None,
        **window.moves(),
        output_scale=output_scale,
        output_zero_point=0,
        output_dtype=torch.uint8,
        attr="none",
        scalars=[],
        algorithm="",
    )
    return int(codes.max())


@cache
def _fbgemm_adds(window: Window) -> bool:
    """Try it on a sum of −10 and a bias of 10 steps and a little more.

    The bias in steps is 10 + 10·2^−23, in float32 10 + 8·2^−23. So 10·2^−23 is left if the sum is
    rounded once, and 8·2^−23 if the product is rounded before; and a step of the output is 2^−23.
    """
    if "fbgemm" not in working_engines() or 0 in (*window.image, *window.kernels):
        return False
    image, _, *moves, groups = window
    weight_scale = torch.tensor(0.1, dtype=torch.float32).item()
    weight = torch._make_per_tensor_quantized_tensor(one_weight(window, -1), weight_scale, 0)
    bias = torch.full((len(weight),), 1 + 2.0**-23, dtype=torch.float32)
    x = torch._make_per_tensor_quantized_tensor(torch.full(image, 10, dtype=torch.uint8), 1.0, 0)
    with engine_set("fbgemm"), _quietly():
        packed = torch.ops.quantized.conv2d_prepack(weight, bias, *moves, groups)
        result = torch.ops.quantized.conv2d(x, packed, weight_scale * 2.0**-23, 0)
    return int(result.int_repr().min()) == 8
