"""FusedMovingAverageFakeQuantize by hand: proofs/fused_fake_quantize.py compares it with torch."""

import math

import pytest
import torch

from qlearn import FusedMovingAverageFakeQuantize, MovingAverageMinMaxObserver
from qlearn.training import fused_fake_quantize
from tests.bits import same_bits

X = torch.tensor([-1.0, 0.25, 1.0])


def pair(qparams):
    return round(qparams.scale.item(), 5), qparams.zero_point.item()


@pytest.mark.parametrize(
    ("x", "training", "finished"),
    [
        ([-1.0, 1.0], (0.00787, 0), (0.00784, 0)),
        ([0.0, 1.0], (0.00392, -128), (0.00784, 0)),
        ([-1.0, 0.0], (0.00392, 127), (0.00784, 0)),
    ],
    ids=["both sides", "positive", "negative"],
)
def test_training_and_the_finished_model_disagree(x, training, finished):
    fused = FusedMovingAverageFakeQuantize(dtype=torch.int8, symmetric=True)
    fused(torch.tensor(x))
    assert pair(fused.qparams()) == training
    assert pair(fused.calibrated_qparams()) == finished


def test_a_symmetric_uint8_differs_by_its_zero_point():
    fused = FusedMovingAverageFakeQuantize(symmetric=True)
    fused(X)
    assert fused.qparams().zero_point == 128
    assert fused.calibrated_qparams().zero_point == 127


@pytest.mark.parametrize("axis", [None, 0])
@pytest.mark.parametrize(("once", "end"), [(False, 2.0**-13), (True, 2.0**-13 - 2.0**-25)])
def test_on_arm_the_average_is_rounded_once(axis, once, end, monkeypatch):
    """(1 − 2⁻¹³)·(1 + 2⁻¹²) − 1 is 2⁻¹³ − 2⁻²⁵; the product alone loses its last bit."""
    monkeypatch.setattr(fused_fake_quantize, "fuses_averages", lambda: once)
    fused = FusedMovingAverageFakeQuantize(averaging_constant=1 - 2.0**-13, axis=axis)
    fused(torch.tensor([[-1.0]]))
    fused(torch.tensor([[2.0**-12]]))
    assert fused.observer.max_val.item() == end


def test_the_range_moves_as_the_observers_does(monkeypatch):
    monkeypatch.setattr(fused_fake_quantize, "fuses_averages", lambda: False)
    fused = FusedMovingAverageFakeQuantize(averaging_constant=0.3)
    observer = MovingAverageMinMaxObserver(averaging_constant=0.3)
    for step in range(4):
        fused(X * step)
        observer(X * step)
    assert torch.equal(fused.observer.min_val, observer.min_val)
    assert torch.equal(fused.observer.max_val, observer.max_val)
    assert fused.calibrated_qparams() == observer.qparams()


def test_a_frozen_range_stays_and_still_clips():
    fused = FusedMovingAverageFakeQuantize(dtype=torch.int8, symmetric=True)
    fused(X)
    before = fused.qparams()
    fused.observer_enabled = False
    x = torch.tensor([5.0, math.inf, math.nan, 0.0], requires_grad=True)
    y = fused(x)
    y.sum().backward()
    assert fused.qparams() == before
    assert y.tolist() == pytest.approx([1.0, 1.0, -128 / 127, 0.0])
    assert x.grad.tolist() == [0.0, 0.0, 0.0, 1.0]


def test_without_fake_quantization_it_observes_only():
    fused = FusedMovingAverageFakeQuantize()
    fused.fake_quant_enabled = False
    assert fused(X) is X
    assert fused.observer.max_val == 1.0


def test_the_codes_are_halved():
    fused = FusedMovingAverageFakeQuantize(reduce_range=True)
    fused(X)
    assert (fused.qparams().quant_min, fused.qparams().quant_max) == (0, 127)
    assert fused.calibrated_qparams().quant_max == 127


def test_channels_of_any_axis():
    rows = FusedMovingAverageFakeQuantize(dtype=torch.int8, symmetric=True, axis=0)
    columns = FusedMovingAverageFakeQuantize(dtype=torch.int8, symmetric=True, axis=1)
    x = torch.randn(3, 5, generator=torch.Generator().manual_seed(0))
    assert same_bits(rows(x), columns(x.T).T)
    assert rows.qparams().scale.shape == (3,)


def test_an_empty_batch_changes_nothing():
    fused = FusedMovingAverageFakeQuantize()
    assert fused(torch.zeros(0)).shape == (0,)
    assert fused.observer.min_val is None


def test_what_is_refused():
    fused = FusedMovingAverageFakeQuantize()
    with pytest.raises(ValueError, match="no batch has been observed"):
        fused.qparams()
    with pytest.raises(ValueError, match="has seen no values"):
        fused.calibrated_qparams()
    with pytest.raises(ValueError, match="infinite or NaN"):
        fused(torch.tensor([math.inf]))
    with pytest.raises(TypeError, match="x has dtype torch.float64"):
        fused(X.double())
    with pytest.raises(ValueError, match="averaging_constant is 2"):
        FusedMovingAverageFakeQuantize(averaging_constant=2)
    with pytest.raises(ValueError, match="a code above its middle"):
        FusedMovingAverageFakeQuantize(symmetric=True, quant_min=0, quant_max=1)
    with pytest.raises(ValueError, match="give both or neither"):
        FusedMovingAverageFakeQuantize(quant_min=0)


@pytest.mark.parametrize(("low", "high"), [(-1.0000001, -1.0000002), (1.0000002, 1.0000001)])
def test_averages_that_have_crossed_by_a_rounding_still_give_qparams(low, high):
    fused = FusedMovingAverageFakeQuantize()
    fused.observer.min_val, fused.observer.max_val = torch.tensor(low), torch.tensor(high)
    step = torch.tensor(max(high, -low) / 255)
    assert fused.qparams().scale == pytest.approx(step.item(), rel=1e-6)
