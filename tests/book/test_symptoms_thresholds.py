"""The page of symptoms on a threshold that was set with the float model."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor, nn
from torchao.quantization import Int8DynamicActivationInt8WeightConfig, quantize_

from qlearn import sqnr
from qlearn.course import normal
from tests.book.provoked import UNANNOUNCED

pytestmark = UNANNOUNCED


def autoencoder(x: Tensor, width: int) -> nn.Sequential:
    """Return two layers that keep the directions in which x varies most."""
    kept = torch.linalg.svd(x, full_matrices=False).Vh[:width].contiguous()
    layers = nn.Linear(x.shape[1], width, bias=False), nn.Linear(width, x.shape[1], bias=False)
    for layer, weight in zip(layers, (kept, kept.T.contiguous()), strict=True):
        layer.weight = nn.Parameter(weight)
    return nn.Sequential(*layers).eval()


def score(model: nn.Module, x: Tensor) -> Tensor:
    """Return how badly each row comes back: large for an anomaly."""
    with torch.no_grad():
        return (model(x) - x).square().mean(1)


def test_a_threshold_of_the_float_model_makes_false_alarms_and_a_new_one_does_not() -> None:
    g = torch.Generator().manual_seed(0)
    directions = normal(4, 32, generator=g)
    x = normal(2000, 4, generator=g) @ directions + 0.01 * normal(2000, 32, generator=g)
    seen, usual = x.split(1000)
    odd = usual + 0.1 * normal(1000, 32, generator=g)
    model = autoencoder(seen, 4)
    quantized = copy.deepcopy(model)
    quantize_(quantized, Int8DynamicActivationInt8WeightConfig())

    old, new = (score(each, seen).quantile(0.99) for each in (model, quantized))
    alarms = {
        name: (score(each, usual) > threshold).float().mean().item()
        for name, each, threshold in (
            ("float", model, old),
            ("old threshold", quantized, old),
            ("new threshold", quantized, new),
        )
    }
    # The directions are computed in float32, whose last bits depend on the processor.
    assert sqnr(model(usual).detach(), quantized(usual).detach()) == pytest.approx(43, abs=0.5)
    assert alarms["float"] == pytest.approx(0.004, abs=0.001)
    assert alarms["old threshold"] == pytest.approx(0.7, abs=0.05)
    assert alarms["new threshold"] == pytest.approx(0.004, abs=0.002)
    assert score(quantized, odd).min() > score(quantized, usual).max()
    assert (score(quantized, odd) > new).all()
