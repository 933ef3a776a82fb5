"""GGUF's blocks, byte for byte as llama.cpp's files hold them.

A block is a few bytes in which some numbers share a scale in float16, called d. Q4_0 and Q8_0 are
written and read here. Q4_K and Q6_K are read: 256 numbers share d, and eight or sixteen parts of
them have small integers that multiply it, scales of scales. ggml searches for these; that is not
done here.

=====  =======  =====  ====================================================  =============
kind   numbers  bytes  what lies in the bytes                                bits a weight
=====  =======  =====  ====================================================  =============
Q4_0        32     18  d; 16 bytes, byte j with the codes j and j + 16       4.5
Q8_0        32     34  d; 32 codes of 8 bits                                 8.5
Q4_K       256    144  d, dmin; 8 scales and 8 minima of 6 bits; 128 bytes   4.5
Q6_K       256    210  4 low bits of each code, 2 high bits; 16 scales; d    6.5625
=====  =======  =====  ====================================================  =============

Source: ``ggml/src/ggml-quants.c``, where the functions that quantize end in ``_ref``. Where the
compiler fuses ``x · (1/d) + 8.5``, as GCC does for ARM, a number that lies on the border of two
codes may get the other one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float32, UInt8
from torch import Tensor

from qlearn.checks import check_choice
from qlearn.checks.blocks import check_divides
from qlearn.checks.finite import check_finite
from qlearn.checks.formats import check_rounded_dtype
from qlearn.checks.gguf import bytes_in, check_shape, lengths_in
from qlearn.formats.gguf_blocks import (
    decode_q4_0,
    decode_q4_k,
    decode_q6_k,
    decode_q8_0,
    encode_q4_0,
    encode_q8_0,
)


@dataclass(frozen=True)
class Kind:
    """A kind of block.

    Attributes:
        numbers: how many numbers it holds.
        size: in how many bytes.
        decode: from the bytes of blocks to their numbers.
        encode: from numbers to bytes, where that is done here.
    """

    numbers: int
    size: int
    decode: Callable[[UInt8[Tensor, "blocks bytes"]], Float32[Tensor, "blocks numbers"]]
    encode: Callable[[Float32[Tensor, "blocks numbers"]], UInt8[Tensor, "blocks bytes"]] | None


KINDS = {
    "Q4_0": Kind(32, 18, decode_q4_0, encode_q4_0),
    "Q8_0": Kind(32, 34, decode_q8_0, encode_q8_0),
    "Q4_K": Kind(256, 144, decode_q4_k, None),
    "Q6_K": Kind(256, 210, decode_q6_k, None),
}


def gguf_quantize(x: Float[Tensor, "*rows n"], kind: str) -> bytes:
    """Return the rows of ``x`` as GGUF's blocks, one after another.

    With f for rounding to float32, the scale d in float32, and 0 for ``1/d`` where d is 0:

    * Q4_0: ``d = m / −8`` with m the first of the numbers with the largest absolute value, with its
      sign; ``code = min(15, trunc(f(f(x · f(1/d)) + 8.5)))``, which means ``d · (code − 8)``. So m
      gets the code 0, and numbers of the other sign beyond 7.5/8 of it are clipped.
    * Q8_0: ``d = amax / 127``; ``code = round(f(x · f(1/d)))``, ties away from 0.

    What is stored is d rounded to float16; below 3·10^-8 that is 0, and so is what comes back.
    Where d is so small that 1/d overflows, the codes are those of 0, while ggml's depend on the
    compiler: both mean 0.

    Args:
        x: float32, or bfloat16 or float16, whose numbers float32 holds; of any shape but (), empty
            and non-contiguous included.
        kind: "Q4_0" or "Q8_0".

    Raises:
        TypeError: ``x`` is no such tensor: float64 is refused because it would be rounded.
        ValueError: another kind; a last axis that 32 does not divide; infinities or NaN; a block
            whose d is too large for float16, where ggml would write an infinity.

    Source: ggml's ``quantize_row_q4_0_ref`` and ``quantize_row_q8_0_ref``.

    >>> import torch
    >>> gguf_quantize(torch.arange(-8, 8, 0.5), "Q4_0").hex(" ", 2)
    '003c 8091 91a2 a2b3 b3c4 c4d5 d5e6 e6f7 f7f8'
    """
    check_rounded_dtype(x)
    encoders = {name: known.encode for name, known in KINDS.items() if known.encode}
    check_choice(kind, "kind", tuple(encoders))
    numbers = KINDS[kind].numbers
    check_divides(numbers, x, f"the block of {kind}", fixed=True)
    blocks = x.detach().float().reshape(x.numel() // numbers, numbers)
    check_finite(x, blocks.amin(1), blocks.amax(1))
    return encoders[kind](blocks).numpy(force=True).tobytes()


def gguf_dequantize(
    data: bytes | bytearray | memoryview | np.ndarray | UInt8[Tensor, "..."],
    kind: str,
    shape: Sequence[int] | np.ndarray,
) -> Float32[Tensor, "*shape"]:
    """Return the numbers that GGUF's blocks mean, in float32, in the given shape.

    * Q4_0: ``d · (code − 8)``; Q8_0: ``d · code``;
    * Q4_K: ``d · s · code − dmin · m``, with s and m of six bits for each 32 numbers;
    * Q6_K: ``d · s · (code − 32)``, with s of eight bits, signed, for each 16 numbers.

    The products are exact in float32, because d has 11 bits; the difference is rounded. Any bytes
    mean something: a d that is NaN or infinite gives NaN or infinities.

    Args:
        data: bytes, bytearray, memoryview, a numpy array or a tensor of uint8, of any shape.
        kind: "Q4_0", "Q8_0", "Q4_K" or "Q6_K".
        shape: of the result, as torch has it; GGUF's header lists the last axis first. NumPy's
            integers will do. A block
            never runs on into the next row: the block's length must divide the last axis.

    Raises:
        TypeError: ``data`` holds no bytes, or ``shape`` no integers.
        ValueError: an unknown kind; a shape that is not made of whole blocks, or that needs another
            number of bytes.

    Source: ggml's ``dequantize_row_q4_0``, ``…_q8_0``, ``…_q4_K`` and ``…_q6_K``.

    >>> import torch
    >>> data = gguf_quantize(torch.arange(-8, 8, 0.5), "Q4_0")
    >>> gguf_dequantize(data, "Q4_0", (1, 32))[0, -4:]
    tensor([6., 7., 7., 7.])
    """
    check_choice(kind, "kind", tuple(KINDS))
    layout, stored = KINDS[kind], bytes_in(data)
    lengths = lengths_in(shape)
    check_shape(lengths, stored.numel(), kind, layout.numbers, layout.size)
    return layout.decode(stored.reshape(-1, layout.size)).reshape(tuple(lengths))
