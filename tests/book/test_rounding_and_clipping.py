"""What Rounding and clipping says in its text, beside its outputs."""

from __future__ import annotations

from itertools import pairwise

import pytest

from qlearn import QParams, choose_qparams, clipped_share, fake_quantize, sqnr
from qlearn.course.digits.vit import trained_digits_vit

WEIGHT = trained_digits_vit().get_parameter("blocks.2.mlp.0.weight").detach()
LARGEST = WEIGHT.abs().max().item()


def ruler(end: float, bits: int = 4) -> QParams:
    low = -(2 ** (bits - 1))
    return choose_qparams(-end, end, symmetric=True, quant_min=low, quant_max=-low - 1)


def test_nearly_all_weights_lie_in_the_middle_third_of_the_long_ruler() -> None:
    assert WEIGHT.numel() == 16_384
    assert (WEIGHT.abs() < LARGEST / 3).float().mean() > 0.95


def test_the_shorter_ruler_clips_six_weights_in_a_thousand() -> None:
    assert 0.0055 < clipped_share(WEIGHT, ruler(0.45 * LARGEST)) < 0.0065


def test_the_best_end_gives_18_decibels_with_four_bits() -> None:
    plain, best = (sqnr(WEIGHT, fake_quantize(WEIGHT, ruler(LARGEST * e))) for e in (1.0, 0.45))
    assert (round(plain, 1), round(best, 1)) == (12.5, 18.0)


def test_the_largest_weight_lies_half_a_step_beyond_the_last_mark() -> None:
    qparams = ruler(LARGEST)
    assert LARGEST / qparams.scale.item() == pytest.approx(qparams.quant_max + 0.5, rel=1e-6)


@pytest.mark.parametrize("bits", [2, 3, 4])
def test_neither_step_of_torchaos_search_makes_the_squared_error_larger(bits: int) -> None:
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    row = WEIGHT[0].double()
    scale = row.abs().max() / -low
    errors = []
    for _ in range(20):
        codes = (row / scale).round().clamp(low, high)
        errors.append((row - scale * codes).square().sum().item())
        scale = (row * codes).sum() / codes.square().sum()
        errors.append((row - scale * codes).square().sum().item())
    assert all(after <= before * (1 + 1e-12) for before, after in pairwise(errors))
    assert errors[-1] < errors[0]
