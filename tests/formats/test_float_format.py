"""How a small float is built: its numbers by hand, and parts that make no format."""

import math

import pytest

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
)

# From the specifications: bits, largest, least positive, code of NaN, code of infinity.
TABLE = {
    E4M3FN: (8, 448.0, 2.0**-9, 0x7F, None),
    E5M2: (8, 57344.0, 2.0**-16, 0x7F, 0x7C),
    E4M3FNUZ: (8, 240.0, 2.0**-10, 0x80, None),
    E5M2FNUZ: (8, 57344.0, 2.0**-17, 0x80, None),
    E3M2FN: (6, 28.0, 2.0**-4, None, None),
    E2M3FN: (6, 7.5, 2.0**-3, None, None),
    E2M1FN: (4, 6.0, 0.5, None, None),
    E8M0FNU: (8, 2.0**127, 2.0**-127, 0xFF, None),
}


@pytest.mark.parametrize("format", TABLE, ids=repr)
def test_the_facts_of_the_specifications(format):
    facts = (
        format.bits,
        format.max,
        format.smallest_positive,
        format.nan_code,
        format.infinity_code,
    )
    assert facts == TABLE[format]
    assert format.min == (-format.max if format.signed else format.smallest_positive)
    assert math.ldexp(1.0, format.max_exponent) <= format.max < 2 * 2.0**format.max_exponent


@pytest.mark.parametrize("format", TABLE, ids=repr)
def test_how_many_codes_are_numbers(format):
    values = [format.value(code) for code in range(2**format.bits)]
    nans = sum(map(math.isnan, values))
    expected = {"ieee": 6, "fn": 2, "fnuz": 1, "fnu": 1, "none": 0}
    assert nans == expected[format.specials]
    assert sum(map(math.isinf, values)) == (2 if format.specials == "ieee" else 0)
    assert max(value for value in values if math.isfinite(value)) == format.max


def test_the_numbers_of_four_bits():
    values = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
    assert [E2M1FN.value(code) for code in range(8)] == values
    assert [E2M1FN.value(code) for code in range(8, 16)] == [-value for value in values]
    assert math.copysign(1, E2M1FN.value(8)) == -1


def test_448_and_240_differ_in_seven_codes_and_their_negatives():
    ieee = FloatFormat("E4M3", 4, 3, bias=7, specials="ieee")
    differing = [
        code
        for code in range(128)
        if ieee.value(code) != E4M3FN.value(code) and not math.isnan(E4M3FN.value(code))
    ]
    assert differing == list(range(0x78, 0x7F))
    assert [E4M3FN.value(code) for code in differing] == [256, 288, 320, 352, 384, 416, 448]
    assert (ieee.max, ieee.infinity_code) == (240, 0x78)


def test_without_an_exponent_the_steps_are_equal():
    fixed = FloatFormat("E0M7", 0, 7, bias=0)
    assert [fixed.value(code) for code in range(128)] == [code / 64 for code in range(128)]
    assert fixed.max_exponent == 0


@pytest.mark.parametrize("code", [-1, 16, 2.0])
def test_a_code_has_the_formats_bits(code):
    with pytest.raises((ValueError, TypeError), match="code must be an integer from 0 to 15"):
        E2M1FN.value(code)


def test_formats_are_compared_by_their_parts():
    assert FloatFormat("E2M1FN", 2, 1, bias=1) == E2M1FN
    assert FloatFormat("E2M1FN", 2, 1, bias=2) != E2M1FN
    assert {FloatFormat("E2M1FN", 2, 1, bias=1): 1}[E2M1FN] == 1


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        ((3, 4, 3, 7), TypeError, "name must be text, as 'E4M3FN', not 3"),
        (("F", 4.0, 3, 7), TypeError, "exponent_bits must be an integer from 0 to 8, not 4.0"),
        (("F", 9, 0, 7), ValueError, "exponent_bits must be an integer from 0 to 8, not 9"),
        (("F", 4, -1, 7), ValueError, "mantissa_bits must be an integer from 0 to 7, not -1"),
        (("F", 4, 3, None), TypeError, "bias must be an integer, not None"),
        (("F", 4, 3, 7, "inf"), ValueError, "specials must be 'ieee', 'fn'.*not 'inf'"),
        (("F", 5, 3, 7), ValueError, "F has 9 bits in all: a code needs 2 to 8"),
        (("F", 0, 0, 0), ValueError, "F has 1 bits in all"),
        (("F", 4, 0, 7, "ieee"), ValueError, "4 bits of exponent and 0 of mantissa.*give it one"),
        (("F", 4, 3, 7, "fnu"), ValueError, "F has 3 bits of mantissa, but 'fnu'.*give it none"),
        (("F", 0, 1, 0, "fn"), ValueError, "F has no number but 0 beside its NaN: add a bit"),
        (("F", 4, 3, 125), ValueError, "with the bias 125.*move the bias towards 7"),
        (("F", 4, 3, -113), ValueError, "with the bias -113.*beyond its end"),
        (("F", 4, 3, 10**400), ValueError, "numbers below float32.s normal"),
    ],
)
def test_what_makes_no_format(parts, error, message):
    with pytest.raises(error, match=message):
        FloatFormat(*parts)


@pytest.mark.parametrize("bias", [124, -112])
def test_the_outermost_biases_are_float32s(bias):
    format = FloatFormat("F", 4, 3, bias, "none")
    assert format.smallest_positive >= 2.0**-126
    assert format.max < 2.0**128
