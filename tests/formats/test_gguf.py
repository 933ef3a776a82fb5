"""GGUF's blocks, against bytes worked by hand."""

import math

import numpy as np
import pytest
import torch

from qlearn import fma, gguf_dequantize, gguf_quantize, unpack
from tests.bits import same_bits

WRITTEN = ["Q4_0", "Q8_0"]


def test_a_block_of_q4_0_by_hand():
    x = torch.arange(-8.0, 8.0, 0.5)  # d is 1, in float16 0x3c00
    data = gguf_quantize(x, "Q4_0")
    assert data[:2].hex() == "003c"
    assert [byte & 15 for byte in data[2:]] == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8]
    assert data[17] >> 4 == 15  # 7.5 would be 16, which is clipped
    assert gguf_dequantize(data, "Q4_0", (32,))[[0, 1, 2, 30, 31]].tolist() == [-8, -7, -7, 7, 7]


def test_a_block_of_q4_k_by_hand():
    block = bytearray(144)
    block[0:4] = np.array([1, 0.5], np.float16).tobytes()  # d and dmin
    block[4 + 0], block[4 + 4] = 2, 3  # the first scale and minimum
    block[4 + 3], block[4 + 11] = 0b01 << 6, 1  # the last scale, 17: its high bits and its low ones
    block[16], block[143] = 0x21, 0x30
    x = gguf_dequantize(block, "Q4_K", (256,))
    assert x[0] == 1 * 2 * 1 - 0.5 * 3 and x[1] == -1.5
    assert x[32] == 0 and x[255] == 1 * 17 * 3


def test_a_block_of_q6_k_by_hand():
    block = bytearray(210)
    block[208:] = np.array(0.5, np.float16).tobytes()
    block[192], block[194], block[207] = 2, 255, 128  # scales: 2 of the first 16 numbers, −1, −128
    block[0], block[128] = 0x43, 0b0110  # low and high bits
    x = gguf_dequantize(block, "Q6_K", (256,))
    assert x[0] == 0.5 * 2 * (0x23 - 32) and x[1] == 0.5 * 2 * -32
    assert x[32] == 0.5 * -1 * (0x10 - 32) and x[255] == 0.5 * -128 * -32


def test_the_first_of_the_largest_gives_the_sign():
    x = torch.zeros(2, 32)
    x[0, 3], x[0, 4] = 4, -4
    x[1, 3], x[1, 4] = -4, 4
    scales = np.frombuffer(gguf_quantize(x, "Q4_0"), np.uint8).reshape(2, 18)[:, :2].copy()
    assert scales.view(np.float16).flatten().tolist() == [-0.5, 0.5]


@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("size", [0.0, 1e-8, 1e-38, 1e-39, 1e-45])
def test_zeros_and_tiny_numbers_come_back_as_zero(kind, size):
    data = gguf_quantize(torch.linspace(-size, size, 32), kind)
    assert gguf_dequantize(data, kind, (32,)).abs().max() == 0
    if size < 1e-38:  # 1/d overflows: the codes are those of 0
        assert set(data[2:]) == {0x88 if kind == "Q4_0" else 0}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_sixteen_bits_are_what_float32_makes_of_them(dtype):
    x = torch.randn(2, 32).to(dtype)
    assert gguf_quantize(x, "Q4_0") == gguf_quantize(x.float(), "Q4_0")


def test_a_fused_multiply_add_chooses_another_code_on_a_border():
    x = torch.arange(-16, 16)[None] / 2 * 0.1  # 1/d is inexact, and each half step a border
    inverse = 1 / (x[:, :1] / -8)
    fused = fma(x, inverse, torch.tensor(8.5)).trunc()
    packed = torch.frombuffer(bytearray(gguf_quantize(x, "Q4_0")[2:]), dtype=torch.uint8)
    off = fused[0] - unpack(packed, 4, order="gguf")
    assert off.abs().sum() == 2 and off.abs().max() == 1


@pytest.mark.parametrize("kind", WRITTEN)
def test_empty_and_strided_tensors(kind):
    assert gguf_quantize(torch.empty(3, 0), kind) == b""
    assert gguf_dequantize(b"", kind, (0, 32)).shape == (0, 32)
    x = torch.randn(64, 3)
    assert gguf_quantize(x.T, kind) == gguf_quantize(x.T.contiguous(), kind)


def test_bytes_come_in_many_kinds():
    x = torch.randn(2, 32)
    data = gguf_quantize(x, "Q8_0")
    array = np.frombuffer(data, np.uint8)
    expected = gguf_dequantize(data, "Q8_0", x.shape)
    for same in [bytearray(data), memoryview(data), array, array.reshape(2, 34)]:
        assert same_bits(gguf_dequantize(same, "Q8_0", x.shape), expected)
    tensor = torch.from_numpy(array.copy())
    assert same_bits(gguf_dequantize(tensor, "Q8_0", [2, 32]), expected)


ROW = torch.arange(32.0)


@pytest.mark.parametrize(
    ("x", "kind", "error", "sentence"),
    [
        (ROW, "Q4_1", ValueError, "kind must be 'Q4_0' or 'Q8_0', not 'Q4_1'"),
        (ROW, "Q4_K", ValueError, "kind must be 'Q4_0' or 'Q8_0', not 'Q4_K'"),
        (ROW.double(), "Q4_0", TypeError, "x has dtype torch.float64.*pass x.float"),
        (ROW[:31], "Q8_0", ValueError, "the block of Q8_0 is 32 and does not divide 31"),
        (ROW[0], "Q8_0", ValueError, "axis -1 does not exist"),
        (ROW * math.nan, "Q8_0", ValueError, "infinities or NaN"),
        (-ROW * math.inf, "Q4_0", ValueError, "infinities or NaN"),
        (ROW * 1e6, "Q4_0", ValueError, "scale of a block is -3.875e.06, but GGUF stores it in"),
        (ROW * 1e6, "Q8_0", ValueError, "which ends at 65504: divide x by a power of two first"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_written_is_refused(x, kind, error, sentence):
    with pytest.raises(error, match=sentence):
        gguf_quantize(x, kind)


@pytest.mark.parametrize(
    ("data", "kind", "shape", "error", "sentence"),
    [
        (b"\0" * 18, "IQ4", (32,), ValueError, "kind must be 'Q4_0', 'Q8_0', 'Q4_K' or 'Q6_K'"),
        (b"\0" * 17, "Q4_0", (32,), ValueError, r"17 bytes, but shape \(32,\) takes 18 in Q4_0"),
        (b"\0" * 18, "Q4_0", (2, 16), ValueError, "blocks of 32 along the last axis"),
        (b"\0" * 18, "Q4_0", (), ValueError, "blocks of 32 along the last axis"),
        (b"\0" * 18, "Q4_0", (-1, 32), ValueError, "each length in shape must be an integer"),
        (b"\0" * 18, "Q4_0", (32.0,), TypeError, "each length in shape must be an integer"),
        (b"\0" * 18, "Q4_0", 32, TypeError, "shape is 32: pass a tuple"),
        ("0" * 18, "Q4_0", (32,), TypeError, "data is str, but blocks are bytes"),
        (torch.zeros(18), "Q4_0", (32,), TypeError, "data is torch.float32"),
        (np.zeros(18), "Q4_0", (32,), TypeError, "data is float64"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_read_is_refused(data, kind, shape, error, sentence):
    with pytest.raises(error, match=sentence):
        gguf_dequantize(data, kind, shape)


def test_a_shape_may_come_from_numpy():
    x = torch.linspace(-1, 1, 64).reshape(2, 32)
    data = gguf_quantize(x, "Q8_0")
    expected = gguf_dequantize(data, "Q8_0", (2, 32))
    for shape in (np.array([2, 32], np.uint64), (np.uint64(2), np.uint64(32))):
        assert torch.equal(gguf_dequantize(data, "Q8_0", shape), expected)
