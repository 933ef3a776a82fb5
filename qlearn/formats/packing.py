"""Codes of few bits side by side in bytes or words, in the orders of five libraries.

Each order cuts a row into runs of codes and lays a run, from the lowest bit upwards, into words.
A word in hexadecimal shows its highest bits first. For the codes 0, 1, 2, … of four bits:

============  ===========================  ===================================================
order         first words                  who writes so
============  ===========================  ===================================================
onnx          bytes 10 32 54 76            ONNX's int2 and int4; torchao's MX and NVFP4
bitsandbytes  bytes 01 23 45 67            bitsandbytes' NF4 and FP4; torchao's NF4
gguf          bytes with j and j + 16      GGUF's Q4_0 and Q4_1, in blocks of 32
gptq          int32 76543210               GPTQ, compressed-tensors
awq           int32 75316420               AWQ
============  ===========================  ===================================================
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Int, UInt8
from torch import Tensor

from qlearn.checks.packing import check_packable, check_packed, check_packing

OrderName = Literal["onnx", "bitsandbytes", "gguf", "gptq", "awq"]


@dataclass(frozen=True)
class Order:
    """How a library packs codes.

    Attributes:
        word: the dtype of what is packed into.
        bits: the sizes of codes that it packs so.
        run: the places of a run, from the lowest bit upwards: which code lies there. None where
            the codes follow each other, and a run is as long as it takes to fill whole words.
    """

    word: torch.dtype
    bits: tuple[int, ...] = (4,)
    run: tuple[int, ...] | None = None

    @property
    def word_bits(self) -> int:
        """Return the size of a word."""
        return torch.iinfo(self.word).bits

    def places(self, bits: int) -> tuple[int, ...]:
        """Return which code of a run lies in each place, from the lowest bit upwards."""
        if self.run is not None:
            return self.run
        return tuple(range(math.lcm(bits, self.word_bits) // bits))


ORDERS = {
    "onnx": Order(torch.uint8, bits=(2, 4)),
    "bitsandbytes": Order(torch.uint8, run=(1, 0)),
    "gguf": Order(torch.uint8, run=tuple(16 * (i % 2) + i // 2 for i in range(32))),
    "gptq": Order(torch.int32, bits=(1, 2, 3, 4, 5, 6, 7, 8)),
    "awq": Order(torch.int32, run=(0, 2, 4, 6, 1, 3, 5, 7)),
}
assert tuple(ORDERS) == get_args(OrderName)
BITS = {name: order.bits for name, order in ORDERS.items()}


def pack(
    codes: Int[Tensor, "*rows n"], bits: int, *, order: OrderName
) -> Int[Tensor, "*rows words"]:
    """Return the codes of each row side by side in bytes or words, as a library's files have them.

    The codes are what lies in the bits: 0 … 2^bits − 1. A signed code is made one of these first,
    in one of two ways: ONNX keeps two's complement, ``codes & (2^bits − 1)``; the others add
    2^(bits − 1).

    Args:
        codes: uint8, int8, int16, int32 or int64. They are packed along the last axis, which whole
            words must fill: nothing is padded, since unpack could not know by how much.
        bits: how many bits a code has.
        order: whose order, and with it the words: "onnx" (2 or 4 bits, uint8), "bitsandbytes" and
            "gguf" (4 bits, uint8), "gptq" (1 to 8 bits, int32) or "awq" (4 bits, int32). A weight
            (n, k) lies in GPTQ's files as ``pack(codes, …).T``, in AWQ's as ``pack(codes.T, …)``.

    Raises:
        TypeError: ``codes`` is no tensor of integers.
        ValueError: an unknown order; bits that it does not have; a code beyond them; a row that
            does not fill its words.

    Source: the libraries in the table of :mod:`qlearn.formats.packing`. Bits that do not divide 32
    follow auto-round and compressed-tensors: there a code may begin in one word and end in the
    next.

    >>> codes = torch.arange(8)
    >>> [hex(byte) for byte in pack(codes, 4, order="onnx").tolist()]
    ['0x10', '0x32', '0x54', '0x76']
    >>> hex(pack(codes, 4, order="awq").item())
    '0x75316420'
    """
    check_packing(bits, order, BITS)
    layout = ORDERS[order]
    places, size = layout.places(bits), layout.word_bits
    check_packable(codes, bits, len(places), order)
    runs = codes.unflatten(-1, (codes.shape[-1] // len(places), len(places)))
    shape = *runs.shape[:-1], len(places) * bits // size
    words = torch.zeros(shape, dtype=layout.word, device=codes.device)
    for place, member in enumerate(places):
        code = runs[..., member].to(layout.word)
        word, shift = divmod(place * bits, size)
        words[..., word] |= code << shift
        if shift + bits > size:  # the rest of the code begins the next word
            words[..., word + 1] |= code >> (size - shift)
    return words.flatten(-2)


def unpack(
    packed: Int[Tensor, "*rows words"], bits: int, *, order: OrderName
) -> UInt8[Tensor, "*rows n"]:
    """Return the codes that :func:`pack` laid side by side, each in a byte, 0 … 2^bits − 1.

    Args:
        packed: bytes (torch.uint8) or words (torch.int32), as the order has them; along the last
            axis they must hold whole runs of codes.
        bits: how many bits a code has.
        order: as in :func:`pack`.

    Raises:
        TypeError: ``packed`` does not have the order's dtype.
        ValueError: an unknown order; bits that it does not have; a row that ends within a run.

    Source: the libraries of :func:`pack`. So torchao's ``unpack_uint4`` reads the order "onnx", and
    ``gguf.quants.dequantize`` the codes of a Q4_0 block.

    >>> packed = torch.tensor([0x10, 0x32], dtype=torch.uint8)
    >>> unpack(packed, 4, order="onnx"), unpack(packed, 4, order="bitsandbytes")
    (tensor([0, 1, 2, 3], dtype=torch.uint8), tensor([1, 0, 3, 2], dtype=torch.uint8))
    """
    check_packing(bits, order, BITS)
    layout = ORDERS[order]
    places, size = layout.places(bits), layout.word_bits
    in_run = len(places) * bits // size
    check_packed(packed, layout.word, in_run, order)
    words = packed.unflatten(-1, (packed.shape[-1] // in_run, in_run))
    shape = *words.shape[:-1], len(places)
    codes = torch.empty(shape, dtype=torch.uint8, device=packed.device)
    for place, member in enumerate(places):
        word, shift = divmod(place * bits, size)
        code = words[..., word] >> shift
        if shift + bits > size:  # copies of the sign bit lie where the rest belongs
            code = (code & (2 ** (size - shift) - 1)) | (words[..., word + 1] << (size - shift))
        codes[..., member] = (code & (2**bits - 1)).to(torch.uint8)
    return codes.flatten(-2)
