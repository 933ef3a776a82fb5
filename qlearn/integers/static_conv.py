"""The static convolution: the linear layer's arithmetic, on windows cut out of an image."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import torch
from jaxtyping import Float32, Int32, UInt8
from torch import Tensor
from torch.nn.functional import pad

from qlearn.checks import check_integer
from qlearn.checks.arguments import pythons_integer
from qlearn.checks.layers import Engine, check_layer, check_static
from qlearn.integers.matmul import accumulate, rows_at_a_time
from qlearn.integers.requantization import full_range, requantize
from qlearn.machine import (
    Variant,
    Window,
    convolution_variant,
    fbgemm_variant,
    x86_calls_onednn,
)
from qlearn.numbers.qparams import QParams
from qlearn.numbers.qtensor import QTensor

Pair = tuple[int, int]

# Of stride, padding and dilation; what is beyond it is a slip, and might fill the memory.
LARGEST = 1024


def conv2d_static(
    x: QTensor,
    weight: QTensor,
    bias: Float32[Tensor, " n"] | None,
    output: QParams,
    *,
    stride: int | Pair = 1,
    padding: int | Pair = 0,
    dilation: int | Pair = 1,
    groups: int = 1,
    relu: bool = False,
    engine: Engine = "fbgemm",
) -> QTensor:
    """Return the codes of a two-dimensional convolution in steps of ``output.scale``.

    Each window of x, padded with its zero point, which means 0.0, is a row to multiply by the
    kernels; the sums are requantized as in a linear layer: see
    :mod:`qlearn.integers.requantization`.

    Args:
        x: uint8 codes of shape (batch, c, height, width), with one scale.
        weight: int8 codes of shape (n, c/groups, kernel height, kernel width), with one scale,
            or one for each output channel (axis 0).
        bias: float32, one number for each output channel; None for no bias.
        output: one scale and one zero point for the result.
        stride: from one window to the next; like padding and dilation an integer, or one for
            the height and one for the width.
        padding: rows and columns added on each side.
        dilation: from one code of a window to the next.
        groups: parts that the channels are divided into, each convolved by itself.
        relu: make no code smaller than the output's zero point.
        engine: whose roundings to follow. x86 is onednn where torch chooses that: on Linux, if
            the processor has AVX512-VNNI, all zero points of the weight are 0 and there are at
            most 100 groups; else it is fbgemm.

    Returns:
        Codes of shape (batch, n, new height, new width), with qparams like those of
        ``linear_static``.

    Raises:
        TypeError: x or weight is not a QTensor of those codes; bias is not float32; the output's
            dtype is not uint8; groups is no integer.
        ValueError: as ``linear_static``, whose inputs are here the codes under a kernel; a kernel
            larger than the padded image; groups that do not divide the channels; a stride or a
            dilation below 1, a padding below 0, or one of them above 1024.

    Source: ``torch.ops.quantized.conv2d`` and ``conv2d_relu``, in every bit where the kernels
    do not saturate. With codes and zero point of x up to 127 no kernel does. Beyond that, fbgemm's
    depthwise kernels, for a multiple of 8 channels and stride 1 or 2, saturate on every x86-64
    processor. All others of fbgemm's that were tried do on processors without AVX512-VNNI, and
    onednn's on those without any VNNI; qnnpack's never do.

    Four quirks of onednn are not followed. Where dilation puts all columns of a kernel into the
    padding, some of its sums are wrong. With AVX-512 some of its sums are wrong where each of
    several groups has one channel of x and many of the output. With AMX many may be wrong where
    the result is one column wide, the kernel is wider and the stride across is above 1. With more
    padding than half of a kernel its sums were wrong on one processor and right on another.

    Nor is one of qnnpack. Where the bias is beyond int32 in steps of ``x_scale · weight_scale``,
    some of its sums wrap around otherwise than here, but for 1 × 1 kernels with stride 1 and
    without padding.

    >>> image = QTensor(torch.full((1, 1, 3, 3), 11, dtype=torch.uint8),
    ...                 QParams(0.5, 1, 0, 255, torch.uint8))
    >>> kernel = QTensor(torch.ones(1, 1, 3, 3, dtype=torch.int8),
    ...                  QParams(0.1, 0, -128, 127, torch.int8))
    >>> output = QParams(0.25, 4, 0, 255, torch.uint8)
    >>> conv2d_static(image, kernel, None, output, padding=1).values
    tensor([[[[12, 16, 12],
              [16, 22, 16],
              [12, 16, 12]]]], dtype=torch.uint8)
    """
    check_layer(weight, bias, engine, ndim=4)
    check_static(x, output, relu)
    _check_channels(x.values, weight.values, groups)
    zero_point, kernel = int(x.qparams.zero_point), weight.values
    pairs = _pair("stride", stride, 1), _pair("padding", padding, 0), _pair("dilation", dilation, 1)
    windows = _windows(x.values, zero_point, kernel.shape[2:], *pairs)
    if engine == "x86":
        engine = _engine_of_x86(weight, groups)
    scales = x.qparams.scale, weight.qparams.scale
    sums = (_totals(block, zero_point, weight, groups) for block in _blocks(windows, len(kernel)))
    window = Window((*x.values.shape,), (*kernel.shape,), *pairs, groups)
    variant = _variant(engine, window, zero_point, output)
    finish = partial(requantize, output=output, relu=relu, engine=engine, variant=variant)
    codes = [finish(total, *scales, bias) for total in sums]
    image = torch.cat(codes).reshape(*windows.shape[:3], len(kernel)).permute(0, 3, 1, 2)
    return QTensor(image.contiguous(), full_range(output))


def _windows(
    x: UInt8[Tensor, "b c h w"],
    zero_point: int,
    kernel: tuple[int, ...],
    stride: Pair,
    padding: Pair,
    dilation: Pair,
) -> UInt8[Tensor, "b new_h new_w c kh kw"]:
    """Return the window under the kernel for each place in the output: a view, not a copy."""
    down, across = padding
    views = pad(x, (across, across, down, down), value=zero_point)
    for axis in (0, 1):
        reach = dilation[axis] * (kernel[axis] - 1) + 1
        if reach > views.shape[2 + axis]:
            raise ValueError(
                f"the kernel reaches over {reach} codes along axis {2 + axis} of x, but with its "
                f"padding x has {views.shape[2 + axis]} there: pad more, or dilate less"
            )
        views = views.unfold(2 + axis, reach, stride[axis])
    return views[..., :: dilation[0], :: dilation[1]].permute(0, 2, 3, 1, 4, 5)


def _blocks(
    windows: UInt8[Tensor, "b h w c kh kw"], outputs: int
) -> Iterator[UInt8[Tensor, "some_b some_h w c kh kw"]]:
    """Yield the windows in blocks of a few images, or of a few rows of one, in their order.

    Windows overlap, so that cut out they take up to kh·kw times the memory of the image.
    """
    height, width = windows.shape[1:3]
    places = rows_at_a_time(windows.shape[3:].numel(), outputs)
    images = max(1, places // (height * width))
    for part in windows.split(images):
        yield from part.split(height if images > 1 else max(1, places // width), dim=1)


def _totals(
    windows: UInt8[Tensor, "b h w c kh kw"], zero_point: int, weight: QTensor, groups: int
) -> Int32[Tensor, "bhw n"]:
    """Return the sums for all outputs, each group of channels multiplied by its own kernels."""
    places = windows.shape[:3].numel()
    kernels = weight.values.flatten(start_dim=1)
    kernels_zero_points = weight.qparams.zero_point.expand(kernels.shape[0])
    totals = []
    for part, kernel, kernel_zero_point in zip(
        windows.chunk(groups, dim=3),
        kernels.chunk(groups),
        kernels_zero_points.chunk(groups),
        strict=True,
    ):
        rows = part.reshape(places, kernel.shape[1])
        totals.append(accumulate(rows, zero_point, kernel, kernel_zero_point))
    return torch.cat(totals, dim=1)


def _engine_of_x86(weight: QTensor, groups: int) -> Engine:
    """Return the engine that x86 hands a convolution to (ATen's ``should_use_onednn_quant``)."""
    takes_it = groups <= 100 and not weight.qparams.zero_point.any()
    return "onednn" if takes_it and x86_calls_onednn() else "fbgemm"


def _variant(engine: Engine, window: Window, zero_point: int, output: QParams) -> Variant | None:
    """Return which of its variants the engine takes for this convolution here."""
    if engine == "onednn":
        scale = output.scale.item()
        return convolution_variant(window, x_zero_point=zero_point, output_scale=scale)
    return None if engine == "qnnpack" else fbgemm_variant(window)


def _pair(name: str, value: int | Pair, least: int) -> Pair:
    """Return the two integers that one integer stands for, or the two themselves."""
    given = value if isinstance(value, (tuple, list)) else (value, value)
    pair = tuple(map(pythons_integer, given))
    if len(pair) != 2 or any(type(one) is not int or not least <= one <= LARGEST for one in pair):
        raise ValueError(
            f"{name} is {value!r}: pass an integer from {least} to {LARGEST}, or a tuple of two, "
            "for the height and for the width"
        )
    return pair


def _check_channels(x: Tensor, weight: Tensor, groups: int) -> None:
    check_integer(groups, "groups", 1)
    if weight.shape[0] % groups or weight.numel() == 0:
        raise ValueError(
            f"groups is {groups} and weight has shape {tuple(weight.shape)}: groups must divide "
            "the first size, and no size may be 0"
        )
    if x.ndim != 4 or x.shape[1] != groups * weight.shape[1]:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, weight {tuple(weight.shape)} and groups is {groups}: "
            "x must be (batch, c, height, width), and c groups times the weight's second size"
        )
