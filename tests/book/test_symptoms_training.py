"""The page of symptoms on training and loading that do nothing, or too much, in silence."""

from __future__ import annotations

import copy

import pytest
import torch
import torch.ao.quantization as old
import torch.distributed.device_mesh
import torch.distributed.fsdp
import torchao.quantization.pt2e as pt2e
from torch import nn
from torchao.core.config import AOBaseConfig
from torchao.quantization import (
    Int8DynamicActivationIntxWeightConfig,
    Int8WeightOnlyConfig,
    PerGroup,
    quantize_,
)
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e
from torchao.quantization.qat import QATConfig

from tests.book.provoked import (
    IMAGES,
    UNANNOUNCED,
    X,
    calibrated,
    for_x86,
    linear,
    prepared_for_training,
)

pytestmark = UNANNOUNCED


def in_training() -> nn.Module:
    model = nn.Sequential(old.QuantStub(), nn.Linear(8, 4), old.DeQuantStub()).train()
    model.qconfig = old.get_default_qat_qconfig("x86")
    return model


@pytest.mark.parametrize("inplace", [False, True])
def test_prepare_qat_returns_a_copy_whose_weights_an_earlier_optimizer_does_not_know(
    inplace: bool,
) -> None:
    model = in_training()
    known = {id(p) for p in model.parameters()}
    prepared = old.prepare_qat(model, inplace=inplace)
    found = {id(p) for p in prepared.parameters()}
    assert bool(found & known) == inplace


def test_observers_that_were_off_when_it_was_saved_stay_off() -> None:
    saved = old.prepare_qat(in_training())
    saved(X)
    saved.apply(old.disable_observer)
    resumed = old.prepare_qat(in_training())
    resumed.load_state_dict(saved.state_dict())
    scale = resumed[0].activation_post_process.scale.clone()
    resumed(X + 100)
    assert resumed[0].activation_post_process.scale == scale
    resumed.apply(old.enable_observer)
    resumed(X + 100)
    assert resumed[0].activation_post_process.scale != scale


class Dropping(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer, self.dropout = nn.Linear(8, 4), nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.dropout(self.layer(x))


def trained(model: nn.Module, x: torch.Tensor) -> nn.Module:
    """Return the converted graph of a model in training that has seen x."""
    prepared = prepared_for_training(model.train(), x)
    prepared(x)
    return convert_pt2e(prepared)


def answers(graph: nn.Module, x: torch.Tensor) -> set[float]:
    """Return what twenty calls answer to the same input."""
    torch.manual_seed(0)
    return {graph(x).sum().item() for _ in range(20)}


def test_dropout_goes_on_in_a_converted_graph_until_it_is_moved() -> None:
    x = torch.ones(2, 8)
    graph = trained(Dropping(), x)
    assert len(answers(graph, x)) > 1
    assert any("dropout" in str(n.target) and n.args[2] for n in graph.graph.nodes)
    pt2e.move_exported_model_to_eval(graph)
    assert len(answers(graph, x)) == 1


@pytest.mark.parametrize(
    "layer",
    [nn.Dropout1d(0.5), nn.TransformerEncoderLayer(8, 2, 16, dropout=0.5, batch_first=True)],
    ids=["1d", "attention"],
)
def test_other_dropouts_stay_on(layer: nn.Module) -> None:
    x = torch.ones(2, 3, 8)
    graph = trained(nn.Sequential(nn.Linear(8, 8), layer), x)
    pt2e.move_exported_model_to_eval(graph)
    assert len(answers(graph, x)) > 1


def test_a_model_of_codes_trains_its_biases_alone() -> None:
    model = linear()
    quantize_(model, Int8WeightOnlyConfig())
    still = {name for name, p in model.named_parameters() if not p.requires_grad}
    assert still == {"0.weight"}
    codes, bias = model[0].weight.qdata.clone(), model[0].bias.detach().clone()
    model(X).square().sum().backward()
    torch.optim.SGD(model.parameters(), 0.1, weight_decay=0.1).step()
    assert torch.equal(model[0].weight.qdata, codes) and not torch.equal(model[0].bias, bias)


def test_training_is_true_of_a_graph_that_was_exported_in_evaluation_mode() -> None:
    assert torch.export.export(linear().eval(), (X,)).module().training


def test_the_state_of_a_converted_graph_fits_no_prepared_one() -> None:
    model = nn.Sequential(nn.Conv2d(2, 3, 3))
    state = convert_pt2e(calibrated(copy.deepcopy(model), IMAGES)).state_dict()
    assert torch.equal(state["0.weight"], model[0].weight)  # the float weights are still there
    prepared = calibrated(copy.deepcopy(model), IMAGES)
    with pytest.raises(RuntimeError, match=r"Missing key\(s\).*activation_post_process"):
        prepared.load_state_dict(state)


def test_the_state_of_a_prepared_graph_fits_one_that_has_not_run() -> None:
    seen = calibrated(nn.Sequential(nn.Conv2d(2, 3, 3)), IMAGES)
    fresh = for_x86(nn.Sequential(nn.Conv2d(2, 3, 3)))
    fresh.load_state_dict(seen.state_dict())
    assert torch.equal(convert_pt2e(fresh)(IMAGES), convert_pt2e(seen)(IMAGES))


class Normed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(2, 2, 3), nn.BatchNorm2d(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.conv(x))


def test_a_checkpoint_of_qat_leaves_the_norms_of_a_float_model_as_they_were() -> None:
    fused = old.fuse_modules_qat(Normed().train(), [["conv", "norm"]])
    fused.qconfig = old.get_default_qat_qconfig("x86")
    prepared = old.prepare_qat(fused)
    found = Normed().load_state_dict(prepared.state_dict(), strict=False)
    assert "norm.running_mean" in found.missing_keys
    assert "conv.bn.running_mean" in found.unexpected_keys


def test_a_second_step_with_another_base_config_is_another_model() -> None:
    def base(group_size: int) -> AOBaseConfig:
        return Int8DynamicActivationIntxWeightConfig(torch.int4, PerGroup(group_size))

    trained = nn.Sequential(nn.Linear(128, 8)).eval()
    quantize_(trained, QATConfig(base(32), step="prepare"))
    x = torch.randn(4, 128)
    for group_size, equal in ((32, True), (128, False)):
        converted = copy.deepcopy(trained)
        quantize_(converted, QATConfig(base(group_size), step="convert"))
        assert torch.equal(converted(x), trained(x)) == equal


def test_an_adapter_that_is_quantized_too_leaves_nothing_to_train() -> None:
    model = nn.Sequential(nn.Linear(8, 8).requires_grad_(False), nn.Linear(8, 4, bias=False))
    quantize_(model, Int8WeightOnlyConfig())
    with pytest.raises(ValueError, match="optimizer got an empty parameter list"):
        torch.optim.SGD([p for p in model.parameters() if p.requires_grad])


@pytest.mark.parametrize("is_copy", [False, True])
def test_a_teacher_that_is_the_student_leaves_no_loss(is_copy: bool) -> None:
    model = nn.Sequential(nn.Linear(32, 4))
    teacher = copy.deepcopy(model) if is_copy else model
    base = Int8DynamicActivationIntxWeightConfig(torch.int4, PerGroup(32))
    quantize_(model, QATConfig(base, step="prepare"))
    x = torch.linspace(-1, 1, 64).reshape(2, 32)
    assert bool((model(x) - teacher(x)).any()) is is_copy
