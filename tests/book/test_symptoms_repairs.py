"""The page of symptoms: what is said on a cause, and each repair that can be tried here, works."""

from __future__ import annotations

import copy
import io
import warnings
from collections.abc import Callable

import pytest
import torch
import torch.ao.quantization as old
import torchao.quantization.pt2e as pt2e
from torch import nn
from torchao.quantization import Float8WeightOnlyConfig, Int8WeightOnlyConfig, quantize_

from tests.book.test_symptoms import (
    IMAGE,
    PER_CHANNEL,
    attention_in_training,
    dynamic,
    into_onnx,
    linear,
    normed,
    parametrized,
    smoothed,
    static,
)

X = torch.linspace(-1, 1, 16).view(2, 8)
OWN = old.QConfig(PER_CHANNEL.activation, old.default_weight_observer)

pytestmark = pytest.mark.filterwarnings(
    *("ignore:.*:" + kind for kind in ("DeprecationWarning", "FutureWarning", "UserWarning"))
)


def named(layer: nn.Module) -> nn.Module:
    layer.qconfig = OWN
    return layer


def test_an_embedding_takes_settings_of_its_own() -> None:
    model = nn.Sequential(nn.Embedding(9, 8), nn.Linear(8, 4)).eval()
    settings = {
        nn.Linear: old.default_dynamic_qconfig,
        nn.Embedding: old.float_qparams_weight_only_qconfig,
    }
    changed = old.quantize_dynamic(model, settings)
    assert isinstance(changed[0], torch.ao.nn.quantized.Embedding)
    assert isinstance(changed[1], torch.ao.nn.quantized.dynamic.Linear)
    model[0].qconfig = old.float_qparams_weight_only_qconfig
    assert isinstance(old.convert(old.prepare(model))[0], torch.ao.nn.quantized.Embedding)


@pytest.mark.parametrize("layer", [nn.ConvTranspose2d(2, 2, 3), nn.PReLU()], ids=["up", "PReLU"])
def test_one_scale_suits_layers_that_refuse_one_a_channel(layer: nn.Module) -> None:
    model = static(old.QuantStub(), named(layer), x=IMAGE, qconfig=PER_CHANNEL)
    assert model(IMAGE).is_quantized


def test_without_the_norm_a_model_is_quantized() -> None:
    model, newer = normed(), parametrized()
    nn.utils.remove_weight_norm(model[0])
    assert isinstance(dynamic(model)[0], torch.ao.nn.quantized.dynamic.Linear)
    nn.utils.parametrize.remove_parametrizations(newer[0], "weight")
    quantize_(newer, Int8WeightOnlyConfig())
    assert type(newer[0].weight).__name__ == "Int8Tensor"


def test_attention_without_a_qconfig_is_left_alone() -> None:
    model = attention_in_training()
    model.attention.qconfig = None
    prepared = old.prepare_qat(model)
    assert type(prepared.attention) is nn.MultiheadAttention
    assert isinstance(prepared.layer, torch.ao.nn.qat.Linear)


class Recurrent(nn.Module):
    """A GRU, and a layer that gets codes."""

    def __init__(self) -> None:
        super().__init__()
        self.gru, self.stub, self.layer = nn.GRU(8, 8), old.QuantStub(), nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(self.stub(self.gru(x)[0]))


def test_a_gru_stays_float_or_is_dynamic() -> None:
    model = Recurrent().eval()
    model.qconfig, model.gru.qconfig = PER_CHANNEL, None
    prepared = old.prepare(model)
    prepared(X)
    converted = old.convert(prepared)
    assert type(converted.gru) is nn.GRU and converted(X).is_quantized
    changed = old.quantize_dynamic(Recurrent().eval(), {nn.GRU})
    assert isinstance(changed.gru, torch.ao.nn.quantized.dynamic.GRU)


@pytest.mark.parametrize("layer", [nn.Conv2d(2, 2, 3), nn.Linear(8, 8)], ids=["conv", "linear"])
def test_the_older_exporter_takes_static_layers(layer: nn.Module) -> None:
    model = static(old.QuantStub(), layer, old.DeQuantStub(), x=IMAGE)
    assert b"QuantizeLinear" in into_onnx(model, IMAGE)


@pytest.mark.parametrize("layer", [nn.BatchNorm2d(2), nn.ELU()], ids=["batch norm", "ELU"])
def test_the_older_exporter_refuses_a_batch_norm_and_an_elu(layer: nn.Module) -> None:
    model = static(old.QuantStub(), layer, x=IMAGE)
    with pytest.raises(torch.onnx.errors.UnsupportedOperatorError, match="is not supported"):
        into_onnx(model, IMAGE)


def test_without_the_shortcut_smoothquant_sees_each_layer() -> None:
    assert smoothed(shortcut=False)(torch.ones(1, 3, 8)).isfinite().all()


def elu(seed: int, size: float) -> nn.Module:
    torch.manual_seed(seed)
    x = size * torch.randn(4, 2, 8, 8)
    return static(old.QuantStub(), nn.Conv2d(2, 2, 3), nn.ELU(), old.DeQuantStub(), x=x)


def test_the_numbers_of_an_elu_are_not_in_the_file() -> None:
    saved, other = elu(0, 9.0), elu(1, 0.1)
    other.load_state_dict(saved.state_dict())
    x = 9 * torch.randn(4, 2, 8, 8)
    assert not torch.equal(saved(x), other(x))
    other[2].scale, other[2].zero_point = saved[2].scale, saved[2].zero_point
    assert torch.equal(saved(x), other(x))


def test_a_trace_stores_a_model_whole() -> None:
    model, file = static(old.QuantStub(), nn.Conv2d(2, 2, 3), x=IMAGE), io.BytesIO()
    with warnings.catch_warnings(action="ignore"):
        torch.jit.save(torch.jit.trace(model, IMAGE), file)
    file.seek(0)
    assert torch.equal(torch.jit.load(file)(IMAGE).int_repr(), model(IMAGE).int_repr())


def test_fusing_in_eval_mode_leaves_no_batch_norm() -> None:
    layers = nn.Sequential(nn.Conv2d(2, 2, 3), nn.BatchNorm2d(2), nn.ReLU())
    fused = old.fuse_modules(layers.eval(), [["0", "1", "2"]])
    assert type(fused[0]).__name__ == "ConvReLU2d"
    alone = static(*layers, x=IMAGE)[1]
    assert type(alone) is torch.ao.nn.quantized.BatchNorm2d


def numbers(graph: nn.Module) -> list[float]:
    """Return the momentum and the eps of a graph's batch norm, and the p of its dropout."""
    nodes = [n for n in graph.graph.nodes if "batch_norm" in n.name or "dropout" in n.name]
    norm, dropout = nodes
    return [*norm.args[-3:-1], dropout.args[1]]


def exported_norm() -> nn.Module:
    layers = nn.BatchNorm1d(8, eps=1e-3, momentum=0.03), nn.Dropout(0.1)
    return torch.export.export(nn.Sequential(*layers).train(), (X,)).module()


@pytest.mark.parametrize("move", ["eval", "train"])
def test_moving_a_graph_changes_the_numbers_of_norms_and_dropouts(move: str) -> None:
    graph = exported_norm()
    assert numbers(graph) == [0.03, 1e-3, 0.1]
    of_copy = copy.deepcopy(graph)
    getattr(pt2e, f"move_exported_model_to_{move}")(of_copy)
    assert numbers(of_copy) == [0.1, 1e-5, 0.5]
    assert numbers(graph) == [0.03, 1e-3, 0.1]


def test_a_row_of_zeros_is_nan_in_float8() -> None:
    model = linear()
    with torch.no_grad():
        model[0].weight[2] = 0
    quantize_(model, Float8WeightOnlyConfig())
    assert model(X).isnan().any(0).tolist() == [False, False, True, False]


class Tied(nn.Module):
    """A language model's first and last layer, with one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(100, 32), nn.Linear(32, 100, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.embed(x))


def saved_bytes(model: nn.Module) -> int:
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    return file.tell()


def quantized_tied(filter_fn: Callable[[nn.Module, str], bool] | None = None) -> nn.Module:
    torch.manual_seed(0)
    model = Tied().eval()
    quantize_(model, Int8WeightOnlyConfig(), filter_fn=filter_fn)
    return model


def test_a_tied_weight_is_stored_twice_unless_it_is_tied_again() -> None:
    assert saved_bytes(quantized_tied()) > saved_bytes(Tied())
    model = quantized_tied(lambda module, name: isinstance(module, nn.Linear | nn.Embedding))
    x, size = torch.arange(9).view(1, 9), saved_bytes(model)
    y = model(x)
    model.head.weight = model.embed.weight
    assert torch.equal(model(x), y) and saved_bytes(model) < 0.7 * size
