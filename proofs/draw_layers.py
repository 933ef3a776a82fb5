"""Random static layers: linear ones and convolutions, for whatever is to compute them.

All is drawn before the machine is asked anything, so that a case is the same on every machine;
where one cannot compute it, it takes a part of the same case: half of each code, or one group.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.torch_engine import torch_engine
from qlearn import QParams, QTensor, conv2d_static, kernels_saturate
from qlearn.checks.layers import Engine
from qlearn.machine import working_engines
from qlearn.machine.scale_order import shape_decides


class Layer(NamedTuple):
    """What a static layer is called with."""

    x: QTensor
    weight: QTensor
    bias: Tensor | None
    output: QParams
    relu: bool


class Shapes(NamedTuple):
    """What a convolution is called with beside a layer."""

    image: tuple[int, ...]
    kernels: tuple[int, ...]
    stride: tuple[int, int]
    padding: tuple[int, int]
    dilation: tuple[int, int]
    groups: int


def draw_layer(
    draw: Draw,
    x_shape: tuple[int, ...],
    weight_shape: tuple[int, ...],
    *,
    highest: int,
    symmetric: bool,
) -> Layer:
    """Return a layer whose sums fall into the output's range, on ties in many cases.

    ``highest`` is the largest code of x: 255, or 127, for which the same codes are halved.
    """
    share = 255 // highest
    codes = draw.codes(x_shape, torch.uint8, 0, 255) // share
    x = QTensor(codes, QParams(draw.scale(), draw.integer(0, 255) // share, 0, 255, torch.uint8))
    weight = _weight(draw, weight_shape, symmetric)
    step = x.qparams.scale * weight.qparams.scale
    spread = step.flatten()[0].item() * math.sqrt(max(1, math.prod(weight_shape[1:])))
    scale = spread * draw.choice([0.3, 1.0, 17.0, 35.0, 70.0, 140.0])
    if draw.chance(0.6):
        scale = step.flatten()[0].item() * draw.choice([2, 4, 6, 10, 64, 1000, 4096])
    if draw.chance(0.03):
        scale *= 1e-8  # sums that int32 cannot hold
    output = QParams(_neighbour(draw, scale), draw.integer(0, 255), 0, 255, torch.uint8)
    bias = None
    if draw.chance(0.7):
        steps = draw.codes(weight_shape[:1], torch.int32, -3000, 3000) + draw.choice([0.0, 0.5])
        bias = (steps if draw.chance(0.6) else draw.normal(weight_shape[0]) * 1000) * step
    return Layer(x, weight, bias, output, draw.chance(0.4))


def _weight(draw: Draw, shape: tuple[int, ...], symmetric: bool) -> QTensor:
    """Return codes per tensor or per channel; the channels' scales equal, close or far apart."""
    codes = draw.codes(shape, torch.int8, -128, 127)
    whole = symmetric or draw.chance(0.5)
    if draw.chance(0.5):
        zero_point = 0 if whole else draw.integer(-128, 127)
        return QTensor(codes, QParams(draw.scale(3), zero_point, -128, 127, torch.int8))
    n = shape[0]
    first = draw.scale(3)
    kind = draw.integer(0, 2)
    scales = [(first, _neighbour(draw, first), draw.scale(3))[kind] for _ in range(n)]
    zero_points = [0 if whole else draw.integer(-128, 127) for _ in range(n)]
    return QTensor(codes, QParams(scales, zero_points, -128, 127, torch.int8, axis=0))


def _neighbour(draw: Draw, scale: float) -> float:
    """Return a float32 at most three places from the scale: quotients close to a tie, and on it."""
    near = torch.tensor(scale, dtype=torch.float32).view(torch.int32) + draw.integer(-3, 3)
    return near.view(torch.float32).item()


@cache
def _saturates(engine: Engine) -> bool:
    if engine not in working_engines():
        return True  # another library's kernel is compared, which may saturate as well
    with torch_engine(engine):
        return kernels_saturate()


def highest_code(draw: Draw, engine: Engine) -> int:
    """Return the largest code of x: 127, where one beyond it might saturate, or 255."""
    halved = draw.chance(0.3)
    return 127 if halved or _saturates(engine) else 255


def draw_linear_shapes(draw: Draw) -> tuple[tuple[int, ...], tuple[int, int]]:
    """Return the shape of x, now and then an empty batch, and that of the weight."""
    tops = (60, 40, 40) if draw.chance(0.98) else (40, 1500, 300)
    m, k, n = (draw.integer(1, top) for top in tops)
    return draw.choice([(m, k), (m, 1, k), (2, m, k), (0, k)]), (n, k)


def draw_conv_shapes(draw: Draw, *, onednn: bool) -> Shapes:
    """Return shapes for FBGEMM's depthwise, its grouped and its ordinary kernels.

    For oneDNN those are left out of which it makes something else: some sums are wrong where a
    window lies wholly in the padding, and with one input and many outputs in each of several
    groups.
    """
    kind = draw.integer(0, 5)
    if kind == 0:
        groups, c, n = draw.choice([8, 16, 24, 32, 40, 104]), 1, draw.integer(1, 2)
        side = draw.choice([3, 5, 7])
        kernel, stride, dilation = (side, side), (draw.integer(1, 2),) * 2, (1, 1)
    elif kind == 1:
        groups, c, n = draw.choice([4, 8, 16]), draw.choice([2, 4, 8, 16]), draw.choice([2, 4, 8])
        kernel, stride, dilation = (3, 3), (draw.integer(1, 2),) * 2, (1, 1)
    else:
        groups = draw.choice([1, 1, 1, 2, 3])
        top = 300 if groups == 1 and draw.chance(0.02) else 9
        c, n = draw.integer(1, top), draw.integer(1, top)
        kernel = (draw.integer(1, 4), draw.integer(1, 4)) if draw.chance(0.7) else (1, 1)
        stride = (draw.integer(1, 3), draw.integer(1, 3))
        dilation = (draw.integer(1, 2), draw.integer(1, 2))
    reach = [step * (size - 1) for step, size in zip(dilation, kernel, strict=True)]
    most = [min(one, 3) if onednn else 3 for one in reach]
    padding = [
        one // 2 if kind < 2 else draw.integer(0, top) for one, top in zip(reach, most, strict=True)
    ]
    height, width = (one + draw.integer(1, 9) for one in reach)
    return Shapes(
        (draw.integer(0 if draw.chance(0.02) else 1, 2), groups * c, height, width),
        (groups * n, c, *kernel),
        stride,
        (padding[0], padding[1]),
        dilation,
        groups,
    )


def as_onednn_can(shapes: Shapes) -> Shapes:
    """Return the shapes, changed where oneDNN's sums are wrong on this machine.

    With AMX they are where the result has one column, of wider kernels and a stride above 1:
    then the kernel goes to every column.
    """
    return every_column(shapes) if shape_decides() else shapes


def every_column(shapes: Shapes) -> Shapes:
    """Return the shapes, with stride 1 across where one column would come of wider kernels."""
    reach = shapes.dilation[1] * (shapes.kernels[3] - 1)
    columns = (shapes.image[3] + 2 * shapes.padding[1] - reach - 1) // shapes.stride[1] + 1
    if columns > 1 or shapes.kernels[3] == 1:
        return shapes
    return shapes._replace(stride=(shapes.stride[0], 1))


def convolve(layer: Layer, shapes: Shapes, engine: Engine) -> QTensor:
    """Return what qlearn makes of a layer that is a convolution."""
    return conv2d_static(
        layer.x,
        layer.weight,
        layer.bias,
        layer.output,
        stride=shapes.stride,
        padding=shapes.padding,
        dilation=shapes.dilation,
        groups=shapes.groups,
        relu=layer.relu,
        engine=engine,
    )
