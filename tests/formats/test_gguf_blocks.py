"""GGUF's blocks, against ggml's loops written out in Python, and codes worked by hand."""

import numpy as np
import pytest
import torch

from qlearn.formats import gguf_blocks

# Q4_K's scales A to H and minima a to h, as llama.cpp's authors draw them in gguf/quants.py.
SIX_BITS = """EEAAAAAA FFBBBBBB GGCCCCCC HHDDDDDD eeaaaaaa ffbbbbbb ggcccccc hhdddddd
              eeeeEEEE ffffFFFF ggggGGGG hhhhHHHH"""


def halves(*numbers):
    """Return the bytes of the numbers in float16."""
    return np.array(numbers, "<f2").tobytes()


def drawn(low, high, n):
    """Return that many random integers."""
    return torch.randint(low, high, (n,)).tolist()


def found(decode, block):
    """Return what a function of qlearn reads from one block, beside a block of zeros."""
    return decode(torch.tensor([[0] * len(block), list(block)], dtype=torch.uint8))[1]


@pytest.mark.parametrize(("d", "dmin"), [(0.375, -1.25), (2.0**-24, 65504)])
def test_q4_k_is_what_ggmls_loop_reads(d, dmin):
    scales, minima, qs = drawn(0, 64, 8), drawn(0, 64, 8), drawn(0, 256, 128)
    letters = zip("ABCDEFGHabcdefgh", [*scales, *minima], strict=True)
    bits = {letter: iter(f"{value:06b}") for letter, value in letters}
    packed = bytes(int("".join(next(bits[c]) for c in byte), 2) for byte in SIX_BITS.split())
    y = []
    for j in range(4):  # 64 numbers in 32 bytes: the low halves first
        for half in range(2):
            codes = [q >> 4 * half & 15 for q in qs[32 * j : 32 * j + 32]]
            y += [d * scales[2 * j + half] * q - dmin * minima[2 * j + half] for q in codes]
    block = halves(d, dmin) + packed + bytes(qs)
    # Python rounds nothing here, and float32 the difference alone: so both round once.
    assert torch.equal(found(gguf_blocks.decode_q4_k, block), torch.tensor(y))


@pytest.mark.parametrize("d", [0.375, 2.0**-24, -65504])
def test_q6_k_is_what_ggmls_loop_reads(d):
    scales, ql, qh = drawn(-128, 128, 16), drawn(0, 256, 128), drawn(0, 256, 64)
    y = [0.0] * 256
    for n in range(2):
        for i in range(32):
            for k in range(4):
                low, high = ql[64 * n + i + 32 * (k % 2)], qh[32 * n + i]
                q = (low >> 4 * (k // 2) & 15 | (high >> 2 * k & 3) << 4) - 32
                y[128 * n + 32 * k + i] = d * scales[8 * n + 2 * k + i // 16] * q
    block = bytes(ql + qh) + np.array(scales, np.int8).tobytes() + halves(d)
    assert torch.equal(found(gguf_blocks.decode_q6_k, block), torch.tensor(y))


# By hand, the largest number first. Q4_0 has d = −1 here and the code trunc(8.5 − x), at most 15;
# Q8_0 has d = 1, and ties leave 0.
Q4_0 = {8: 0, 7.5: 1, 7.25: 1, 0.75: 7, 0.5: 8, 0: 8, -0.25: 8, -0.5: 9, -6.5: 15, -8: 15}
Q8_0 = {127: 127, 2.5: 3, 1.5: 2, 0.5: 1, 0.25: 0, -0.25: 0, -0.5: -1, -2.5: -3, -127: -127}


def test_codes_by_hand_and_back():
    codes = [*Q4_0.values(), *[8] * 22]
    data = gguf_blocks.encode_q4_0(torch.tensor([[*Q4_0, *[0] * 22], [0] * 32]))
    assert data[1, 2:].eq(0x88).all()  # in a block of zeros 1/d is infinite
    pairs = zip(codes[:16], codes[16:], strict=True)
    assert bytes(data[0].tolist()) == halves(-1) + bytes(low | high << 4 for low, high in pairs)
    assert gguf_blocks.decode_q4_0(data).tolist() == [[8 - code for code in codes], [0] * 32]
    codes = torch.tensor([[*Q8_0.values(), *[0.0] * 23]])
    data = gguf_blocks.encode_q8_0(torch.tensor([[*Q8_0, *[0] * 23]]))
    assert bytes(data[0].tolist()) == halves(1) + codes.numpy().astype("i1").tobytes()
    assert torch.equal(gguf_blocks.decode_q8_0(data), codes)


def test_a_scale_beyond_float16_is_refused():
    with pytest.raises(ValueError, match="block is -65520, .* ends at 65504: divide x by a power"):
        gguf_blocks.encode_q4_0(torch.full((1, 32), 8 * 65520.0))
