"""Codes fit their bits and fill their words; words have their dtype and hold whole runs."""

import pytest
import torch

from qlearn.checks.packing import check_packable, check_packed, check_packing

KNOWN = {"pairs": (2, 4), "stream": (1, 2, 3, 4)}
CODES = torch.tensor([0, 15, 3, 7])
WORDS = torch.zeros(2, 6, dtype=torch.int32)


@pytest.mark.parametrize(
    ("bits", "order", "error", "message"),
    [
        (4, "rows", ValueError, "order must be 'pairs' or 'stream', not 'rows'"),
        (4.0, "pairs", TypeError, "bits must be an integer, not 4.0"),
        (True, "stream", TypeError, "bits must be an integer, not True"),
        (3, "pairs", ValueError, "3, but the order 'pairs' .* 2 or 4 bits: 'stream' would pack 3"),
        (5, "stream", ValueError, "5, but .* 1, 2, 3 or 4 bits: no order packs so many"),
        (0, "stream", ValueError, "bits is 0, but the order 'stream' packs"),
    ],
)
def test_an_order_has_its_bits(bits, order, error, message):
    with pytest.raises(error, match=message):
        check_packing(bits, order, KNOWN)


def test_each_of_the_bits_of_an_order_passes():
    for order, sizes in KNOWN.items():
        for bits in sizes:
            check_packing(bits, order, KNOWN)


@pytest.mark.parametrize(
    ("codes", "error", "message"),
    [
        (CODES.tolist(), TypeError, "codes is a list: pass a tensor of integers"),
        (CODES.float(), TypeError, r"codes have dtype torch.float32: pass .* such as codes\.int"),
        (CODES.bool(), TypeError, "codes have dtype torch.bool"),
        (CODES[0], ValueError, r"axis -1 does not exist in a tensor of shape \(\)"),
        (CODES[:3], ValueError, r"codes have shape \(3,\), and 'pairs' .* 2 codes at a time: pad"),
        (CODES - 1, ValueError, r"down to -1, but .* 0\.\.15: add 8 to codes.int.., or pass"),
        (CODES + 1, ValueError, r"codes reach from 1 to 16, but must lie in 0\.\.15: clamp them"),
    ],
    ids=["list", "float32", "bool", "0-d", "odd row", "negative", "too large"],
)
def test_codes_are_integers_that_fit_and_fill_their_words(codes, error, message):
    with pytest.raises(error, match=message):
        check_packable(codes, 4, 2, "pairs")


@pytest.mark.parametrize("bits", range(1, 9))
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int64], ids=str)
def test_codes_from_zero_to_the_last_of_their_bits_pass(bits, dtype):
    check_packable(torch.tensor([[0, 2**bits - 1]], dtype=dtype), bits, 2, "stream")
    check_packable(torch.empty(3, 0, dtype=dtype), bits, 2, "stream")


@pytest.mark.parametrize(
    ("packed", "error", "message"),
    [
        (WORDS.tolist(), TypeError, "packed is a list: pass a tensor of torch.int32"),
        (WORDS.byte(), TypeError, r"torch.uint8, but .* 'stream' .*packed\.view\(torch\.int32\)"),
        (WORDS[0, 0], ValueError, r"axis -1 does not exist in a tensor of shape \(\)"),
        (WORDS[:, 1:], ValueError, r"packed has shape \(2, 5\), but 'stream' writes 3 words at a"),
    ],
    ids=["list", "uint8", "0-d", "a word missing"],
)
def test_words_come_in_whole_runs_of_their_dtype(packed, error, message):
    check_packed(WORDS, torch.int32, 3, "stream"), check_packed(WORDS[:, :0], torch.int32, 3, "")
    with pytest.raises(error, match=message):
        check_packed(packed, torch.int32, 3, "stream")
