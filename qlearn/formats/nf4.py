"""NF4, the four bits of QLoRA: sixteen levels that lie close where weights are many.

The rule is that of bitsandbytes, which is not needed here.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Float32, UInt8
from torch import Tensor

from qlearn.checks import check_flag, check_float32
from qlearn.checks.blocks import check_divides
from qlearn.checks.finite import check_finite
from qlearn.checks.formats import check_rounded_dtype
from qlearn.checks.groups import check_code_dtype, check_in_range, check_scales
from qlearn.checks.nf4 import check_quantized_scales
from qlearn.formats.blocks import in_blocks
from qlearn.formats.double_quantization import QuantizedScales, quantize_scales

# Quantiles of the normal distribution, divided by the largest; eight on the right of 0, seven on
# the left. bitsandbytes has the same table; a test computes it.
NF4_LEVELS = (
    -1.0,
    -0.6961928009986877,
    -0.5250730514526367,
    -0.39491748809814453,
    -0.28444138169288635,
    -0.18477343022823334,
    -0.09105003625154495,
    0.0,
    0.07958029955625534,
    0.16093020141124725,
    0.24611230194568634,
    0.33791524171829224,
    0.44070982933044434,
    0.5626170039176941,
    0.7229568362236023,
    1.0,
)

# bitsandbytes divides by no less than this, so that a reciprocal is finite.
SMALLEST_AMAX = 1e-38


def nf4_levels() -> Float32[Tensor, "16"]:
    """Return the sixteen levels of NF4, in the order of their codes, from −1 to 1.

    They are quantiles of the normal distribution, divided by the largest: eight at probabilities
    evenly spaced from 0.9677083 down to, but without, 0.5; seven negative ones in the same way; 0.

    Source: ``bitsandbytes.functional.get_4bit_type("nf4")``; QLoRA, arXiv 2305.14314, appendix E.

    >>> nf4_levels()[:9]
    tensor([-1.0000, -0.6962, -0.5251, -0.3949, -0.2844, -0.1848, -0.0911,  0.0000,
             0.0796])
    """
    return torch.tensor(NF4_LEVELS, dtype=torch.float32)


@dataclass(frozen=True, eq=False)
class NF4Tensor:
    """Codes 0 … 15, which number the levels of NF4, and the scale of each block.

    A code means ``f(level · scale)``, with f for rounding to float32.

    Attributes:
        codes: one in each uint8; ``pack(codes, 4, order="bitsandbytes")`` makes the library's bytes
            of them.
        scales: one for each block along the last axis, float32: the largest absolute value in it.
            After double quantization it is what came back, a little off.
        block_size: how many neighbours along the last axis make a block.
        quantized_scales: the scales in eight bits, or None without double quantization.

    Raises:
        TypeError: codes that are not uint8, scales that are not float32, quantized scales that are
            no QuantizedScales.
        ValueError: shapes that do not belong together; a code above 15; a scale that is infinite
            or NaN.

    Source: QLoRA, arXiv 2305.14314. They are the bytes and the ``QuantState`` that
    ``bitsandbytes.functional.quantize_4bit`` returns; ``dequantize_4bit`` reads them.

    >>> codes = torch.tensor([0, 7, 8, 15], dtype=torch.uint8)
    >>> NF4Tensor(codes, torch.tensor([2.0, 10.0]), block_size=2).dequantize()
    tensor([-2.0000,  0.0000,  0.7958, 10.0000])
    """

    codes: UInt8[Tensor, "*rows n"]
    scales: Float32[Tensor, "*rows blocks"]
    block_size: int = 64
    quantized_scales: QuantizedScales | None = None

    def __post_init__(self) -> None:
        """Check that the parts fit together."""
        check_code_dtype(self.codes, "codes", torch.uint8)
        check_divides(self.block_size, self.codes, "block_size")
        check_in_range(self.codes, "codes", 0, 15, "they are places in nf4_levels()")
        check_float32(self.scales, "scales")
        check_scales(self.scales, in_blocks(self.codes, self.block_size).shape[:-1])
        check_quantized_scales(self.quantized_scales, self.scales)

    @property
    def bits_per_weight(self) -> float:
        """Return what a number costs: its code, and its share of the block's scale.

        In blocks of 64 that is 4.5 with a float32 scale, and 4.127 after double quantization.
        """
        each = 32.0 if self.quantized_scales is None else self.quantized_scales.bits_per_scale
        return 4 + each / self.block_size

    def dequantize(self) -> Float32[Tensor, "*rows n"]:
        """Return ``level · scale`` for each code, in float32."""
        levels = nf4_levels().to(self.codes.device)
        blocks = in_blocks(levels[self.codes.int()], self.block_size)
        return (blocks * self.scales.unsqueeze(-1)).flatten(-2)


def nf4_quantize(
    x: Float[Tensor, "*rows n"], *, block_size: int = 64, double: bool = False
) -> NF4Tensor:
    """Return for each number the NF4 level nearest to it when its block is scaled to −1 … 1.

    With amax the largest absolute value of a block and f for rounding to float32,
    ``scaled = clamp(f(x · f(1/max(amax, 1e-38))), −1, 1)``, and the code counts the midpoints
    between neighbouring levels that lie below it: a tie takes the lower level. A block of zeros
    gets the scale 0 and the code 7, which means 0. Where amax is below 1e-38, the block is not
    scaled up to 1, and its numbers come back too small, in the end as 0.

    Args:
        x: float32, or bfloat16 or float16, whose numbers float32 holds; of any shape but (), empty
            and non-contiguous included.
        block_size: must divide the rows. bitsandbytes has powers of two from 32 to 4096; its blocks
            run on from one row into the next, which is the same where they divide the rows.
        double: whether the scales are quantized too, to eight bits: see
            :func:`~qlearn.formats.double_quantization.quantize_scales`.

    Raises:
        TypeError: ``x`` is no such tensor: float64 is refused because it would be rounded.
        ValueError: a block size that does not divide the rows; infinities or NaN; with ``double``,
            numbers so large that the mean of the scales is infinite.

    Source: ``bitsandbytes.functional.quantize_4bit`` with ``quant_type="nf4"``, and for ``double``
    ``compress_statistics=True``, on a CPU, where ``dequantize_4bit`` rounds to the dtype of x once
    more; QLoRA, arXiv 2305.14314.

    >>> blocks = nf4_quantize(torch.tensor([[1.0, -0.5, 0.1, 2.0]]), block_size=2)
    >>> blocks.codes, blocks.scales
    (tensor([[15,  2,  8, 15]], dtype=torch.uint8), tensor([[1., 2.]]))
    >>> blocks.dequantize()
    tensor([[ 1.0000, -0.5251,  0.1592,  2.0000]])
    """
    check_rounded_dtype(x)
    check_flag(double, "double")
    check_divides(block_size, x, "block_size")
    blocks = in_blocks(x.detach().float(), block_size)
    amax = blocks.abs().amax(-1)
    check_finite(x, amax)
    scaled = blocks * (1.0 / amax.clamp_min(SMALLEST_AMAX)).unsqueeze(-1)
    levels = nf4_levels().to(x.device)
    midpoints = (levels[:-1] + levels[1:]) / 2
    codes = torch.bucketize(scaled.clamp(-1, 1).contiguous(), midpoints, out_int32=True)
    quantized = quantize_scales(amax) if double else None
    scales = amax if quantized is None else quantized.dequantize()
    return NF4Tensor(codes.to(torch.uint8).flatten(-2), scales, block_size, quantized)
