"""AWQ and GPTQ as numbers in the weight's place: orders and factors are undone."""

from __future__ import annotations

import torch

from qlearn import gptq, quantize_groups
from qlearn.course import normal
from qlearn.course.language.calibrated import by_activation, scaled_groups


def drawn() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    mix = torch.eye(32) + normal(32, 32, generator=generator) / 8
    return normal(12, 32, generator=generator), normal(200, 32, generator=generator) @ mix


def test_factors_of_one_are_rounding_to_nearest() -> None:
    weight, _ = drawn()
    nearest = quantize_groups(weight, bits=3, group_size=16).dequantize()
    assert torch.equal(scaled_groups(weight, torch.ones(32), bits=3, group_size=16), nearest)


def test_a_factor_protects_its_column() -> None:
    weight, _ = drawn()
    factors = torch.ones(32)
    factors[5] = 4.0
    weight[:, 5] /= 16  # so small that it never sets the step
    before, after = (scaled_groups(weight, s) - weight for s in (torch.ones(32), factors))
    assert after[:, 5].norm() < 0.5 * before[:, 5].norm()


def test_columns_in_the_order_of_loudness_are_those_of_gptq() -> None:
    weight, inputs = drawn()
    ordered = inputs * torch.linspace(2, 1, 32)
    assert ordered.square().sum(0).argsort(descending=True).tolist() != list(range(32))
    order = ordered.square().sum(0).argsort(descending=True)
    found = by_activation(weight, ordered, bits=3)
    plain = gptq(weight[:, order], ordered[:, order], bits=3).dequantize()
    assert torch.equal(found[:, order], plain)
