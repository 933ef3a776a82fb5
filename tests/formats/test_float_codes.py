"""Codes of small floats, bit for bit: torch, ml_dtypes, the plain rule, and mistakes."""

import math

import ml_dtypes
import numpy as np
import pytest
import torch

from proofs.float_formats import (
    ML_DTYPES,
    TORCHS,
    clamped,
    every_code,
    marks_and_ties,
    one_nan,
    torchs_codes,
    with_neighbours,
)
from qlearn import (
    E2M1FN,
    E2M3FN,
    E3M2FN,
    E4M3FN,
    E4M3FNUZ,
    E5M2,
    E5M2FNUZ,
    E8M0FNU,
    FloatFormat,
    decode_float,
    encode_float,
    round_to_float,
)
from qlearn.formats.float_codes import codes_by_rule
from tests.bits import same_bits

FORMATS = [E4M3FN, E5M2, E4M3FNUZ, E5M2FNUZ, E3M2FN, E2M3FN, E2M1FN, E8M0FNU]
FIXED = FloatFormat("E0M7", 0, 7, bias=0)
inf, nan = math.inf, math.nan


def half_of_float32(low: int = 0) -> torch.Tensor:
    """Return a float32 for each upper half of the bits, with the same lower half."""
    return ((torch.arange(-(2**15), 2**15, dtype=torch.int32) << 16) + low).view(torch.float32)


def hard_values(format) -> torch.Tensor:
    """Return marks, ties and their neighbours of both signs, and float32s of every size."""
    near = with_neighbours(marks_and_ties(format))
    every = [half_of_float32(low) for low in (0, 1, 0x8000)]
    specials = torch.tensor([0.0, -0.0, inf, -inf, 1e-45, -1e-45, 2.0**-126, 3e38, -3e38])
    return torch.cat([near, -near, *every, specials])


def without_nan(x, format):
    return x[~x.isnan()] if format.nan_code is None else x


# Codes to numbers


@pytest.mark.parametrize("format", ML_DTYPES, ids=repr)
def test_every_code_means_what_ml_dtypes_says(format):
    codes = every_code(format)
    theirs = codes.numpy().view(getattr(ml_dtypes, ML_DTYPES[format])).astype(np.float32)
    assert same_bits(one_nan(decode_float(codes, format)), one_nan(torch.from_numpy(theirs)))


@pytest.mark.parametrize("format", TORCHS, ids=repr)
def test_every_code_means_what_torch_says(format):
    codes = every_code(format)
    theirs = codes.view(TORCHS[format]).float()
    assert same_bits(one_nan(decode_float(codes, format)), one_nan(theirs))


def test_decoding_keeps_the_shape():
    codes = every_code(E4M3FN).reshape(2, 8, 16)
    assert torch.equal(
        decode_float(codes.mT, E4M3FNUZ).mT.nan_to_num(0.5),
        decode_float(codes, E4M3FNUZ).nan_to_num(0.5),
    )
    assert decode_float(codes[0, 0, 3], E4M3FN).shape == ()
    assert decode_float(codes[:0], E4M3FN).shape == (0, 8, 16)


# Numbers to codes


@pytest.mark.parametrize("format", TORCHS, ids=repr)
def test_saturated_codes_are_torchs_after_a_clamp(format):
    x = hard_values(format)
    assert torch.equal(encode_float(x, format), torchs_codes(clamped(x, format), format))


@pytest.mark.parametrize("format", [E5M2, E4M3FNUZ, E5M2FNUZ], ids=repr)
def test_special_codes_are_torchs(format):
    x = hard_values(format)
    assert torch.equal(encode_float(x, format, overflow="special"), torchs_codes(x, format))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_every_float_of_16_bits_is_torchs(dtype):
    """But for the sign of NaN, which float16 loses on its way to float32, or not, as torch does."""
    x = torch.arange(-(2**15), 2**15, dtype=torch.int16).view(dtype)
    x = x[~x.isnan()]
    for format in (E5M2, E4M3FNUZ, E5M2FNUZ):
        assert torch.equal(encode_float(x, format, overflow="special"), torchs_codes(x, format))
    assert torch.equal(encode_float(x, E4M3FN), torchs_codes(clamped(x, E4M3FN), E4M3FN))


@pytest.mark.parametrize("format", ML_DTYPES, ids=repr)
def test_codes_are_those_of_ml_dtypes(format):
    overflow = "saturate" if format.nan_code is None else "special"
    x = hard_values(format)
    x = x[~x.isnan()]
    theirs = x.numpy().astype(getattr(ml_dtypes, ML_DTYPES[format])).view(np.uint8)
    assert torch.equal(encode_float(x, format, overflow=overflow), torch.from_numpy(theirs))


@pytest.mark.parametrize("overflow", ["saturate", "special"])
@pytest.mark.parametrize("format", [*FORMATS, FIXED], ids=repr)
def test_the_table_gives_what_the_rule_gives_and_both_what_rounding_gives(format, overflow):
    if overflow == "special" and format.nan_code is None:
        return
    x = without_nan(hard_values(format), format)
    codes = encode_float(x, format, overflow=overflow)
    assert torch.equal(codes, codes_by_rule(x, format, overflow))
    rounded = round_to_float(x, format, overflow=overflow)
    assert same_bits(one_nan(decode_float(codes, format)), one_nan(rounded))


@pytest.mark.parametrize("format", FORMATS, ids=repr)
def test_what_is_a_number_of_the_format_stays(format):
    values = decode_float(every_code(format), format)
    numbers = values.isfinite()
    assert same_bits(round_to_float(values[numbers], format), values[numbers])
    assert torch.equal(encode_float(values[numbers], format), every_code(format)[numbers])


def test_codes_do_not_need_denormals():
    small = every_code(E5M2)[:8]
    x = decode_float(small, E5M2)
    try:
        torch.set_flush_denormal(True)  # where the processor can
        assert torch.equal(encode_float(x, E5M2), small)
        assert torch.equal(codes_by_rule(x, E5M2, "saturate"), small)
    finally:
        torch.set_flush_denormal(False)


# NaN and zero


def test_nan_has_torchs_code_with_its_sign():
    x = torch.copysign(torch.tensor([nan, nan]), torch.tensor([1.0, -1.0]))
    expected = {
        E4M3FN: [0x7F, 0xFF],
        E5M2: [0x7F, 0xFF],
        E4M3FNUZ: [0x80, 0x80],
        E5M2FNUZ: [0x80, 0x80],
        E8M0FNU: [0xFF, 0xFF],
    }
    for format, codes in expected.items():
        for overflow in ("saturate", "special"):
            assert encode_float(x, format, overflow=overflow).tolist() == codes
            assert round_to_float(x, format, overflow=overflow).isnan().all()


def test_ml_dtypes_writes_another_nan_in_e5m2():
    """A named difference: both codes mean NaN, and torch writes ours."""
    theirs = np.array([nan], np.float32).astype(ml_dtypes.float8_e5m2).view(np.uint8)
    assert theirs.tolist() == [0x7E]
    assert encode_float(torch.tensor([nan]), E5M2).tolist() == [0x7F]


def test_negative_zero_stays_unless_its_code_is_nan():
    x = torch.tensor([-0.0, -1e-9])
    for format in (E4M3FN, E5M2, E2M1FN, E3M2FN):
        assert round_to_float(x, format).signbit().all()
        assert encode_float(x, format).tolist() == [2 ** (format.bits - 1)] * 2
    for format in (E4M3FNUZ, E5M2FNUZ):
        assert same_bits(round_to_float(x, format), torch.zeros(2))
        assert encode_float(x, format).tolist() == [0, 0]


# Powers of two alone


def test_e8m0_below_its_end_and_halfway():
    x = torch.tensor([-3.0, -0.0, 0.0, 2.0**-130, 2.0**-127, 1.25 * 2.0**-127, 1.5, 3.0, 2.9, inf])
    assert encode_float(x, E8M0FNU).tolist() == [0, 0, 0, 0, 0, 1, 128, 129, 128, 254]
    special = encode_float(x, E8M0FNU, overflow="special").tolist()
    assert special == [255, 255, 255, 0, 0, 1, 128, 129, 128, 255]


def test_e8m0_of_torch_ignores_signs():
    """A named difference: here −2 lies beyond the lower end, and ml_dtypes makes it NaN."""
    x = torch.tensor([-2.0])
    assert torchs_codes(x, E8M0FNU).tolist() == [128]
    assert x.numpy().astype(ml_dtypes.float8_e8m0fnu).view(np.uint8).tolist() == [255]
    assert encode_float(x, E8M0FNU).tolist() == [0]
    assert encode_float(x, E8M0FNU, overflow="special").tolist() == [255]


# Tensors of every kind


@pytest.mark.parametrize("function", [round_to_float, encode_float])
def test_shapes_strides_and_gradients(function):
    x = torch.randn(6, 10, requires_grad=True)
    whole = function(x, E4M3FN)
    assert not whole.requires_grad
    assert torch.equal(function(x.detach().T[::2], E4M3FN), whole.T[::2])
    assert function(x[0, 0], E4M3FN).shape == ()
    assert function(x[:0], E4M3FN).shape == (0, 10)
    assert torch.equal(function(x[:1].expand(3, 10), E4M3FN)[2], whole[0])


def test_torchs_defaults_change_nothing():
    x, format = torch.tensor([1.0, 1e9, 0.3]), FloatFormat("E4M3 of a test", 4, 3, 7, "fn")
    expected = encode_float(x, E4M3FN, overflow="special")
    try:
        torch.set_default_dtype(torch.float64)
        torch.set_default_device("meta")
        with torch.inference_mode():
            assert torch.equal(encode_float(x, format, overflow="special"), expected)
            decode_float(expected, format)
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_default_device(None)
    assert torch.equal(encode_float(x, format, overflow="special"), expected)
    assert decode_float(expected, format).dtype == torch.float32


def test_the_input_stays_as_it_was():
    x = torch.tensor([1e9, -0.3, nan])
    before = x.clone()
    for format in (E4M3FN, E5M2FNUZ):
        round_to_float(x, format)
        encode_float(x, format, overflow="special")
    assert same_bits(x, before)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: encode_float(1.0, E4M3FN), TypeError, "x is a float: pass a float32, bfloat16"),
        (lambda: encode_float(torch.ones(2).int(), E4M3FN), TypeError, "x has dtype torch.int32"),
        (
            lambda: encode_float(torch.ones(2) * 1j, E4M3FN),
            TypeError,
            "x has dtype torch.complex64",
        ),
        (lambda: encode_float(torch.ones(2).to_sparse(), E4M3FN), TypeError, "pass x.to_dense()"),
        (
            lambda: encode_float(torch.ones(2), torch.float8_e5m2),
            TypeError,
            "format must be a FloatFormat, as E4M3FN, E5M2 or E2M1FN, not torch.float8_e5m2",
        ),
        (
            lambda: encode_float(torch.ones(2), E5M2, overflow="nan"),
            ValueError,
            "overflow must be 'saturate' or 'special', not 'nan'",
        ),
        (
            lambda: encode_float(torch.ones(2), E2M1FN, overflow="special"),
            ValueError,
            "E2M1FN has neither infinity nor NaN, so overflow must be 'saturate', not 'special'",
        ),
        (
            lambda: round_to_float(torch.tensor([1.0, nan]), E3M2FN),
            ValueError,
            r"x holds NaN, as at index \(.*\), for which E3M2FN has no code: replace it, or take",
        ),
        (lambda: decode_float([1], E4M3FN), TypeError, "codes is a list: pass a tensor of torch.u"),
        (
            lambda: decode_float(torch.ones(2).to(torch.float8_e4m3fn), E4M3FN),
            TypeError,
            r"codes have dtype torch.float8_e4m3fn.*pass codes.view\(torch.uint8\)",
        ),
        (
            lambda: decode_float(torch.ones(2).long(), E4M3FN),
            TypeError,
            r"codes have dtype torch.int64.*pass codes.to\(torch.uint8\)",
        ),
        (
            lambda: decode_float(torch.tensor([3, 0x21], dtype=torch.uint8), E2M1FN),
            ValueError,
            "codes reach to 33, but E2M1FN has the codes 0 to 15: take each number's own byte",
        ),
        (lambda: decode_float(every_code(E2M1FN), None), TypeError, "must be a FloatFormat"),
    ],
)
def test_mistakes_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("function", [round_to_float, encode_float])
def test_a_sign_that_waits_to_be_set_is_read(function):
    x = torch.tensor([1 + 3j, 2 - 0.4j]).conj().imag
    assert x.is_neg()
    assert torch.equal(function(x, E4M3FN), function(x.resolve_neg(), E4M3FN))
