"""Packed codes against libraries that read them, and against streams of bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from proofs.draw import Draw
from proofs.inputs import values
from proofs.onnx_blocks import codes_read_by_onnxruntime
from proofs.proof import proof
from proofs.public import Large, public
from qlearn import pack, unpack


def few_bits(n: int) -> tuple[Tensor]:
    """Return n codes of four bits in a row, n rounded up to whole blocks of 32."""
    return ((values(-(-n // 32) * 32)[0] * 100).to(torch.uint8) & 15,)


@proof("pack", "onnxruntime, which reads int4 and uint4", package="onnxruntime", quick=30)
def read_by_onnxruntime(draw: Draw) -> tuple[Any, Any]:
    """Compare codes, signed ones in two's complement, with what onnxruntime makes of the bytes."""
    n, signed = 2 * draw.integer(1, 40), draw.chance(0.5)
    low = -8 if signed else 0
    codes = draw.codes((n,), torch.int8, low, low + 15)
    packed = pack(codes & 15, 4, order="onnx")
    return codes.float(), codes_read_by_onnxruntime(packed, n, signed=signed)


@proof("pack", "numpy.packbits: GPTQ's words are a stream of bits, the lowest first")
def a_stream_of_bits(draw: Draw) -> tuple[Any, Any]:
    """Compare codes of one to eight bits, some of which begin in one word and end in the next."""
    rows, bits = draw.integer(1, 4), draw.integer(1, 8)
    codes = draw.codes((rows, 32 * draw.integer(1, 3)), torch.uint8, 0, 2**bits - 1)
    each = np.unpackbits(codes.numpy()[..., None], axis=-1, bitorder="little", count=bits)
    stream = np.packbits(each.reshape(rows, -1), axis=-1, bitorder="little")
    packed = pack(codes, bits, order="gptq")
    return packed, torch.from_numpy(stream.view("<i4").astype(np.int32))


@proof("unpack", "the gguf package's Q4_0", package="gguf")
def blocks_of_gguf(draw: Draw) -> tuple[Any, Any]:
    """Compare the codes in random bytes, behind a scale of 1."""
    import gguf

    packed = draw.codes((draw.integer(1, 5), 16), torch.uint8, 0, 255)
    one = torch.tensor([[0x00, 0x3C]], dtype=torch.uint8).expand(len(packed), 2)
    blocks = torch.cat([one, packed], 1).numpy()
    theirs = gguf.quants.dequantize(blocks, gguf.GGMLQuantizationType.Q4_0)
    return unpack(packed, 4, order="gguf").float() - 8, torch.from_numpy(theirs)


public(
    "pack",
    "formats/four_bits",
    {"codes": torch.arange(8).reshape(1, 8), "bits": 4, "order": "gptq"},
    Large("two in a byte", few_bits, lambda codes: pack(codes, 4, order="onnx")),
    Large("eight in a word", few_bits, lambda codes: pack(codes, 4, order="awq")),
)
public(
    "unpack",
    "formats/four_bits",
    {"packed": torch.arange(8, dtype=torch.int32), "bits": 4, "order": "gptq"},
    Large(
        "two in a byte",
        lambda n: (pack(*few_bits(n), 4, order="onnx"),),
        lambda packed: unpack(packed, 4, order="onnx"),
    ),
)
