"""What two pages say on torchao's learned scales."""

from __future__ import annotations

import pytest
import torch
import torchao.quantization.pt2e as pt2e
from torch import nn
from torchao.quantization import IntxWeightOnlyConfig, PerGroup, quantize_
from torchao.quantization.qat import (
    IntxFakeQuantizeConfig,
    QATConfig,
    initialize_fake_quantizers,
)

from tests.book.provoked import UNANNOUNCED

WEIGHTS = torch.linspace(-1, 1, 9)

pytestmark = UNANNOUNCED


def learnable() -> nn.Module:
    return pt2e.LearnableFakeQuantize(
        pt2e.MovingAverageMinMaxObserver,
        quant_min=-2,
        quant_max=1,
        dtype=torch.int8,
        qscheme=torch.per_tensor_symmetric,
    )


def test_a_scale_is_a_parameter_after_the_first_batch() -> None:
    graph = nn.Sequential(learnable())
    assert list(graph.parameters()) == []
    graph(WEIGHTS)
    graph.apply(pt2e.enable_range_learning)
    names = {name for name, parameter in graph.named_parameters() if parameter.requires_grad}
    assert "0.scale" in names


def test_a_negative_scale_mirrors_the_ruler_and_is_not_converted() -> None:
    module = learnable()
    module(WEIGHTS)
    module.enable_range_learning()
    module.scale.data.fill_(-0.3)
    rounded = module(WEIGHTS)
    assert [rounded.min().item(), rounded.max().item()] == pytest.approx([-0.3, 0.6])
    assert module.scale.item() == pytest.approx(-0.3)
    scale, _ = module.calculate_qparams()
    assert 1.1e-7 < scale.item() < 1.3e-7


def test_the_older_class_keeps_its_scale_positive() -> None:
    from torch.ao.quantization import MovingAverageMinMaxObserver
    from torch.ao.quantization._learnable_fake_quantize import _LearnableFakeQuantize

    module = _LearnableFakeQuantize(
        MovingAverageMinMaxObserver, -2, 1, dtype=torch.qint8, qscheme=torch.per_tensor_symmetric
    )
    module.enable_param_learning()
    module.scale.data.fill_(-0.3)
    module(WEIGHTS)
    assert module.scale.item() > 0


def test_range_learning_wants_fixed_ranges_and_a_batch_first() -> None:
    groups = {"group_size": 32, "range_learning": True}
    with pytest.raises(ValueError, match="not compatible with `range_learning`"):
        IntxFakeQuantizeConfig(torch.int2, **groups)
    config = IntxFakeQuantizeConfig(torch.int2, is_dynamic=False, **groups)
    model, batch = nn.Sequential(nn.Linear(64, 8)), torch.linspace(-1, 1, 64)[None]
    quantize_(model, QATConfig(weight_config=config, step="prepare"))
    with pytest.raises(ValueError, match="must be initialized for range learning"):
        model(batch)
    before = len(list(model.parameters()))
    initialize_fake_quantizers(model, (batch,))
    assert len(list(model.parameters())) > before
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    model(batch).square().sum().backward()
    optimizer.step()
    trained = model.eval()(batch)
    quantize_(model, QATConfig(IntxWeightOnlyConfig(torch.int2, PerGroup(32)), step="convert"))
    assert torch.equal(model(batch), trained)
