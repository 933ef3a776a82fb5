"""NF4 against bitsandbytes and against onnxruntime's kernel for its blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.inputs import values
from proofs.per_token import draw_rows
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import nf4_quantize, pack

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
