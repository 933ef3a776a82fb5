"""GGUF's bytes come in many kinds, in whole blocks, and with scales that float16 holds."""

import numpy as np
import pytest
import torch

from qlearn.checks.gguf import bytes_in, check_float16_scales, check_shape, lengths_in

RAW = bytes([0, 7, 255, 8])
BYTES = torch.tensor(list(RAW), dtype=torch.uint8)


@pytest.mark.parametrize(
    "data",
    [
        RAW,
        bytearray(RAW),
        memoryview(bytes([0, 1, 7, 1, 255, 1, 8]))[::2],
        np.frombuffer(RAW, np.uint8).reshape(2, 2),
        BYTES.reshape(2, 2).T.contiguous().T,
    ],
    ids=["bytes", "bytearray", "strided memoryview", "array that cannot be written", "strided"],
)
def test_the_same_bytes_come_out_of_each_kind(data):
    assert torch.equal(bytes_in(data), BYTES)


def test_a_copy_of_the_bytes_can_be_written():
    array = np.frombuffer(RAW, np.uint8).copy()
    bytes_in(array).zero_()
    bytes_in(raw := bytearray(RAW)).zero_()
    assert array.tobytes() == raw == RAW


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([0, 7], "data is list, but blocks are bytes: pass bytes, or an array of uint8"),
        ("07", "data is str, but"),
        (BYTES.char(), "data is torch.int8, but"),
        (np.zeros(2, np.int8), "data is int8, but"),
        (BYTES.to("meta"), "data is on the device meta"),
        (BYTES.to_sparse(), r"pass data\.to_dense\(\)"),
    ],
    ids=["list", "text", "int8 tensor", "int8 array", "meta", "sparse"],
)
def test_other_kinds_hold_no_bytes(data, message):
    with pytest.raises(TypeError, match=message):
        bytes_in(data)


@pytest.mark.parametrize(
    ("shape", "stored", "error", "message"),
    [
        (256, 144, TypeError, r"shape is 256: pass a tuple of integers, as \(2, 256\)"),
        ("256", 144, TypeError, "shape is '256': pass a tuple"),
        (bytearray(b"\2\0"), 0, TypeError, r"shape is bytearray\(.*: pass a tuple"),
        (memoryview(b"\2\0"), 0, TypeError, "shape is <memory .*: pass a tuple"),
        (
            (0, 2**63),
            0,
            ValueError,
            "each length in shape must be .* not 9223372036854775808",
        ),
        ((2**40, 2**40, 0), 0, ValueError, "torch counts to 2.63 alone"),
        ((1.0, 256), 144, TypeError, "each length in shape must be an integer .* not 1.0"),
        ((-1, 256), -144, ValueError, "each length in shape must be an integer .* not -1"),
        ((), 0, ValueError, r"shape is \(\), but Q4_K has blocks of 256"),
        ((2, 128), 144, ValueError, r"shape is \(2, 128\), .* must be a multiple of 256"),
        ((2, 256), 287, ValueError, r"287 bytes, but shape \(2, 256\) takes 288 in Q4_K, 144 for"),
        ((2, 256), 289, ValueError, "data has 289 bytes, .* pass the bytes of that tensor alone"),
    ],
)
def test_a_shape_takes_all_bytes_and_no_more(shape, stored, error, message):
    for good, size in [((2, 256), 288), ([2, 1, 512], 576), ((0, 256), 0), ((3, 0), 0)]:
        check_shape(good, size, "Q4_K", 256, 144)
    with pytest.raises(error, match=message):
        check_shape(shape, stored, "Q4_K", 256, 144)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_scale_ends_where_float16_rounds_to_infinity(sign):
    border = torch.tensor(
        [[sign * 65520.0]]
    )  # halfway between 65504 and 65536, and the tie is even
    check_float16_scales(torch.nextafter(border, torch.zeros(())))
    with pytest.raises(ValueError, match=f"is {sign * 65520}, .* 65504: divide x by a power of"):
        check_float16_scales(torch.cat([torch.ones(1, 1), border]))


def test_lengths_of_numpys_become_pythons():
    array = np.array([2, 256], np.uint64)
    for shape in (array, tuple(array), list(array), (2, np.int32(256))):
        lengths = lengths_in(shape)
        assert lengths == [2, 256] and {type(length) for length in lengths} == {int}
        check_shape(lengths, 288, "Q4_K", 256, 144)
    assert lengths_in("256") == "256"
