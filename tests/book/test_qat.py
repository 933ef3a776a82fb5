"""What the pages on training say beside their outputs: what stands still, and what does not."""

from __future__ import annotations

import copy
import logging
import platform
import warnings
from typing import Any

import pytest
import torch
from torch import nn
from torch.ao import quantization as tq
from torch.ao.quantization import quantize_fx

from qlearn.course import digits_right, split_digits
from qlearn.course.digits.vit import trained_digits_vit
from qlearn.machine import use_engine
from tests.book.provoked import fastpath, prepared_for_training

logging.disable(logging.WARNING)  # of what the import of torchao says
with warnings.catch_warnings(action="ignore"):
    import torchao.quantization.pt2e as pt2e
    from torchao.quantization import Int8DynamicActivationIntxWeightConfig, PerGroup, quantize_
    from torchao.quantization.qat import QATConfig
logging.disable(logging.NOTSET)

pytestmark = pytest.mark.filterwarnings("ignore")
IMAGES = torch.linspace(-1, 1, 256).reshape(4, 1, 8, 8)


@pytest.fixture(scope="module")
def graph() -> nn.Module:
    """Return a convolution and a batch norm, prepared for training, in eval mode."""
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)).train()
    prepared = prepared_for_training(model, IMAGES)
    prepared(IMAGES)
    return pt2e.move_exported_model_to_eval(prepared)


def state(model: nn.Module, ending: str) -> list[torch.Tensor]:
    return [v.clone() for k, v in model.state_dict().items() if k.endswith(ending)]


def moved(model: nn.Module, ending: str) -> bool:
    """Tell whether a state is another one after the model has seen larger images."""
    before = state(model, ending)
    assert before
    model(3 * IMAGES)
    return any(not torch.equal(a, b) for a, b in zip(before, state(model, ending), strict=True))


def test_an_exported_model_in_eval_mode_keeps_its_statistics(graph: nn.Module) -> None:
    assert not moved(graph, "running_mean")


def test_an_exported_model_in_eval_mode_still_observes_until_told_not_to(graph: nn.Module) -> None:
    assert moved(graph, "max_val")
    graph.apply(pt2e.disable_observer)
    assert not moved(graph, "max_val")


def test_only_a_norm_behind_a_convolution_gets_another_eps_and_momentum() -> None:
    layers = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2, 1e-3, 0.01), nn.ReLU()
    model = nn.Sequential(*layers, nn.BatchNorm2d(2, 1e-3, 0.01)).train()
    nodes = prepared_for_training(model, IMAGES).graph.nodes
    found = [n.args[6:8] for n in nodes if "batch_norm" in str(n.target)]
    assert sorted(found) == [(0.01, 1e-3), (0.1, 1e-5)]


@pytest.mark.parametrize("batch_first", [True, False])
def test_the_shortcut_of_an_encoder_with_batches_first_leaves_rounding_out(
    batch_first: bool,
) -> None:
    layer = nn.TransformerEncoderLayer(32, 2, 32, batch_first=batch_first)
    int4 = Int8DynamicActivationIntxWeightConfig(torch.int4, PerGroup(32))
    quantize_(layer, QATConfig(int4, step="prepare"))
    layer.eval()
    x, found = torch.linspace(-1, 1, 192).reshape(2, 3, 32), []
    for shortcut in (True, False):
        with fastpath(enabled=shortcut), torch.no_grad():
            found.append(layer(x))
    assert torch.equal(*found) == (not batch_first)


def test_eval_does_not_stop_the_older_observers() -> None:
    module = tq.default_fake_quant().eval()
    module(IMAGES)
    assert moved(module, "max_val")
    module.disable_observer()
    assert not moved(module, "max_val")


def test_a_smaller_learning_rate_makes_the_hops_shorter_and_as_frequent() -> None:
    found = {}
    for rate in (0.1, 0.01):
        weight, path = 0.3, []
        for _ in range(5000):
            back = 0.5 if weight > 0.25 else 0.0
            path.append((weight, back))
            weight -= rate * (back - 0.4)
        weights, values = zip(*path[1000:], strict=True)
        found[rate] = max(weights) - min(weights), sum(v == 0 for v in values) / len(values)
    assert found[0.01][0] < found[0.1][0] / 5
    assert found[0.01][1] == pytest.approx(found[0.1][1], abs=0.01)


@pytest.mark.parametrize(
    ("ends", "largest"), [((-64, 63), (63, 64)), ((-128, 127), (127, 127)), ((-2, 1), (1, 2))]
)
def test_only_a_full_byte_hides_that_fx_does_not_clamp_weights(
    ends: tuple[int, int], largest: tuple[int, int]
) -> None:
    """Compare the largest code by eager mode and by FX, of a largest weight that is positive."""
    activation = tq.FakeQuantize.with_args(
        observer=tq.MovingAverageMinMaxObserver, quant_min=0, quant_max=255, dtype=torch.quint8
    )
    weight = tq.FakeQuantize.with_args(
        observer=tq.MovingAverageMinMaxObserver,
        quant_min=ends[0],
        quant_max=ends[1],
        dtype=torch.qint8,
        qscheme=torch.per_tensor_symmetric,
    )
    qconfig = tq.QConfig(activation=activation, weight=weight)
    model = nn.Sequential(nn.Linear(4, 4)).train()
    model[0].weight.data = torch.linspace(-0.9, 1, 16).reshape(4, 4)
    x = torch.ones(2, 4)
    wrapped = tq.QuantWrapper(copy.deepcopy(model))
    wrapped.qconfig = qconfig  # type: ignore[assignment]
    eager = tq.prepare_qat(wrapped)
    mapping = tq.QConfigMapping().set_global(qconfig)
    by_fx = quantize_fx.prepare_qat_fx(model, mapping, (x,))
    eager(x), by_fx(x)
    use_engine()
    layers: tuple[Any, Any] = (
        tq.convert(eager.eval()).get_submodule("module.0"),
        quantize_fx.convert_fx(by_fx.eval()).get_submodule("0"),
    )
    assert tuple(layer.weight().int_repr().max().item() for layer in layers) == largest


@pytest.mark.skipif(platform.machine() != "x86_64", reason="it depends on the processor")
def test_infinity_gets_the_wrong_end_per_channel() -> None:
    x = torch.tensor([[torch.inf, 1e30, -torch.inf, torch.nan]]).repeat(1, 8)
    whole = torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127)[0, :4]
    each = torch.fake_quantize_per_channel_affine(
        x, torch.tensor([0.1]), torch.tensor([0], dtype=torch.int32), 0, -128, 127
    )[0, :4]
    assert [round(v, 1) for v in whole.tolist()] == [12.7, 12.7, -12.8, -12.8]
    assert [round(v, 1) for v in each.tolist()] == [-12.8, -12.8, -12.8, -12.8]


@pytest.mark.parametrize(("rate", "better"), [(3e-4, True), (1e-2, False)])
def test_too_large_a_learning_rate_is_worse_than_no_training(rate: float, better: bool) -> None:
    from torchao.quantization import IntxWeightOnlyConfig, PerAxis, quantize_
    from torchao.quantization.qat import QATConfig

    data, vit = split_digits(), trained_digits_vit().requires_grad_(True)
    quantize_(vit, QATConfig(IntxWeightOnlyConfig(torch.int2, PerAxis(0)), step="prepare"))
    before = digits_right(vit)
    optimizer = torch.optim.Adam(vit.parameters(), lr=rate)
    generator = torch.Generator().manual_seed(0)
    for _ in range(2):
        for batch in torch.randperm(1437, generator=generator).split(64):
            optimizer.zero_grad()
            logits = vit(data.train_images[batch])
            nn.functional.cross_entropy(logits, data.train_labels[batch]).backward()
            optimizer.step()
    after = digits_right(vit.eval())
    assert after > before if better else after < before
