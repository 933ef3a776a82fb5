"""NF4 against bitsandbytes and against onnxruntime's kernel for its blocks."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.inputs import values
from proofs.per_token import draw_rows
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import dynamic_levels, nf4_levels, nf4_quantize, pack

CODES = torch.arange(8, dtype=torch.uint8).reshape(2, 4)


@proof("nf4_quantize", "onnxruntime's quantize_matmul_bnb4", package="onnxruntime")
def as_onnxruntime(draw: Draw) -> tuple[Any, Any]:
    """Compare bytes and scales; four of its 15 thresholds lie one float32 beside the midpoint."""
    from onnxruntime.capi._pybind_state import quantize_matmul_bnb4

    n, k, block = draw.integer(1, 4), 64, draw.choice([16, 32, 64])
    x = draw.normal(n, k) * draw.scale()
    packed, scales = np.zeros(n * k // 2, np.uint8), np.zeros(n * k // block, np.float32)
    quantize_matmul_bnb4(packed, x.numpy(), scales, block, 1, n, k)
    ours = nf4_quantize(x, block_size=block)
    bytes_of_ours = pack(ours.codes, 4, order="bitsandbytes").flatten()
    return (bytes_of_ours, ours.scales.flatten()), (
        torch.from_numpy(packed),
        torch.from_numpy(scales),
    )


@proof(
    "nf4_quantize",
    "bitsandbytes' quantize_4bit and dequantize_4bit, on a CPU",
    package="bitsandbytes",
)
def as_bitsandbytes(draw: Draw) -> tuple[Any, Any]:
    """Compare bytes, scales and numbers of rows of many sizes, with ties."""
    from bitsandbytes.functional import dequantize_4bit, quantize_4bit

    x = draw_rows(draw, draw.integer(1, 5), 128)
    if draw.chance(0.3):
        x = torch.round(x / (x.abs().amax() + 1e-30) * 64) / 64
    block = draw.choice([32, 64, 128])
    packed, state = quantize_4bit(x, blocksize=block, quant_type="nf4")
    ours = nf4_quantize(x, block_size=block)
    bytes_of_ours = pack(ours.codes, 4, order="bitsandbytes").flatten()
    theirs = packed.flatten(), state.absmax, dequantize_4bit(packed, state)
    return (bytes_of_ours, ours.scales.flatten(), ours.dequantize()), theirs


@proof(
    "NF4Tensor",
    "bitsandbytes' dequantize_4bit after double quantization, on a CPU",
    package="bitsandbytes",
)
def doubly_as_bitsandbytes(draw: Draw) -> tuple[Any, Any]:
    """Compare the scales' codes, their amax and mean, and the numbers."""
    from bitsandbytes.functional import dequantize_4bit, quantize_4bit

    x = draw.normal(draw.integer(1, 20), 64 * draw.integer(1, 20)) * draw.scale()
    packed, state = quantize_4bit(x, blocksize=64, quant_type="nf4", compress_statistics=True)
    ours = nf4_quantize(x, double=True)
    scales = ours.quantized_scales
    assert scales is not None
    return (
        (scales.codes.flatten(), scales.amax, scales.offset, ours.dequantize()),
        (state.absmax, state.state2.absmax, state.offset, dequantize_4bit(packed, state)),
    )


@proof("nf4_levels", "quantiles of Python's NormalDist, rounded to float32", cases=1, quick=1)
def quantiles_of_a_normal_distribution(draw: Draw) -> tuple[Any, Any]:
    """Compare all sixteen."""
    ends = [torch.linspace(0.9677083, 0.5, count)[:-1].tolist() for count in (9, 8)]
    above, below = ([NormalDist().inv_cdf(end) for end in one] for one in ends)
    levels = torch.tensor(sorted([*above, 0.0, *(-level for level in below)]))
    return nf4_levels(), levels / levels.max()


@proof(
    "dynamic_levels",
    "bitsandbytes' create_dynamic_map",
    package="bitsandbytes",
    cases=1,
    quick=1,
)
def map_of_bitsandbytes(draw: Draw) -> tuple[Any, Any]:
    """Compare all 256."""
    from bitsandbytes.functional import create_dynamic_map

    return dynamic_levels(), create_dynamic_map()


def block_rows(n: int) -> tuple[Tensor]:
    """Return n numbers in a row, n rounded up to whole blocks of 64."""
    return values(-(-n // 64) * 64)


public(
    "nf4_quantize",
    "formats/four_bits",
    {"x": torch.arange(8.0).reshape(2, 4), "block_size": 2, "double": True},
    Large("", block_rows, lambda x: nf4_quantize(x).codes),
    Large("double", block_rows, lambda x: nf4_quantize(x, double=True).codes),
)
public(
    "NF4Tensor",
    "formats/four_bits",
    {"codes": CODES, "scales": torch.ones(2, 2), "block_size": 2, "quantized_scales": None},
    Large("dequantize", lambda n: (nf4_quantize(*block_rows(n)),), lambda q: q.dequantize()),
)
public("nf4_levels", "formats/four_bits", {}, not_large="it returns sixteen numbers")
public("dynamic_levels", "formats/four_bits_to_the_bit", {}, not_large="it returns 256 numbers")
