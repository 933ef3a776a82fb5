"""mse, max_error and sqnr against torch, scikit-free arithmetic and hand-worked tables."""

import math

import pytest
import torch
from torch.ao.ns.fx.utils import compute_sqnr

from proofs.draw import Draw
from qlearn import QParams, clipped_share, fake_quantize, max_error, mse, split_mse, sqnr


@pytest.fixture
def pair():
    generator = torch.Generator().manual_seed(0)
    reference = torch.randn(50, 7, generator=generator)
    return reference, reference + 0.01 * torch.randn(50, 7, generator=generator)


def test_against_torch(pair):
    reference, approximation = pair
    # compute_sqnr works in float32, ours in float64.
    assert sqnr(*pair) == pytest.approx(compute_sqnr(*pair).item(), abs=1e-4)
    assert mse(*pair) == pytest.approx(torch.nn.functional.mse_loss(*pair).item(), rel=1e-5)
    assert max_error(*pair) == (reference.double() - approximation.double()).abs().max().item()


def test_by_hand():
    reference, approximation = torch.tensor([3.0, -4.0]), torch.tensor([3.0, -3.0])
    assert mse(reference, approximation) == 0.5
    assert max_error(reference, approximation) == 1.0
    assert sqnr(reference, approximation) == pytest.approx(10 * math.log10(25 / 1))


def test_halving_the_error_gains_six_decibels(pair):
    reference, approximation = pair
    halved = reference.double() + (approximation.double() - reference.double()) / 2
    gained = sqnr(reference, halved) - sqnr(reference, approximation)
    assert gained == pytest.approx(20 * math.log10(2), abs=1e-4)


def test_a_scale_error_is_seen():
    """Cosine similarity would call a doubled tensor perfect; the SQNR says 0 dB."""
    x = torch.tensor([1.0, -2.0, 3.0])
    assert sqnr(x, 2 * x) == 0.0


def test_no_error_is_infinitely_good_and_no_signal_infinitely_bad():
    zeros, ones = torch.zeros(2), torch.ones(2)
    assert sqnr(ones, ones) == math.inf
    assert sqnr(zeros, zeros) == math.inf
    assert sqnr(zeros, ones) == -math.inf


def test_beyond_the_ends_of_float64_the_ratio_is_infinite():
    one = torch.ones(1, dtype=torch.float64)
    assert sqnr(one, one) == math.inf
    errors = {1e-154: 3080, 1e-155: math.inf}
    for size, ratio in errors.items():
        pair = torch.tensor([1.0, size], dtype=torch.float64)
        assert sqnr(pair, pair * torch.tensor([1.0, 0.0])) == pytest.approx(ratio, abs=1)
    for size, ratio in {1e-161: -3220, 1e-162: -math.inf}.items():
        assert sqnr(size * one, one) == pytest.approx(ratio, abs=1)


def test_half_precision_does_not_overflow():
    big = torch.tensor([6e4, -6e4], dtype=torch.float16)
    assert mse(big, -big) == (2 * float(big[0])) ** 2


@pytest.mark.parametrize("metric", [mse, max_error, sqnr])
@pytest.mark.parametrize(
    ("a", "b", "error", "message"),
    [
        (torch.zeros(2), torch.zeros(3), ValueError, "shapes must be equal"),
        (torch.zeros(2, 1), torch.zeros(2), ValueError, "shapes must be equal"),
        (torch.zeros(0), torch.zeros(0), ValueError, "empty"),
        (torch.zeros(1), torch.tensor([math.nan]), ValueError, "approximation holds 1 values"),
        (torch.tensor([math.inf]), torch.zeros(1), ValueError, "reference holds 1 values"),
        (torch.zeros(1, dtype=torch.int8), torch.zeros(1), TypeError, "reference is torch.int8"),
        (torch.zeros(1), [0.0], TypeError, "approximation is a list"),
    ],
    ids=["shapes", "broadcastable", "empty", "nan", "inf", "codes", "list"],
)
def test_bad_input_is_named(metric, a, b, error, message):
    with pytest.raises(error, match=message):
        metric(a, b)


def test_clipped_share_counts_what_no_code_is_near_enough_to():
    qparams = QParams(1.0, 0, -8, 7, torch.int8)
    # 7.4 rounds to the last code and -8.4 to the first; 7.6 and -9 are beyond them.
    assert clipped_share(torch.tensor([0.0, 7.4, -8.4, 7.6, -9.0]), qparams) == 0.4


def test_clipped_share_sees_the_last_code_of_int32():
    qparams = QParams(1.0, 0, -(2**31), 2**31 - 1, torch.int32)
    assert clipped_share(torch.tensor([2.0**31, 2.0**30]), qparams) == 0.5


def test_sqnr_of_numbers_whose_squares_float64_cannot_hold():
    for size in (1e200, 1e-200):
        x = torch.tensor([size, -size], dtype=torch.float64)
        assert sqnr(x, torch.zeros(2)) == 0.0
        assert sqnr(x, x * (1 + 2.0**-20)) == pytest.approx(20 * math.log10(2.0**20))


def test_sqnr_where_one_of_two_squares_vanishes_or_a_difference_overflows():
    def of(reference, approximation):
        both = torch.tensor([reference, approximation], dtype=torch.float64)
        return sqnr(both[0], both[1])

    assert of([1.0, 1e-200], [1.0, 0.0]) == math.inf
    assert of([1e-200], [1.0]) == -math.inf
    assert of([2e-162, 0.0, 0.0], [1.0, 1.0, 1.0]) == -math.inf
    with pytest.raises(ValueError, match="beyond the end of float64: divide both"):
        of([1e308, 3.0], [-1e308, 3.0])


FLOAT8 = ["e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0fnu"]


@pytest.mark.parametrize("name", FLOAT8)
def test_numbers_of_eight_bits_are_measured(name):
    exact, small = torch.tensor([1.5, 2.0]), getattr(torch, f"float8_{name}")
    rounded = exact.to(small)
    for metric in (mse, max_error, sqnr):
        assert metric(exact, rounded) == metric(exact, rounded.float())
        assert metric(rounded, exact) == metric(rounded.float(), exact)
    with pytest.raises(ValueError, match="approximation holds 1 values"):
        mse(exact[:1], torch.tensor([math.nan]).to(small))


def test_clipped_share_refuses_what_has_no_share():
    qparams = QParams(1.0, 0, -8, 7, torch.int8)
    with pytest.raises(ValueError, match="empty"):
        clipped_share(torch.zeros(0), qparams)
    with pytest.raises(ValueError, match="holds NaN"):
        clipped_share(torch.tensor([math.nan, 1.0]), qparams)
    with pytest.raises(TypeError, match="float64"):
        clipped_share(torch.zeros(1, dtype=torch.float64), qparams)


def test_split_mse_adds_up_to_the_mse():
    x, qparams = Draw(0).normal(500), QParams(0.1, 2, -8, 7, torch.int8)
    whole = mse(x, fake_quantize(x, qparams))
    assert sum(split_mse(x, qparams)) == pytest.approx(whole, rel=1e-12)


def test_split_mse_by_hand():
    qparams = QParams(1.0, 0, -8, 7, torch.int8)
    # 7.5 is a tie, goes to 8 and is clamped to 7; 7.25 is rounded to 7.
    assert split_mse(torch.tensor([7.25, 7.5, -12.0, 3.0]), qparams) == (0.0625 / 4, 16.25 / 4)


def test_split_mse_works_per_channel():
    rows = QParams([1.0, 0.1], [0, 0], -8, 7, torch.int8, axis=0)
    x = torch.tensor([[0.5, 3.0], [0.0, 3.0]])
    rounding, clipping = split_mse(x, rows)
    assert rounding == 0.25 / 4 and clipping == pytest.approx(2.3**2 / 4, rel=1e-6)


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (torch.zeros(0), ValueError, "x is empty"),
        (torch.tensor([math.nan]), ValueError, "x holds NaN"),
        (torch.tensor([math.inf, 1.0]), ValueError, "1 values that are infinite"),
        (torch.zeros(1, dtype=torch.float64), TypeError, "float64"),
    ],
    ids=["empty", "nan", "inf", "float64"],
)
def test_split_mse_refuses_what_has_no_error(x, error, message):
    with pytest.raises(error, match=message):
        split_mse(x, QParams(1.0, 0, -8, 7, torch.int8))


@pytest.mark.parametrize("metric", [mse, max_error, sqnr])
def test_two_numbers_in_a_byte_are_refused(metric):
    pairs = torch.zeros(2, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
    with pytest.raises(
        TypeError, match=r"reference has dtype torch\.float4.*pass decode_float\(unp"
    ):
        metric(pairs, pairs)
