"""Microscaling: blocks of small floats that share a power of two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Float, Float32, Int32, UInt8
from torch import Tensor

from qlearn.checks import check_choice
from qlearn.checks.blocks import check_divides
from qlearn.checks.formats import (
    check_block_scales,
    check_element_format,
    check_float_codes,
    check_rounded_dtype,
)
from qlearn.formats.blocks import in_blocks
from qlearn.formats.float_codes import decode_float, encode_float
from qlearn.formats.float_format import E8M0FNU, FloatFormat
from qlearn.formats.float_rounding import EXPONENT_AT, bits_of

SMALL, RAISED = 2.0**-64, 64  # numbers below are multiplied by 2^64, so that none is denormal
ScaleRule = Literal["floor", "even", "ceil", "rceil"]


@dataclass(frozen=True, eq=False)
class MXTensor:
    """Codes of small floats, and for each block along the last axis the power of two it shares.

    A code means ``value · 2^(scale − 127)``, value what it means in ``format``.

    Attributes:
        codes: codes of ``format``, one in each byte, in the shape of the tensor.
        scales: codes of E8M0FNU, one for each block: the same shape, the last axis ``block_size``
            times shorter.
        format: what the codes mean.
        block_size: how many neighbours share a scale.

    Raises:
        TypeError: codes or scales are not uint8, or ``format`` no FloatFormat.
        ValueError: shapes that do not belong together; a code that the format lacks.

    Source: OCP Microscaling Formats 1.0; ``MXTensor`` of torchao, which keeps two codes of four
    bits in a byte.

    >>> from qlearn import E2M1FN
    >>> codes = torch.tensor([[2, 7, 15, 1]], dtype=torch.uint8)
    >>> scales = torch.tensor([[127, 128]], dtype=torch.uint8)
    >>> MXTensor(codes, scales, E2M1FN, 2).dequantize()
    tensor([[  1.,   6., -12.,   1.]])
    """

    codes: UInt8[Tensor, "*rows n"]
    scales: UInt8[Tensor, "*rows blocks"]
    format: FloatFormat
    block_size: int = 32

    def __post_init__(self) -> None:
        """Check that the parts belong together."""
        check_element_format(self.format)
        check_float_codes(self.codes, self.format)
        check_divides(self.block_size, self.codes, "block_size")
        check_block_scales(self.scales, E8M0FNU, in_blocks(self.codes, self.block_size).shape[:-1])

    @property
    def bits_per_weight(self) -> float:
        """Return how many bits each number takes, its share of the scale included."""
        return self.format.bits + E8M0FNU.bits / self.block_size

    def dequantize(self) -> Float32[Tensor, "*rows n"]:
        """Return what the codes mean, ``value · 2^(scale − 127)``, in float32.

        The product is exact but for numbers that float32 itself cannot hold. A block whose scale
        is NaN is NaN throughout.
        """
        numbers = in_blocks(decode_float(self.codes, self.format), self.block_size)
        return (numbers * decode_float(self.scales, E8M0FNU)[..., None]).flatten(-2)


def mx_quantize(
    x: Float[Tensor, "*rows n"],
    format: FloatFormat,
    *,
    block_size: int = 32,
    scale_rule: ScaleRule = "floor",
) -> MXTensor:
    """Return x in blocks along its last axis, each number a code, each block a power of two.

    Each block has the scale ``X = 2^(k − max_exponent)``, limited to 2^−127 … 2^127, where
    max_exponent is that of the format's largest number. The codes are those of ``x/X``, which is
    exact; beyond the ends they saturate. With amax, the largest ``|x|`` of the block, k is

    * "floor": ``⌊log2 amax⌋``, so that amax may lie beyond the end: in E4M3FN, which ends at 448,
      where 512 is the next power of two;
    * "even": the same after amax is rounded to the format's mantissa, halves up;
    * "ceil": ``⌈log2 amax⌉``;
    * "rceil": ``⌈log2 f(amax/max)⌉ + max_exponent``, with f rounding to float32: X is the least
      power of two with which amax lies within the ends.

    A block of zeros has the scale 2^−127. Infinity counts as 2^128, and by "rceil" its block has
    the scale 2^127: it saturates to the format's end, which times the scale is infinity again, if
    the end is 2 or more. A block with NaN has the scale NaN and zeros for codes.

    Args:
        x: float32, or bfloat16 or float16, whose numbers float32 holds, with at least one axis.
        format: of the elements; one with a sign.
        block_size: how many neighbours share a scale; it divides the last axis.
        scale_rule: one of the four.

    Raises:
        TypeError: ``x`` is no such tensor, ``format`` no FloatFormat, block_size no integer.
        ValueError: an unknown rule; a format without sign; blocks that do not divide the axis.

    Source: OCP Microscaling Formats 1.0, section 6.3 ("floor"); ``to_mx`` of torchao, whose
    ScaleCalculationMode has the four rules. Where this function differs from torchao 0.18:

    * torchao's RCEIL takes the logarithm in float32, so that its scale is one power of two too
      small, and clips amax, where amax/max is just above a power of two, other than those near 1;
    * where the scale is 2^−127, torchao divides by 2^−126 and restores with 2^−127, so that the
      numbers come back halved; its RCEIL divides by 1, and they come back as 0;
    * in a block with NaN some of torchao's codes, by RCEIL all, are other than 0.

    >>> from qlearn import E2M1FN
    >>> x = torch.tensor([[0.9, -3.1, 0.2, 7.4]])
    >>> blocks = mx_quantize(x, E2M1FN, block_size=4)
    >>> blocks.codes, blocks.scales
    (tensor([[ 2, 13,  0,  7]], dtype=torch.uint8), tensor([[127]], dtype=torch.uint8))
    >>> mx_quantize(x, E2M1FN, block_size=4, scale_rule="rceil").dequantize()
    tensor([[ 1., -3.,  0.,  8.]])
    """
    check_rounded_dtype(x)
    check_element_format(format)
    check_divides(block_size, x, "block_size")
    check_choice(scale_rule, "scale_rule", get_args(ScaleRule))
    blocks = in_blocks(x.detach().to(torch.float32), block_size)
    scales = _scale_codes(blocks.abs().amax(-1), format, scale_rule)
    elements = blocks / decode_float(scales, E8M0FNU)[..., None]
    codes = encode_float(elements.nan_to_num(nan=0.0).flatten(-2), format)
    return MXTensor(codes, scales, format, block_size)


def _scale_codes(
    amax: Float32[Tensor, "*blocks"], format: FloatFormat, rule: ScaleRule
) -> UInt8[Tensor, "*blocks"]:
    """Return the scales' codes in E8M0FNU, which is the exponent of a float32 without the rest.

    So ``⌊log2 amax⌋`` is amax's bits without the mantissa's, and to round it in another way,
    something is added to the bits before: a carry out of the mantissa raises the exponent by one.
    """
    carries = {
        "floor": 0,
        "even": 1 << (EXPONENT_AT - format.mantissa_bits - 1),  # half a unit of the mantissa
        "ceil": (1 << EXPONENT_AT) - 1,  # any bit of the mantissa carries
        "rceil": (1 << EXPONENT_AT) - 1,
    }
    target = amax / format.max if rule == "rceil" else amax
    raised = torch.where(target < SMALL, RAISED, 0)
    normal = torch.ldexp(target, raised)
    codes: Int32[Tensor, "*blocks"] = ((bits_of(normal) + carries[rule]) >> EXPONENT_AT) - raised
    if rule != "rceil":
        codes = codes - format.max_exponent
    codes = torch.where(amax == 0, 0, codes.clamp(0, 254))
    return torch.where(amax.isnan(), 255, codes).to(torch.uint8)
