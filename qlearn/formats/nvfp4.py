"""NVFP4: blocks of four-bit floats with a scale in E4M3, and one float32 above them all."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Float32, UInt8
from torch import Tensor

from qlearn.checks.blocks import check_divides
from qlearn.checks.finite import check_finite
from qlearn.checks.formats import check_block_scales, check_float_codes, check_rounded_dtype
from qlearn.checks.groups import check_one_for_all
from qlearn.formats.blocks import in_blocks
from qlearn.formats.float_codes import decode_float, encode_float
from qlearn.formats.float_format import E2M1FN, E4M3FN

BLOCK_SIZE = 16

# The least scale of a tensor: its reciprocal over the least scale of a block, 2^−6, is finite.
LEAST_TENSOR_SCALE = 2.0**-121


@dataclass(frozen=True, eq=False)
class NVFP4Tensor:
    """Codes of E2M1FN, for each 16 along the last axis a scale in E4M3FN, and a scale for all.

    A code means ``f(value · f(tensor_scale · scale))``, with f for rounding to float32.

    Attributes:
        codes: codes of E2M1FN, one in each byte, in the shape of the tensor.
        scales: codes of E4M3FN, one for each block: the same shape, the last axis 16 times shorter.
        tensor_scale: float32 of shape ().

    Raises:
        TypeError: codes or scales are not uint8, or the tensor's scale not float32.
        ValueError: shapes that do not belong together; a code that E2M1FN lacks; a scale of the
            tensor that is infinite or NaN.

    Source: NVIDIA, arXiv 2509.25149; ``NVFP4Tensor`` of torchao, which keeps two codes in a byte.

    >>> codes, scales = torch.full((1, 16), 7).byte(), torch.tensor([[0x38]]).byte()
    >>> NVFP4Tensor(codes, scales, torch.tensor(0.5)).dequantize()[0, :4]
    tensor([3., 3., 3., 3.])
    """

    codes: UInt8[Tensor, "*rows n"]
    scales: UInt8[Tensor, "*rows blocks"]
    tensor_scale: Float32[Tensor, ""]

    def __post_init__(self) -> None:
        """Check that the parts belong together."""
        check_float_codes(self.codes, E2M1FN)
        check_divides(BLOCK_SIZE, self.codes, "the block of NVFP4", fixed=True)
        check_block_scales(self.scales, E4M3FN, in_blocks(self.codes, BLOCK_SIZE).shape[:-1])
        check_one_for_all(self.tensor_scale, "tensor_scale")

    @property
    def bits_per_weight(self) -> float:
        """Return how many bits each number takes, its share of the block's scale included."""
        return E2M1FN.bits + E4M3FN.bits / BLOCK_SIZE

    def dequantize(self) -> Float32[Tensor, "*rows n"]:
        """Return what the codes mean: ``f(value · f(tensor_scale · scale))``, f to float32."""
        numbers = in_blocks(decode_float(self.codes, E2M1FN), BLOCK_SIZE)
        steps = self.tensor_scale * decode_float(self.scales, E4M3FN)
        return (numbers * steps[..., None]).flatten(-2)


def nvfp4_quantize(x: Float[Tensor, "*rows n"]) -> NVFP4Tensor:
    """Return x in codes of four bits, with a scale for each 16 of them and one for the tensor.

    With f rounding to float32, and amax the largest ``|x|`` of the tensor or of a block:

    * ``tensor_scale = max(f(amax/(448·6)), 2^−121)``, so that the largest block has the scale 448;
    * a block's scale is E4M3FN's number nearest to ``f(f(amax/6)/tensor_scale)``, clamped to
      2^−6 … 448, its normal numbers;
    * a code is that of E2M1FN's number nearest to ``f(x · f(f(1/tensor_scale)/scale))``, clamped
      to −6 … 6.

    Zeros come back as zeros, also where all of x is 0.

    Args:
        x: float32, or bfloat16 or float16, whose numbers float32 holds, with at least one axis;
            16 divides the last one.

    Raises:
        TypeError: ``x`` is no such tensor.
        ValueError: infinities or NaN in x, of which the tensor's scale would make NaN everywhere;
            16 does not divide the last axis.

    Source: ``nvfp4_quantize`` of torchao with the tensor's scale of ``per_tensor_amax_to_scale``,
    bit for bit in float32 and bfloat16 where that is at least 2^−121; below, torchao's reciprocal
    may be infinite, and a tensor of zeros becomes NaN. The format: NVIDIA, arXiv 2509.25149.

    >>> x = torch.linspace(-1, 1, 16)
    >>> blocks = nvfp4_quantize(x)
    >>> blocks.tensor_scale, blocks.scales
    (tensor(0.0004), tensor([126], dtype=torch.uint8))
    >>> blocks.dequantize()[:4]
    tensor([-1.0000, -1.0000, -0.6667, -0.6667])
    """
    check_rounded_dtype(x)
    check_divides(BLOCK_SIZE, x, "the block of NVFP4", fixed=True)
    blocks = in_blocks(x.detach().to(torch.float32), BLOCK_SIZE)
    amax = blocks.abs().amax(-1)
    check_finite(x, amax)
    largest = amax.amax() if amax.numel() else amax.new_zeros(())
    tensor_scale = (largest / (E4M3FN.max * E2M1FN.max)).clamp_min(LEAST_TENSOR_SCALE)
    scales = encode_float(
        (amax / E2M1FN.max / tensor_scale).clamp_min(E4M3FN.smallest_normal), E4M3FN
    )
    reciprocals = 1.0 / tensor_scale / decode_float(scales, E4M3FN)
    codes = encode_float((blocks * reciprocals[..., None]).flatten(-2), E2M1FN)
    return NVFP4Tensor(codes, scales, tensor_scale)
