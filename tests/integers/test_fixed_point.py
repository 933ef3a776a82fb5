"""The fixed-point multiplier by hand, and against exact fractions."""

from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from qlearn.integers.fixed_point import fixed_point_multiplier, fixed_point_product

multipliers = st.floats(2.0**-31, 1, exclude_max=True, width=32)
sums = st.integers(-(2**31), 2**31 - 1)


@given(multipliers, st.integers(2, 31))
def test_the_multiplier_is_as_near_as_its_bits_allow(multiplier, bits):
    whole, shift = fixed_point_multiplier(multiplier, bits)
    assert 2 ** (bits - 1) <= whole < 2**bits
    error = abs(Fraction(whole, 2**shift) - Fraction(multiplier))
    assert error <= Fraction(multiplier) / 2**bits
    assert bits < 24 or error == 0


@given(multipliers, sums, st.integers(2, 31))
def test_the_product_is_rounded_once_and_halves_go_up(multiplier, total, bits):
    whole, shift = fixed_point_multiplier(multiplier, bits)
    exact = Fraction(total * whole, 2**shift) + Fraction(1, 2)
    product = fixed_point_product(torch.tensor([total], dtype=torch.int32), whole, shift)
    assert product.item() == exact.numerator // exact.denominator


def test_a_multiplier_that_rounds_to_one_bit_more():
    assert fixed_point_multiplier(1 - 2.0**-20, bits=8) == (128, 7)


@pytest.mark.parametrize("multiplier", [0.0, -0.5, 1.0, 2.0**-32, float("nan")])
def test_multipliers_that_do_not_fit_are_refused(multiplier):
    with pytest.raises(ValueError, match="the multiplier is .* less than 1: choose a larger"):
        fixed_point_multiplier(multiplier)


@pytest.mark.parametrize(("bits", "error"), [(1, ValueError), (32, ValueError), (8.0, TypeError)])
def test_bits_that_do_not_fit_are_refused(bits, error):
    with pytest.raises(error, match="bits must be an integer from 2 to 31"):
        fixed_point_multiplier(0.5, bits)
