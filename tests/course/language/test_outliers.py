"""Outliers, made: loud in the named channels alone, and the function stays."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from qlearn.course import normal
from qlearn.course.language.layers import layer_inputs
from qlearn.course.language.net import LanguageModel
from qlearn.course.language.outliers import CHANNELS, with_outliers

TOKENS = torch.arange(60).reshape(2, 30) * 4 % 251
TEXT = bytes(range(256)) * 2


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    """Return a model whose norms have gains of many sizes."""
    generator = torch.Generator().manual_seed(9)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = LanguageModel().eval()
    with torch.no_grad():
        for gains in (p for p in model.parameters() if p.ndim == 1):
            gains.copy_(1 + 0.3 * normal(len(gains), generator=generator))
    return model


def outputs(model: LanguageModel) -> Tensor:
    with torch.no_grad():
        return model(TOKENS)


def test_made_outliers_leave_the_function_as_it_is(model) -> None:
    assert torch.equal(outputs(with_outliers(model, 32)), outputs(model)), "a power of two"
    torch.testing.assert_close(
        outputs(with_outliers(model, 100)), outputs(model), rtol=0, atol=1e-5
    )


def test_made_outliers_are_large_in_the_named_channels_alone(model) -> None:
    before = layer_inputs(model, TEXT)
    for channels in (CHANNELS, (0, 127)):
        after = layer_inputs(with_outliers(model, 32, channels=channels), TEXT)
        expected = torch.ones(128)
        expected[list(channels)] = 32
        for name in ("layers.0.self_attn.k_proj", "layers.3.mlp.up_proj"):
            assert torch.equal(after[name], before[name] * expected)
        same = "layers.2.mlp.down_proj"
        assert torch.equal(after[same], before[same])


@pytest.mark.parametrize("factor", [0.0, -2.0, math.inf, math.nan])
def test_a_factor_is_above_0_and_finite(model, factor) -> None:
    with pytest.raises(ValueError, match="factor is .*, but must be above 0 and finite"):
        with_outliers(model, factor)


@pytest.mark.parametrize("channels", [(5, 128), (-1,)])
def test_channels_are_those_of_the_state(model, channels) -> None:
    with pytest.raises(ValueError, match="a state has the channels 0 to 127"):
        with_outliers(model, 8, channels=channels)
