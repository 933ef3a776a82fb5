"""What lies in the bytes of GGUF's blocks: each kind's codes and scales, one function a direction.

A function takes all blocks of a tensor at once, a row for each.
"""

from __future__ import annotations

import torch
from jaxtyping import Float32, UInt8
from torch import Tensor

from qlearn.checks.gguf import check_float16_scales
from qlearn.formats.packing import pack, unpack

Bytes = UInt8[Tensor, "blocks bytes"]


def encode_q4_0(blocks: Float32[Tensor, "blocks 32"]) -> Bytes:
    """Return d and 16 bytes of codes: the largest number, with its sign, becomes −8 steps."""
    first_largest = blocks.abs().argmax(1, keepdim=True)
    d = (blocks.gather(1, first_largest) + 0.0) / -8  # as in ggml, −0.0 counts as 0.0
    codes = torch.trunc(blocks * _inverse(d) + 8.5).clamp_max(15)
    return torch.cat([_bytes_of(d), pack(codes.to(torch.uint8), 4, order="gguf")], 1)


def decode_q4_0(blocks: Bytes) -> Float32[Tensor, "blocks 32"]:
    """Return ``d · (code − 8)``."""
    d, packed = _halves(blocks[:, :2]), blocks[:, 2:]
    return d * (unpack(packed, 4, order="gguf").float() - 8)


def encode_q8_0(blocks: Float32[Tensor, "blocks 32"]) -> Bytes:
    """Return d and 32 codes, −127 … 127: ties are rounded away from 0."""
    d = blocks.abs().amax(1, keepdim=True) / 127
    scaled = blocks * _inverse(d)
    whole = scaled.trunc()
    codes = whole + (2 * (scaled - whole)).trunc()
    return torch.cat([_bytes_of(d), codes.to(torch.int8).view(torch.uint8)], 1)


def decode_q8_0(blocks: Bytes) -> Float32[Tensor, "blocks 32"]:
    """Return ``d · code``."""
    d, codes = _halves(blocks[:, :2]), blocks[:, 2:].view(torch.int8)
    return d * codes


def decode_q4_k(blocks: Bytes) -> Float32[Tensor, "blocks 256"]:
    """Return ``(d · s) · code − dmin · m``, with a scale s and a minimum m for each 32 numbers."""
    d, dmin = _halves(blocks[:, :2]), _halves(blocks[:, 2:4])
    scales, minima = _six_bits(blocks[:, 4:16])
    codes = _pieces(blocks[:, 16:].unflatten(1, (4, 32)), bits=4)
    parts = codes.reshape(-1, 8, 32).float()
    return ((d * scales)[:, :, None] * parts - (dmin * minima)[:, :, None]).flatten(1)


def decode_q6_k(blocks: Bytes) -> Float32[Tensor, "blocks 256"]:
    """Return ``(d · s) · (code − 32)``, with a signed scale s for each 16 numbers."""
    low, high, scales, d = blocks.split([128, 64, 16, 2], dim=1)
    low_bits = _pieces(low.unflatten(1, (2, 64)), bits=4).reshape(-1, 256)
    high_bits = _pieces(high.unflatten(1, (2, 32)), bits=2).reshape(-1, 256)
    codes = (low_bits | (high_bits << 4)).float() - 32
    parts = codes.unflatten(1, (16, 16))
    return ((_halves(d) * scales.view(torch.int8))[:, :, None] * parts).flatten(1)


def _six_bits(packed: UInt8[Tensor, "blocks 12"]) -> tuple[Tensor, Tensor]:
    """Return the eight scales and the eight minima of Q4_K, 0 … 63.

    The first four of each lie in the low six bits of the bytes 0–3 and 4–7. Of the last four the
    low four bits lie in the bytes 8–11, and the high two above the first four.
    """
    scales, minima, rest = packed.split(4, dim=1)
    last_scales = (rest & 15) | (scales >> 6 << 4)
    last_minima = (rest >> 4) | (minima >> 6 << 4)
    return torch.cat([scales & 63, last_scales], 1), torch.cat([minima & 63, last_minima], 1)


def _pieces(packed: UInt8[Tensor, "blocks runs n"], *, bits: int) -> UInt8[Tensor, "..."]:
    """Return for each run the lowest bits of all its bytes, then the next bits of all, and so on.

    Shape (blocks, runs, 8/bits, n).
    """
    shifts = torch.arange(0, 8, bits, dtype=torch.uint8, device=packed.device)
    return (packed[:, :, None] >> shifts[:, None]) & (2**bits - 1)


def _inverse(d: Float32[Tensor, "blocks 1"]) -> Float32[Tensor, "blocks 1"]:
    """Return 1/d, and 0 where that is not finite, so that 0 and denormal numbers stay numbers."""
    inverse = 1.0 / d
    return torch.where(inverse.isfinite(), inverse, 0.0)


def _bytes_of(d: Float32[Tensor, "blocks 1"]) -> UInt8[Tensor, "blocks 2"]:
    """Return the scales in float16, byte by byte, the lower one first."""
    check_float16_scales(d)
    return d.half().flatten().view(torch.uint8).reshape(-1, 2)


def _halves(stored: UInt8[Tensor, "blocks 2"]) -> Float32[Tensor, "blocks 1"]:
    """Return the float16 numbers in two bytes each, in float32."""
    return stored.contiguous().view(torch.float16).float()
