"""QLoRA's double quantization: the scales of blocks are quantized themselves, to eight bits.

The rule is that of bitsandbytes on a CPU, which is not needed here. The levels are those that its
8-bit optimizers have for numbers of both signs, dense near 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import torch
from jaxtyping import Float32, UInt8
from torch import Tensor

from qlearn.checks import check_float32
from qlearn.checks.groups import check_code_dtype, check_one_for_all, check_one_for_each

# How many scales share one scale of their own.
RUN = 256

# bitsandbytes finds a level by a table with that many entries, evenly spaced over −1 … 1.
TABLE = 65536


@dataclass(frozen=True, eq=False)
class QuantizedScales:
    """The scales of blocks, each in eight bits: ``f(f(level · amax) + offset)``.

    Attributes:
        codes: in the shape of the scales, uint8; they number the levels of
            :func:`~qlearn.dynamic_levels`.
        amax: one for each 256 scales, in the order of memory: the largest absolute value among
            them, after the offset was taken off. The last one may serve fewer.
        offset: the mean of all scales.

    Raises:
        TypeError: codes that are not uint8, amax or offset that are not float32.
        ValueError: another number of amax, or of offsets; an offset that is infinite or NaN.
    """

    codes: UInt8[Tensor, "*blocks"]
    amax: Float32[Tensor, " runs"]
    offset: Float32[Tensor, ""]

    def __post_init__(self) -> None:
        """Check that the parts fit together."""
        check_code_dtype(self.codes, "codes", torch.uint8)
        check_float32(self.amax, "amax")
        check_one_for_each(self.amax, "amax", [math.ceil(self.codes.numel() / RUN)])
        check_one_for_all(self.offset, "offset")

    @property
    def bits_per_scale(self) -> float:
        """Return what a scale costs: its code and its share of the amax; the one mean is left out.

        That is 8.125 bits.
        """
        return 8 + 32 / RUN

    def dequantize(self) -> Float32[Tensor, "*blocks"]:
        """Return the scales that the codes mean."""
        amax = self.amax.repeat_interleave(RUN)[: self.codes.numel()].reshape(self.codes.shape)
        levels = dynamic_levels().to(self.codes.device)
        return levels[self.codes.int()] * amax + self.offset


def quantize_scales(scales: Float32[Tensor, "*blocks"]) -> QuantizedScales:
    """Return the scales in eight bits, less their mean, in runs of 256 that share an amax.

    The level of ``v = (scale − mean) / amax`` is looked up: the table's entry
    ``⌊f((v + 1)/2) · 65535 + 1/2⌋`` has the level nearest to the entry's own place in −1 … 1. Near
    0 levels lie closer than entries, and the code is up to four levels beside the nearest. Where
    all scales of a run equal the mean, amax is 0, the codes are 0, and they mean the mean.

    Source: ``bitsandbytes.functional.quantize_blockwise`` with ``blocksize=256`` on a CPU with the
    library's own kernels; what it falls back on in torch takes the nearest level. The mean is
    torch's, whose last bit depends on the processor's vectors.
    """
    flat = scales.flatten()
    offset = flat.mean() if flat.numel() else flat.new_zeros(())
    missing = -len(flat) % RUN
    runs = torch.nn.functional.pad(flat - offset, (0, missing)).reshape(-1, RUN)
    amax = runs.abs().amax(1)
    scaled = (runs * (1.0 / amax)[:, None]).clamp(-1, 1)  # 0 · ∞ is NaN, and NaN becomes code 0
    entries = torch.floor((scaled + 1) * 0.5 * (TABLE - 1) + 0.5).nan_to_num(0).long()
    codes = _nearest_levels(scales.device)[entries].flatten()[: len(flat)]
    return QuantizedScales(codes.reshape(scales.shape), amax, offset)


@cache
def _nearest_levels(device: torch.device) -> UInt8[Tensor, "65536"]:
    """Return for each entry of the table the level nearest to its place; a tie goes down."""
    levels = dynamic_levels()
    places = -1 + 2 * torch.arange(TABLE, dtype=torch.float32) / (TABLE - 1)
    nearest = torch.bucketize(places, (levels[:-1] + levels[1:]) / 2, out_int32=True)
    return nearest.to(torch.uint8).to(device)


def dynamic_levels() -> Float32[Tensor, "256"]:
    """Return the 256 levels of bitsandbytes' 8-bit numbers, in the order of their codes.

    On each side of 0 lie seven decades, 0.1 … 1 with 64 levels, and each lower one with half as
    many; a decade is cut evenly, and the levels are the middles of its parts. 0 and 1 make up the
    256.

    Source: ``bitsandbytes.functional.create_dynamic_map``; arXiv 2110.02861.

    >>> dynamic_levels()[[0, 126, 127, 128, 255]]
    tensor([-9.9297e-01, -5.5000e-07,  0.0000e+00,  5.5000e-07,  1.0000e+00])
    """
    levels = [0.0, 1.0]
    for decade in range(7):
        ends = torch.linspace(0.1, 1, 2**decade + 1, dtype=torch.float32)
        middles = 10 ** (decade - 6) * ((ends[:-1] + ends[1:]) / 2)
        levels += [*middles.tolist(), *(-middles).tolist()]
    return torch.tensor(sorted(levels), dtype=torch.float32)
