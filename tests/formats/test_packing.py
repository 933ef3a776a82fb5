"""Packed codes, against tables worked by hand and numpy's streams of bits."""

import numpy as np
import pytest
import torch

from qlearn import pack, unpack

EACH_ORDER = [
    *(("onnx", bits) for bits in (2, 4)),
    ("bitsandbytes", 4),
    ("gguf", 4),
    *(("gptq", bits) for bits in range(1, 9)),
    ("awq", 4),
]


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ("onnx", ["10", "32", "54", "76"]),
        ("bitsandbytes", ["01", "23", "45", "67"]),
        ("gptq", ["76543210"]),
        ("awq", ["75316420"]),
    ],
)
def test_eight_codes_by_hand(order, words):
    packed = pack(torch.arange(8), 4, order=order)
    size = packed.element_size()
    assert [f"{word:0{2 * size}x}" for word in packed.tolist()] == words


def test_a_block_of_gguf_by_hand():
    codes = torch.cat([torch.arange(16), torch.arange(16).flip(0)])
    expected = [j | (15 - j) << 4 for j in range(16)]
    assert pack(codes, 4, order="gguf").tolist() == expected


@pytest.mark.parametrize(("order", "bits"), EACH_ORDER)
def test_unpack_undoes_pack(order, bits):
    codes = torch.randint(0, 2**bits, (3, 2, 96), dtype=torch.uint8)
    packed = pack(codes, bits, order=order)
    assert torch.equal(unpack(packed, bits, order=order), codes)
    assert packed.numel() * packed.element_size() == codes.numel() * bits / 8


@pytest.mark.parametrize("bits", range(1, 9))
def test_gptq_is_a_stream_of_bits_as_numpy_packs_them(bits):
    codes = torch.randint(0, 2**bits, (5, 64), dtype=torch.uint8)
    each = np.unpackbits(codes.numpy()[..., None], axis=-1, bitorder="little", count=bits)
    stream = np.packbits(each.reshape(5, -1), axis=-1, bitorder="little")
    packed = pack(codes, bits, order="gptq")
    assert (
        packed.dtype == torch.int32 and packed.numpy().astype("<i4").tobytes() == stream.tobytes()
    )


def test_rows_are_packed_each_for_itself_and_views_too():
    codes = torch.randint(0, 16, (64, 6))
    packed = pack(codes.T, 4, order="awq")
    assert packed.shape == (6, 8)
    assert torch.equal(packed[3], pack(codes[:, 3].contiguous(), 4, order="awq"))
    assert torch.equal(unpack(packed.T.contiguous().T, 4, order="awq"), codes.T.to(torch.uint8))


@pytest.mark.parametrize(("order", "bits"), EACH_ORDER)
def test_nothing_packs_to_nothing(order, bits):
    packed = pack(torch.empty(3, 0, dtype=torch.int64), bits, order=order)
    assert packed.shape == (3, 0) and unpack(packed, bits, order=order).shape == (3, 0)


EIGHT = torch.arange(8)


@pytest.mark.parametrize(
    ("codes", "bits", "order", "error", "sentence"),
    [
        (EIGHT, 4, "intel", ValueError, "order must be 'onnx', 'bitsandbytes', 'gguf', 'gptq' or"),
        (EIGHT, 3, "onnx", ValueError, "bits is 3, but .* 2 or 4 bits: 'gptq' would pack 3"),
        (EIGHT, 9, "gptq", ValueError, "bits is 9, .* no order packs so many"),
        (EIGHT, 4.0, "gptq", TypeError, "bits must be an integer"),
        (EIGHT.float(), 4, "onnx", TypeError, "codes have dtype torch.float32"),
        ([1, 2], 4, "onnx", TypeError, "codes is a list"),
        (EIGHT[:7], 4, "onnx", ValueError, r"shape \(7,\), and 'onnx' fills its words with 2"),
        (EIGHT, 4, "gguf", ValueError, "with 32 codes at a time: pad"),
        (EIGHT * 3, 4, "onnx", ValueError, r"codes reach from 0 to 21, but must lie in 0\.\.15"),
        (
            EIGHT - 8,
            4,
            "onnx",
            ValueError,
            "down to -8, but 4 bits hold 0..15: add 8 to codes.int()",
        ),
        (torch.tensor(3), 4, "onnx", ValueError, "axis -1 does not exist"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_packed_is_refused(codes, bits, order, error, sentence):
    with pytest.raises(error, match=sentence):
        pack(codes, bits, order=order)


@pytest.mark.parametrize(
    ("packed", "bits", "order", "error", "sentence"),
    [
        (
            torch.zeros(4, dtype=torch.int8),
            4,
            "onnx",
            TypeError,
            "the words of 'onnx' are torch.uint8",
        ),
        (torch.zeros(4), 4, "awq", TypeError, "the words of 'awq' are torch.int32"),
        (
            torch.zeros(4, dtype=torch.int32),
            3,
            "gptq",
            ValueError,
            "'gptq' writes 3 words at a time",
        ),
        (torch.zeros(8, dtype=torch.uint8), 4, "gguf", ValueError, "'gguf' writes 16 words at a"),
        (torch.zeros(8, dtype=torch.uint8), 4, "int4", ValueError, "order must be"),
        (b"abcd", 4, "onnx", TypeError, "packed is a bytes: pass a tensor of torch.uint8"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_unpacked_is_refused(packed, bits, order, error, sentence):
    with pytest.raises(error, match=sentence):
        unpack(packed, bits, order=order)
