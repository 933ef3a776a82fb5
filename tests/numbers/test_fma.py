"""The fused multiply-add, with the instruction and without."""

import math
from fractions import Fraction

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import example, given

from proofs.draw import Draw
from qlearn.machine import torch_fuses
from qlearn.numbers import fma as module
from qlearn.numbers.fma import fma
from tests.bits import same_bits

finite = st.floats(width=32, allow_nan=False, allow_infinity=False)


def exact_fma(a: float, b: float, c: float) -> float:
    """Return a·b + c rounded once to float32, by rational arithmetic."""
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return 0.0
    exponent = max(_floor_log2(abs(exact)), -126) - 23
    quantum = Fraction(2) ** exponent
    result = round(exact / quantum) * quantum  # Python rounds half to even
    return math.copysign(math.inf, exact) if abs(result) >= 2**128 else float(result)


def _floor_log2(value: Fraction) -> int:
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if Fraction(2) ** guess <= value else guess - 1


@given(finite, finite, finite)
@example(1.0, 0.5 + 2.0**-18 + 2.0**-23, 64.0)
@example(1 + 2.0**-23, 2.0**-24 + 2.0**-47, 1.0)
@example(1e-38, 1e-38, 1.0)
@example(1e-30, 1e-15, 0.0)
@example(3e38, 10.0, -3e38)
def test_fma_rounds_once(a, b, c):
    got = fma(torch.tensor(a), torch.tensor(b), torch.tensor(c)).item()
    assert got == exact_fma(a, b, c)


def test_fma_is_the_same_with_and_without_the_instruction(monkeypatch):
    for number in range(50):
        draw = Draw(number)
        a, b, c = draw.hard_values(draw.scale()), draw.normal(156), draw.hard_values(draw.scale())
        here = fma(a, b, c), fma(a, b[0], c)
        with monkeypatch.context() as patch:
            patch.setattr(module, "torch_fuses", lambda: False)
            elsewhere = fma(a, b, c), fma(a, b[0], c)
        assert all(map(same_bits, here, elsewhere))


@pytest.mark.parametrize("shape_of_b", [(), (1,), (3, 1), (3, 5)])
@pytest.mark.parametrize("shape_of_a", [(), (1,), (5,), (3, 1), (3, 5)])
def test_fma_rounds_once_whatever_is_repeated(shape_of_a, shape_of_b):
    tick = 2.0**-12
    a, b = torch.full(shape_of_a, 1 + tick), torch.full(shape_of_b, 1 + tick)
    for shape_of_c in ((), (1,), (5,), (3, 5), (2, 3, 5)):
        found = fma(a, b, torch.full(shape_of_c, -1.0))
        assert found.shape == torch.broadcast_shapes(shape_of_a, shape_of_b, shape_of_c)
        assert (found == 2 * tick + tick**2).all()


def test_fma_is_not_two_roundings():
    """1 + 2^-24 + 2^-60: float64 drops the tail, and a tie to even would then lose the bit."""
    a, b = torch.tensor(1 + 2.0**-18), torch.tensor(2.0**-24 * (1 - 2.0**-18))
    c = torch.tensor(1 + 2.0**-23)
    exact = exact_fma(a.item(), b.item(), c.item())
    assert fma(a, b, c).item() == exact
    product = a.double() * b.double()
    assert product.item() < 2.0**-24  # below the tie, if only by 2^-60
    assert exact == 1 + 2.0**-23
    assert (product + c.double()).float().item() != exact  # the double rounding goes up


@pytest.mark.parametrize("special", [math.inf, -math.inf, math.nan])
def test_fma_passes_infinities_and_nan_on(special):
    got = fma(torch.tensor(special), torch.tensor(2.0), torch.tensor(1.0)).item()
    assert math.isnan(got) if math.isnan(special) else got == special


@pytest.mark.skipif(not torch_fuses(), reason="without the instruction no gradient passes")
def test_a_single_number_gets_its_gradient():
    a, c = torch.tensor([1.0, 2.5]), torch.tensor([3.0, 4.0])
    b = torch.tensor(1 / 3, requires_grad=True)
    y = fma(a, b, c)
    assert torch.equal(y, fma(a, b.detach(), c))
    (gradient,) = torch.autograd.grad(y.sum(), b)
    assert gradient.item() == 3.5
