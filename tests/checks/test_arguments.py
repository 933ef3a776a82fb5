"""What single values are refused for: the name, the rule and the value are in the sentence."""

import re

import numpy as np
import pytest
import torch

from qlearn.checks import (
    check_choice,
    check_encloses_zero,
    check_flag,
    check_integer,
    check_number,
    check_sequence,
    check_storage_dtype,
)


@pytest.mark.parametrize("value", [1, "no", None])
def test_a_flag_is_true_or_false(value):
    with pytest.raises(TypeError, match=f"relu must be True or False, not {value!r}"):
        check_flag(value, "relu")


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (("fma",), "way must be 'fma', not 'up'"),
        (("fma", "add"), "way must be 'fma' or 'add', not 'up'"),
        (("nearest", "fma", "add"), "way must be 'nearest', 'fma' or 'add', not 'up'"),
    ],
)
def test_a_word_is_one_of_those_listed(choices, message):
    check_choice(choices[-1], "way", choices)
    with pytest.raises(ValueError, match=message):
        check_choice("up", "way", choices)


def test_a_word_of_another_type_is_refused():
    with pytest.raises(ValueError, match="way must be 'fma', not None"):
        check_choice(None, "way", ("fma",))


@pytest.mark.parametrize("value", ["1", True, None, 1j])
def test_other_types_are_no_numbers(value):
    with pytest.raises(TypeError, match=f"damp must be an int or a float, not {value!r}"):
        check_number(value, "damp")
    check_number(1, "damp")
    check_number(float("nan"), "damp")


@pytest.mark.parametrize("sign", [1, -1])
def test_an_integer_beyond_the_floats_is_refused_without_its_digits(sign):
    check_number(sign * (2**1024 - 2**971), "damp")
    with pytest.raises(ValueError, match=r"damp is an integer of 1025 bits, .* up to 1.8e\+308"):
        check_number(sign * 2**1024, "damp")
    with pytest.raises(ValueError, match="damp is an integer of 16610 bits"):  # Python prints fewer
        check_number(sign * 10**5000, "damp")


@pytest.mark.parametrize("value", [8.0, "8", True, None])
def test_other_types_are_no_integers(value):
    with pytest.raises(TypeError, match=f"bits must be an integer from 2 to 8, not {value!r}"):
        check_integer(value, "bits", 2, 8)


@pytest.mark.parametrize(
    ("value", "low", "high", "message"),
    [
        (1, 2, 8, "bits must be an integer from 2 to 8, not 1"),
        (9, 2, 8, "bits must be an integer from 2 to 8, not 9"),
        (0, 1, None, "bits must be an integer of at least 1, not 0"),
    ],
)
def test_an_integer_has_its_bounds(value, low, high, message):
    with pytest.raises(ValueError, match=message):
        check_integer(value, "bits", low, high)


def test_both_bounds_belong_to_the_range():
    for value in (2, 8):
        check_integer(value, "bits", 2, 8)
    check_integer(-5, "axis")


@pytest.mark.parametrize("value", ["ab", b"ab", bytearray(b"ab"), memoryview(b"ab"), {1}, 2, None])
def test_text_and_bytes_are_no_sequences_here(value):
    for good in ([], (1, 2), range(3), torch.Size([2])):
        check_sequence(good, "shape", "a tuple of integers")
    with pytest.raises(TypeError, match=f"shape is {re.escape(repr(value))}: pass a tuple of int"):
        check_sequence(value, "shape", "a tuple of integers")


@pytest.mark.parametrize(
    ("dtype", "error", "message"),
    [
        ("int8", TypeError, "dtype must be torch.int8, .* not 'int8'"),
        (torch.quint8, ValueError, "plain integers: pass torch.uint8"),
        (torch.float32, ValueError, "torch.float32"),
    ],
)
def test_codes_are_stored_in_three_dtypes(dtype, error, message):
    with pytest.raises(error, match=message):
        check_storage_dtype(dtype)


@pytest.mark.parametrize("ends", [(1, 7), (-8, -1)])
def test_a_range_beside_zero_is_refused(ends):
    check_encloses_zero(0, 7), check_encloses_zero(-8, 0)
    with pytest.raises(ValueError, match=f"{ends[0]}..{ends[1]} does not enclose 0"):
        check_encloses_zero(*ends)


@pytest.mark.parametrize(
    ("check", "value", "sentence"),
    [
        (
            check_integer,
            np.uint8(8),
            "must be an integer, not np.uint8(8), which is NumPy's: pass int(",
        ),
        (
            check_number,
            np.float32(1),
            "an int or a float, not np.float32(1.0), which is NumPy's: pass float(",
        ),
        (check_flag, np.True_, "must be True or False, not np.True_, which is NumPy's: pass bool("),
    ],
    ids=["integer", "number", "flag"],
)
def test_a_number_of_numpys_is_told_from_one_of_pythons(check, value, sentence):
    with pytest.raises(TypeError, match=re.escape(f"{sentence}bits)")):
        check(value, "bits")
    check(value.item(), "bits")


def test_numpys_integers_would_overflow():
    with np.errstate(all="ignore"):
        assert 2 ** np.uint8(8) == 0


@pytest.mark.parametrize("value", [np.float64(8), np.complex64(8), np.str_("8")])
def test_no_way_out_is_told_to_what_is_no_integer_in_numpy_either(value):
    with pytest.raises(TypeError, match=r"bits must be an integer, not np\.[^:]*$"):
        check_integer(value, "bits")
