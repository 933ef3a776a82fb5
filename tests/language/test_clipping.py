"""Scales by squared error: never worse than rounding to nearest, and of the scales the best."""

from __future__ import annotations

import pytest
import torch

from qlearn import clipped_groups, quantize_groups
from qlearn.course import normal
from qlearn.language.clipping import SHARES

WEIGHT = normal(16, 64, generator=torch.Generator().manual_seed(0))


def by_group(weight: torch.Tensor, back: torch.Tensor) -> torch.Tensor:
    return (weight - back).square().unflatten(-1, (-1, 16)).sum(-1)


@pytest.mark.parametrize("bits", [2, 3, 4])
def test_no_group_is_worse_than_to_nearest(bits: int) -> None:
    kind = {"bits": bits, "group_size": 16}
    clipped = by_group(WEIGHT, clipped_groups(WEIGHT, **kind).dequantize())
    nearest = by_group(WEIGHT, quantize_groups(WEIGHT, **kind).dequantize())
    assert (clipped <= nearest).all()
    assert clipped.sum() < 0.95 * nearest.sum()


def test_each_scale_is_the_best_of_all_that_are_tried() -> None:
    found = clipped_groups(WEIGHT, bits=3, group_size=16)
    groups = WEIGHT.unflatten(-1, (-1, 16))
    largest = groups.abs().amax(-1, keepdim=True) / 3.5
    errors = []
    for share in SHARES:
        back = (groups / (largest * share)).round().clamp(-4, 3) * largest * share
        errors.append((back - groups).square().sum(-1))
    least = torch.stack(errors).amin(0)
    assert torch.allclose(by_group(WEIGHT, found.dequantize()), least, rtol=1e-5)


def test_numbers_on_the_marks_keep_their_scale() -> None:
    row = torch.tensor([[-7.5, *range(-7, 8)]])
    found = clipped_groups(row, group_size=16)
    assert torch.equal(found.scales, quantize_groups(row, group_size=16).scales)


def test_no_scale_is_better_than_the_first_where_the_error_is_infinite() -> None:
    row = torch.tensor([[1e30, 1.0, -2.0, 3.0]])
    found = clipped_groups(row, group_size=4)
    assert torch.equal(found.scales, quantize_groups(row, group_size=4).scales)


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(ValueError, match="weight holds infinities or NaN"):
        clipped_groups(WEIGHT * torch.nan)
    with pytest.raises(ValueError, match=r"weight has shape \(64,\)"):
        clipped_groups(WEIGHT[0])
    with pytest.raises(TypeError, match="weight has dtype torch.float64"):
        clipped_groups(WEIGHT.double())
    with pytest.raises(ValueError, match="group_size is 48 and does not divide 64"):
        clipped_groups(WEIGHT, group_size=48)
    with pytest.raises(ValueError, match="bits must be an integer from 1 to 8, not 9"):
        clipped_groups(WEIGHT, bits=9)
    with pytest.raises(ValueError, match="a group is too wide for"):
        clipped_groups(WEIGHT / WEIGHT.abs().max() * 3e38, bits=1)
