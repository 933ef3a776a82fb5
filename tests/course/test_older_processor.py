"""A torchao model on a processor without VNNI: bit for bit torchao's where nothing saturates."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from proofs.torchao_quietly import torchao
from qlearn.course import normal
from qlearn.course.older_processor import on_older_processor
from qlearn.machine import int_mm_is_exact


def model(reduce_range: bool) -> nn.Module:
    """Return two layers, one without a bias, with weights and inputs that can saturate."""
    generator = torch.Generator().manual_seed(0)
    first, second = nn.Linear(64, 64), nn.Linear(64, 8, bias=False)
    layers = nn.Sequential(first, nn.ReLU(), second)
    with torch.no_grad():
        for layer in (first, second):
            layer.weight.copy_(0.1 + 0.1 * normal(*layer.weight.shape, generator=generator))
    config = torchao.Int8DynamicActivationInt8WeightConfig(
        reduce_range=reduce_range, set_inductor_config=False
    )
    torchao.quantize_(layers, config)
    return layers


X = torch.rand(2, 3, 64, generator=torch.Generator().manual_seed(1))


@pytest.mark.skipif(not int_mm_is_exact(), reason="torch._int_mm saturates here")
@pytest.mark.parametrize("reduce_range", [False, True])
def test_with_exact_sums_it_is_torchao(reduce_range: bool) -> None:
    quantized = model(reduce_range)
    exact = on_older_processor(quantized, saturate=False)
    assert torch.equal(exact(X), quantized(X))


def test_it_saturates_unless_both_sides_have_a_bit_less() -> None:
    for reduce_range in (False, True):
        quantized = model(reduce_range)
        exact = on_older_processor(quantized, saturate=False)(X)
        assert torch.equal(on_older_processor(quantized)(X), exact) == reduce_range


def test_the_model_itself_is_left_alone() -> None:
    quantized = model(False)
    before = copy.deepcopy(quantized)(X)
    on_older_processor(quantized)
    assert torch.equal(quantized(X), before)


def test_a_model_without_such_layers_is_refused() -> None:
    with pytest.raises(ValueError, match="no linear layer has int8 weights and dynamic"):
        on_older_processor(nn.Sequential(nn.Linear(4, 4)))
    weight_only = nn.Sequential(nn.Linear(32, 4))
    torchao.quantize_(weight_only, torchao.Int8WeightOnlyConfig(set_inductor_config=False))
    with pytest.raises(ValueError, match="no linear layer"):
        on_older_processor(weight_only)
