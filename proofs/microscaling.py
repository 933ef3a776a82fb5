"""Blocks of small floats against torchao: microscaling by four rules, and NVFP4."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.float_formats import CHAPTER, every_code, marks_and_ties, one_nan, with_neighbours
from proofs.inputs import values
from proofs.proof import proof
from proofs.public import Large, public
from proofs.torchao_blocks import (
    ELEMENTS,
    torchaos_mx,
    torchaos_mx_numbers,
    torchaos_nvfp4,
    torchaos_nvfp4_numbers,
)
from qlearn import (
    E2M1FN,
    E4M3FN,
    FloatFormat,
    MXTensor,
    NVFP4Tensor,
    mx_quantize,
    nvfp4_quantize,
)

BLOCK = 32
ROWS = 12  # of two blocks each
# Powers of two that rows are multiplied by: their scales stay above 2^−127, where torchao's
# differ, and most of their numbers below infinity.
EXPONENTS = (-100, 118)


def powers_of_two(draw: Draw, n: int, low: int, high: int) -> Tensor:
    """Return powers of two, their exponents in low … high."""
    exponents = torch.randint(low, high + 1, (n,), generator=draw.generator)
    return ((exponents + 127) << 23).to(torch.int32).view(torch.float32)


def draw_blocks(draw: Draw, format: FloatFormat) -> Tensor:
    """Return rows of two blocks: of any size, full of ties, with zeros, infinity and NaN."""
    x = draw.normal(ROWS, 2 * BLOCK)
    marks = with_neighbours(marks_and_ties(format))
    drawn = torch.randint(len(marks), (ROWS // 3, 2 * BLOCK), generator=draw.generator)
    x[: ROWS // 3] = marks[drawn]
    x = x * powers_of_two(draw, ROWS, *EXPONENTS)[:, None]
    place = draw.integer(0, 2 * BLOCK - 1)
    x[-1], x[-2, place], x[-3, place] = 0.0, torch.inf, torch.nan
    return x


def compared(x: Tensor, format: FloatFormat, rule: Any) -> tuple[Any, Any]:
    """Return scales, codes and numbers as qlearn and torchao make them.

    In a block with NaN, whose scale says all, torchao has other codes than 0.
    """
    ours = mx_quantize(x, format, block_size=BLOCK, scale_rule=rule)
    scales, codes, numbers = torchaos_mx(x, format, BLOCK, rule)
    codes = torch.where(numbers.isnan(), 0, codes)
    return (ours.scales, ours.codes, one_nan(ours.dequantize())), (scales, codes, one_nan(numbers))


@proof("mx_quantize", "torchao's to_mx, the rules FLOOR, EVEN and CEIL", package="torchao")
def three_rules(draw: Draw) -> tuple[Any, Any]:
    """Compare scales, codes and numbers of 24 blocks in one of five formats."""
    format = draw.choice(list(ELEMENTS))
    return compared(draw_blocks(draw, format), format, draw.choice(["floor", "even", "ceil"]))


def above_a_power(x: Tensor, format: FloatFormat) -> Tensor:
    """Say of each row whether amax/max is above a power of two by a trace, in one of its blocks.

    There torchao's logarithm is rounded to that of the power, and its scale is too small.
    """
    target = x.unflatten(-1, (-1, BLOCK)).abs().amax(-1) / format.max
    significand = 2 * torch.frexp(target).mantissa
    return ((significand > 1) & (significand < 1 + 2.0**-16)).any(-1)


@proof(
    "mx_quantize",
    "torchao's to_mx, the rule RCEIL, but for amax/max within 2^−16 above a power of two",
    package="torchao",
)
def rounded_up(draw: Draw) -> tuple[Any, Any]:
    """Compare scales, codes and numbers where torchao's logarithm does not lose the trace."""
    format = draw.choice(list(ELEMENTS))
    x = draw_blocks(draw, format)
    return compared(x[~above_a_power(x, format)], format, "rceil")


def drawn_codes(draw: Draw, format: FloatFormat, *shape: int) -> Tensor:
    """Return random codes of a format."""
    return draw.codes(shape, torch.uint8, 0, int(every_code(format)[-1]))


@proof("MXTensor", "torchao's to_dtype, any codes and scales", package="torchao")
def restored(draw: Draw) -> tuple[Any, Any]:
    """Compare the numbers; the scales 2^−127 and NaN are among them."""
    format = draw.choice(list(ELEMENTS))
    block_size = draw.choice([2, 16, 32])
    codes = drawn_codes(draw, format, 8, 3 * block_size)
    scales = draw.codes((8, 3), torch.uint8, 0, 255)
    scales[0] = torch.tensor([0, 254, 255])
    ours = MXTensor(codes, scales, format, block_size).dequantize()
    return one_nan(ours), one_nan(torchaos_mx_numbers(codes, scales, format, block_size))


@proof(
    "nvfp4_quantize", "torchao's NVFP4Tensor.to_nvfp4 with a scale of the tensor", package="torchao"
)
def two_levels(draw: Draw) -> tuple[Any, Any]:
    """Compare both scales, codes and numbers; rows of very unequal size among them."""
    x = draw.normal(draw.integer(1, 12), 16 * draw.integer(1, 5))
    x = x * powers_of_two(draw, len(x), -16, 4)[:, None] * draw.scale(30)
    if draw.chance(0.2):
        x[-1] = 0.0
    x[0, 0] = draw.scale(30)
    ours = nvfp4_quantize(x)
    return (ours.tensor_scale, ours.scales, ours.codes, ours.dequantize()), torchaos_nvfp4(x)


@proof("NVFP4Tensor", "torchao's NVFP4Tensor.dequantize, any codes and scales", package="torchao")
def restored_from_two(draw: Draw) -> tuple[Any, Any]:
    """Compare the numbers; negative scales and NaN are among them."""
    codes, scales = drawn_codes(draw, E2M1FN, 8, 48), drawn_codes(draw, E4M3FN, 8, 3)
    tensor_scale = torch.tensor(draw.scale(40))
    ours = NVFP4Tensor(codes, scales, tensor_scale).dequantize()
    return one_nan(ours), one_nan(torchaos_nvfp4_numbers(codes, scales, tensor_scale))


def matrix(n: int) -> tuple[Tensor]:
    """Return n numbers in rows of 160, which blocks of 16 and of 32 divide."""
    return (values(-(-n // 160) * 160)[0].reshape(-1, 160),)


def encoded(n: int) -> tuple[Tensor, Tensor]:
    """Return the codes and the scales of n numbers in E4M3FN."""
    blocks = mx_quantize(*matrix(n), E4M3FN)
    return blocks.codes, blocks.scales


def encoded_twice(n: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the codes and both scales of n numbers in NVFP4."""
    blocks = nvfp4_quantize(*matrix(n))
    return blocks.codes, blocks.scales, blocks.tensor_scale


FOUR_CODES = torch.tensor([[2, 7, 15, 1]], dtype=torch.uint8)

public(
    "mx_quantize",
    CHAPTER,
    {"x": torch.ones(2, 4), "format": E2M1FN, "block_size": 2, "scale_rule": "rceil"},
    Large("E4M3FN, floor", matrix, lambda x: mx_quantize(x, E4M3FN)),
    Large("E2M1FN, rceil", matrix, lambda x: mx_quantize(x, E2M1FN, scale_rule="rceil")),
)
public(
    "MXTensor",
    CHAPTER,
    {
        "codes": FOUR_CODES,
        "scales": torch.tensor([[127, 128]], dtype=torch.uint8),
        "format": E2M1FN,
        "block_size": 2,
    },
    Large("dequantize", encoded, lambda q, scales: MXTensor(q, scales, E4M3FN).dequantize()),
)
public(
    "nvfp4_quantize",
    CHAPTER,
    {"x": torch.ones(2, 16)},
    Large("", matrix, nvfp4_quantize),
)
public(
    "NVFP4Tensor",
    CHAPTER,
    {
        "codes": FOUR_CODES.repeat(1, 4),
        "scales": torch.tensor([[56]], dtype=torch.uint8),
        "tensor_scale": torch.tensor(0.5),
    },
    Large("dequantize", encoded_twice, lambda *parts: NVFP4Tensor(*parts).dequantize()),
)
