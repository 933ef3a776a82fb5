"""Rounding to small floats: exact fractions, the ends, and torch there and back."""

import math
from bisect import bisect_left
from fractions import Fraction

import pytest
import torch

from proofs.float_formats import (
    EIGHT_BITS,
    TORCHS,
    clamped,
    marks_and_ties,
    one_nan,
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
    round_to_float,
)
from qlearn.formats.float_rounding import step_at
from tests.bits import same_bits

inf, nan = math.inf, math.nan


@pytest.mark.parametrize("format", TORCHS, ids=repr)
def test_there_and_back_is_torchs(format):
    near = with_neighbours(marks_and_ties(format))
    x = torch.cat([near, -near, torch.tensor([0.0, -0.0, inf, -inf, nan, 1e-45])])
    theirs = clamped(x, format).to(TORCHS[format]).float()
    assert same_bits(one_nan(round_to_float(x, format)), one_nan(theirs))


def test_the_steps_of_four_bits_by_hand():
    x = torch.tensor([0.0, 0.3, 1.0, 1.9, -2.0, 3.9, 4.0, 100.0])
    assert step_at(x, E2M1FN).tolist() == [0.5, 0.5, 0.5, 0.5, 1, 1, 2, 32]


def nearest(x: float, numbers: list[Fraction]) -> Fraction:
    """Return the nearest of the numbers, each of which stands at its code."""
    above = bisect_left(numbers, Fraction(x))
    around = range(max(above - 1, 0), min(above + 1, len(numbers)))
    code = min(around, key=lambda code: (abs(numbers[code] - Fraction(x)), code % 2))
    return numbers[code]


@pytest.mark.parametrize("format", [E2M1FN, E2M3FN, E3M2FN, E4M3FN, E5M2FNUZ], ids=repr)
def test_the_nearest_number_by_exact_fractions(format):
    values = [format.value(code) for code in range(2 ** (format.bits - 1))]
    numbers = [Fraction(value) for value in values if math.isfinite(value)]
    near = with_neighbours(marks_and_ties(format))
    x = near[(near > 0) & (near.abs() <= format.max)]
    expected = [float(nearest(number, numbers)) for number in x.tolist()]
    assert round_to_float(x, format).tolist() == expected
    assert round_to_float(-x, format).tolist() == [-number for number in expected]


def test_float32s_own_subnormals_round_to_zero_with_their_sign():
    x = torch.tensor([1, 2**22, 2**23 - 1], dtype=torch.int32).view(torch.float32)
    for format in (E4M3FN, E5M2, E2M1FN):
        assert same_bits(
            round_to_float(torch.cat([x, -x]), format), torch.tensor([0.0] * 3 + [-0.0] * 3)
        )


# Beyond the ends


@pytest.mark.parametrize("format", EIGHT_BITS, ids=repr)
@pytest.mark.parametrize("sign", [1, -1])
def test_saturation_ends_at_the_end(format, sign):
    beyond = sign * torch.tensor([format.max * 1.01, 1e9, 3e38, inf])
    assert round_to_float(beyond, format).tolist() == [sign * format.max] * 4


@pytest.mark.parametrize(
    ("format", "last", "first", "becomes"),
    [
        (E4M3FN, 464.0, 464.00003, nan),  # a tie, which goes to the even 448
        (E5M2, 61439.996, 61440.0, inf),  # here the even one is the next number, beyond the end
        (E4M3FNUZ, 247.99998, 248.0, nan),
        (E5M2FNUZ, 61439.996, 61440.0, nan),
        (E8M0FNU, 1.4999999 * 2.0**127, 1.5 * 2.0**127, nan),
    ],
    ids=repr,
)
def test_where_special_values_begin(format, last, first, becomes):
    kept, lost = round_to_float(torch.tensor([last, first]), format, overflow="special").tolist()
    assert kept == format.max
    assert lost == becomes or (math.isnan(lost) and math.isnan(becomes))
    if format.signed:
        kept, lost = round_to_float(torch.tensor([-last, -first]), format, overflow="special")
        assert kept == -format.max and (lost == -becomes or lost.isnan())


def test_float64_is_rounded_twice_so_the_first_rounding_is_left_to_the_caller():
    tie = torch.tensor([1 + 2.0**-4 + 2.0**-30], dtype=torch.float64)  # above halfway to 1.125
    with pytest.raises(TypeError, match=r"x has dtype torch.float64.*x.float\(\), which rounds"):
        round_to_float(tie, E4M3FN)
    assert round_to_float(tie.float(), E4M3FN).item() == 1.0  # float32 lost what was above


def test_torchs_powers_of_two_have_no_sign():
    """What the docstring says of E8M0FNU: as with "special", but for numbers not above 0."""
    x = torch.tensor([3.0, 1e-40, 3e38, inf, nan, -3.0, -inf, 0.0, -0.0])
    torchs = x.to(torch.float8_e8m0fnu).to(torch.float32)
    ours = round_to_float(x.abs().clamp_min(2.0**-127), E8M0FNU, overflow="special")
    assert same_bits(one_nan(torchs), one_nan(ours))
    assert round_to_float(x[5:], E8M0FNU, overflow="special").isnan().all()
