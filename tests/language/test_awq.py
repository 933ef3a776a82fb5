"""AWQ's factors against torchao's observer, and against no factors at all; and weights by them."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from proofs.torchao_quietly import torchao
from qlearn import quantize_groups
from qlearn.course import normal
from qlearn.language import awq_scales, scaled_groups


def drawn(seed: int, loud: float = 30.0) -> tuple[Tensor, Tensor]:
    """Return a weight and inputs of which a few channels are loud."""
    generator = torch.Generator().manual_seed(seed)
    inputs = normal(48, 64, generator=generator)
    inputs[:, [3, 40]] *= loud
    return normal(24, 64, generator=generator), inputs


def output_error(weight: Tensor, inputs: Tensor, scales: Tensor, bits: int) -> float:
    rounded = quantize_groups(weight * scales, bits=bits).dequantize()
    return (inputs @ weight.T - (inputs / scales) @ rounded.T).square().mean().item()


@pytest.mark.parametrize("bits", [3, 4])
def test_factors_are_those_of_torchao(bits: int) -> None:
    from torchao.prototype.awq.core import AWQObserver

    config = torchao.IntxWeightOnlyConfig(getattr(torch, f"int{bits}"), torchao.PerGroup(32))
    for seed in range(5):
        weight, inputs = drawn(seed)
        observer = AWQObserver(weight, None, config)
        observer(inputs, inputs @ weight.T)
        assert torch.equal(awq_scales(weight, inputs, bits=bits), observer.calculate_qparams())


def test_no_factors_are_never_better() -> None:
    for seed in range(10):
        weight, inputs = drawn(seed, loud=1.0 if seed % 2 else 30.0)
        scales = awq_scales(weight, inputs, bits=3)
        found = output_error(weight, inputs, scales, 3)
        none = output_error(weight, inputs, torch.ones(64), 3)
        assert found <= none
        if seed % 2 == 0:
            assert found < 0.8 * none


def test_dead_channels_get_finite_factors() -> None:
    weight, inputs = drawn(1)
    inputs[:, 7] = 0
    for given in (inputs, torch.zeros_like(inputs)):
        scales = awq_scales(weight, given)
        assert scales.isfinite().all()
        assert (scales > 0).all()
    assert torch.equal(scales, torch.ones(64))


def test_what_does_not_fit_is_said() -> None:
    weight, inputs = drawn(2)
    with pytest.raises(ValueError, match="group_size is 48 and does not divide 64"):
        awq_scales(weight, inputs, group_size=48)
    with pytest.raises(ValueError, match="inputs has 63 features and the weight takes 64"):
        awq_scales(weight, inputs[:, 1:])
    with pytest.raises(ValueError, match="inputs holds infinities or NaN, as at index"):
        awq_scales(weight, inputs / 0)


def test_factors_of_one_are_rounding_to_nearest() -> None:
    weight, _ = drawn(1)
    nearest = quantize_groups(weight, bits=3, group_size=16).dequantize()
    assert torch.equal(scaled_groups(weight, torch.ones(64), bits=3, group_size=16), nearest)


def test_a_factor_protects_its_column() -> None:
    weight, _ = drawn(2)
    factors = torch.ones(64)
    factors[5] = 8.0
    weight[:, 5] /= 16  # so small that it never sets the step
    before, after = (scaled_groups(weight, s) - weight for s in (torch.ones(64), factors))
    assert after[:, 5].norm() < 0.4 * before[:, 5].norm()


def test_factors_that_do_not_fit_are_refused() -> None:
    weight, _ = drawn(3)
    for bad in (0.0, -1.0, torch.inf, torch.nan):
        with pytest.raises(ValueError, match="scales hold numbers that are infinite, NaN, or not"):
            scaled_groups(weight, torch.full((64,), bad))
    with pytest.raises(ValueError, match=r"scales have shape \(63,\) and the weight 64 inputs"):
        scaled_groups(weight, torch.ones(63))
    with pytest.raises(TypeError, match="scales has dtype torch.float64"):
        scaled_groups(weight, torch.ones(64).double())
    with pytest.raises(TypeError, match="weight is a list"):
        scaled_groups([1.0], torch.ones(1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="group_size is 5 and does not divide 64"):
        scaled_groups(weight, torch.ones(64), group_size=5)


def test_what_overflows_is_named() -> None:
    weight, inputs = drawn(4)
    with pytest.raises(ValueError, match=r"mean \|inputs\| holds .*: divide the inputs by a power"):
        awq_scales(weight, inputs.sign() * 3e38)
    with pytest.raises(ValueError, match="weight · scales holds .*: divide the weight by a power"):
        awq_scales(weight.index_fill(1, torch.tensor(3), 3e38), drawn(4, loud=1e6)[1])
    with pytest.raises(ValueError, match="weight · scales holds .*: divide the scales by their"):
        scaled_groups(weight.sign() * 3e38, torch.full((64,), 2.0))
