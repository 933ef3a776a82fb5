"""GGUF's blocks against ggml's C functions and against the gguf package."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.ggml import ggml_dequantize, ggml_quantize
from proofs.inputs import values
from proofs.per_token import draw_rows
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import gguf_dequantize, gguf_quantize

SIZES = {"Q4_0": 18, "Q8_0": 34, "Q4_K": 144, "Q6_K": 210}
NUMBERS = {"Q4_0": 32, "Q8_0": 32, "Q4_K": 256, "Q6_K": 256}


def _numbers(draw: Draw, rows: int, n: int, *, step: float) -> Tensor:
    """Return rows of n, within what float16 can scale; in some cases many half steps."""
    x = draw_rows(draw, rows, n).clamp(-1e5, 1e5)
    if draw.chance(0.3):
        x = torch.round(x / (x.abs().amax() + 1e-30) * 16) / 2 * step
    return x + 0.0  # no −0.0, of which the package makes another zero


def _bytes(data: bytes) -> Tensor:
    return torch.from_numpy(np.frombuffer(data, np.uint8).copy())


@proof("gguf_quantize", "ggml's quantize_row_q4_0_ref and …_q8_0_ref", package="libggml-python")
def written_as_in_c(draw: Draw) -> tuple[Any, Any]:
    """Compare the bytes; half steps are exact, since a compiler may fuse multiply and add."""
    x = _numbers(draw, 2, 64, step=2.0 ** draw.integer(-9, 9))
    kind = draw.choice(["Q4_0", "Q8_0"])
    return _bytes(gguf_quantize(x, kind)), _bytes(ggml_quantize(x, kind))


@proof("gguf_quantize", "the gguf package's Q4_0 and Q8_0", package="gguf")
def written_as_in_the_package(draw: Draw) -> tuple[Any, Any]:
    """Compare the bytes; of blocks of −0.0 those differ in the sign of the scale."""
    import gguf

    x, kind = _numbers(draw, 2, 64, step=draw.scale(3)), draw.choice(["Q4_0", "Q8_0"])
    theirs = gguf.quants.quantize(x.numpy(), gguf.GGMLQuantizationType[kind])
    return _bytes(gguf_quantize(x, kind)), torch.from_numpy(theirs.flatten())


@proof("gguf_dequantize", "ggml's dequantize_row_…, of its own blocks", package="libggml-python")
def read_as_in_c(draw: Draw) -> tuple[Any, Any]:
    """Compare the numbers in blocks that ggml wrote, with its search for scales."""
    kind = draw.choice(list(SIZES))
    data = ggml_quantize(_numbers(draw, 4, 256, step=draw.scale(3)), kind)
    ours = gguf_dequantize(data, kind, (4, 256))
    return ours, ggml_dequantize(data, kind, 4 * 256).reshape(4, 256)


@proof("gguf_dequantize", "the gguf package, of random bytes", package="gguf")
def read_as_in_the_package(draw: Draw) -> tuple[Any, Any]:
    """Compare the numbers; NaN, of which the scale's bytes may be one, by its place alone."""
    import gguf

    kind = draw.choice(list(SIZES))
    data = draw.codes((4, SIZES[kind]), torch.uint8, 0, 255)
    theirs = gguf.quants.dequantize(data.numpy(), gguf.GGMLQuantizationType[kind])
    ours = gguf_dequantize(data, kind, (4, NUMBERS[kind]))
    pair = ours, torch.from_numpy(theirs)
    return tuple((part.isnan(), part.nan_to_num()) for part in pair)  # type: ignore[return-value]


def numbers(n: int) -> tuple[Tensor]:
    """Return n numbers in a row, n rounded up to whole blocks."""
    return values(-(-n // 256) * 256)


BLOCK = torch.arange(32.0)

public(
    "gguf_quantize",
    "formats/four_bits",
    {"x": BLOCK, "kind": "Q4_0"},
    Large("Q4_0", numbers, lambda x: gguf_quantize(x, "Q4_0")),
    Large("Q8_0", numbers, lambda x: gguf_quantize(x, "Q8_0")),
)
public(
    "gguf_dequantize",
    "formats/four_bits",
    {"data": gguf_quantize(BLOCK, "Q4_0"), "kind": "Q4_0", "shape": (1, 32)},
    Large(
        "Q8_0",
        lambda n: (_bytes(gguf_quantize(*numbers(n), "Q8_0")),),
        lambda data: gguf_dequantize(data, "Q8_0", (len(data) // 34 * 32,)),
    ),
    Large(
        "Q4_K",
        lambda n: (torch.zeros(-(-n // 256) * 144, dtype=torch.uint8),),
        lambda data: gguf_dequantize(data, "Q4_K", (len(data) // 144 * 256,)),
    ),
    Large(
        "Q6_K",
        lambda n: (torch.zeros(-(-n // 256) * 210, dtype=torch.uint8),),
        lambda data: gguf_dequantize(data, "Q6_K", (len(data) // 210 * 256,)),
    ),
    keeps_nan=True,
)
