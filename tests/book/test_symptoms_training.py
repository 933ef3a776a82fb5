"""The page of symptoms on training and loading that silently do nothing, or too much."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
import torch.ao.quantization as old
import torch.distributed.device_mesh
import torch.distributed.fsdp
import torchao.quantization.pt2e as pt2e
from torch import nn
from torch.nn.utils import prune
from torchao.quantization import (
    Float8WeightOnlyConfig,
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    IntxWeightOnlyConfig,
    PerAxis,
    PerGroup,
    quantize_,
)
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.qat import QATConfig

from tests.book.provoked import UNANNOUNCED, X, for_x86, linear, prepared_for_training

IMAGE = torch.linspace(-1, 1, 2 * 2 * 8 * 8).reshape(2, 2, 8, 8)

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


def test_dropout_goes_on_in_a_converted_graph_until_it_is_moved() -> None:
    x = torch.ones(2, 8)
    prepared = prepared_for_training(Dropping().train(), x)
    prepared(x)
    graph = convert_pt2e(prepared)
    torch.manual_seed(0)
    answers = {graph(x).sum().item() for _ in range(20)}
    assert len(answers) > 1
    assert any("dropout" in str(n.target) and n.args[2] for n in graph.graph.nodes)
    pt2e.move_exported_model_to_eval(graph)
    assert len({graph(x).sum().item() for _ in range(20)}) == 1


@pytest.mark.parametrize(
    "layer",
    [nn.Dropout1d(0.5), nn.TransformerEncoderLayer(8, 2, 16, dropout=0.5, batch_first=True)],
    ids=["1d", "attention"],
)
def test_other_dropouts_stay_on(layer: nn.Module) -> None:
    x = torch.ones(2, 3, 8)
    prepared = prepared_for_training(nn.Sequential(nn.Linear(8, 8), layer).train(), x)
    prepared(x)
    graph = convert_pt2e(prepared)
    pt2e.move_exported_model_to_eval(graph)
    torch.manual_seed(0)
    assert len({graph(x).sum().item() for _ in range(20)}) > 1


def test_training_is_true_of_a_graph_that_was_exported_in_evaluation_mode() -> None:
    assert torch.export.export(linear().eval(), (X,)).module().training


def test_the_state_of_a_converted_graph_fits_no_prepared_one() -> None:
    model = nn.Sequential(nn.Conv2d(2, 3, 3))
    graph = for_x86(copy.deepcopy(model))
    graph(IMAGE)
    stored = io.BytesIO()
    torch.save(convert_pt2e(graph).state_dict(), stored)
    stored.seek(0)
    state = torch.load(stored)
    assert torch.equal(state["0.weight"], model[0].weight)  # the float weights are still there
    prepared = for_x86(copy.deepcopy(model))
    prepared(IMAGE)
    with pytest.raises(RuntimeError, match=r"Missing key\(s\).*activation_post_process"):
        prepared.load_state_dict(state)


def test_the_state_of_a_prepared_graph_fits_one_that_has_not_run() -> None:
    model = nn.Sequential(nn.Conv2d(2, 3, 3))
    seen = for_x86(copy.deepcopy(model))
    seen(IMAGE)
    fresh = for_x86(nn.Sequential(nn.Conv2d(2, 3, 3)))
    fresh.load_state_dict(seen.state_dict())
    assert torch.equal(convert_pt2e(fresh)(IMAGE), convert_pt2e(seen)(IMAGE))


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


class Initialized(nn.Linear):
    """A linear layer with a class of its own."""


def test_a_class_that_inherits_from_linear_is_taken_by_torchao_alone() -> None:
    model = nn.Sequential(Initialized(8, 4))
    assert type(old.quantize_dynamic(model, {nn.Linear})[0]) is Initialized
    narrow, wide = copy.deepcopy(model), copy.deepcopy(model)
    quantize_(narrow, Int8WeightOnlyConfig(), filter_fn=lambda m, _: type(m) is nn.Linear)
    quantize_(wide, Int8WeightOnlyConfig())
    assert type(narrow[0].weight) is nn.Parameter
    assert type(wide[0].weight).__name__ == "Int8Tensor"


@pytest.mark.parametrize("base", [Int8WeightOnlyConfig(), Int8DynamicActivationInt8WeightConfig()])
def test_a_filter_that_may_be_called_twice(base: object) -> None:
    from torch.nn.modules.linear import NonDynamicallyQuantizableLinear as InAttention

    def chosen(layer: nn.Module, name: str) -> bool:
        plain = isinstance(layer, nn.Linear) and not isinstance(layer, InAttention)
        return plain and type(layer.weight) is nn.Parameter

    model = nn.Sequential(
        Initialized(8, 8), nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    ).eval()
    for _ in range(2):
        quantize_(model, base, filter_fn=chosen)
    assert type(model[0].weight).__name__ == "Int8Tensor"
    assert type(model[1].self_attn.out_proj.weight) is nn.Parameter
    assert model(torch.ones(1, 3, 8)).isfinite().all()


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (nn.Conv2d(4, 4, 3, groups=4), "invalid for input of size 1"),
        (nn.Conv1d(4, 4, 3), "only works for 2-d and 4-d"),
        (nn.ConvTranspose2d(4, 4, 3), "aten.convolution"),
        (nn.Conv2d(4, 4, 3, groups=2), None),
    ],
    ids=["depthwise", "1d", "transposed", "groups"],
)
def test_which_convolutions_the_intx_config_takes(layer: nn.Module, message: str | None) -> None:
    model = nn.Sequential(layer).eval()
    config = IntxWeightOnlyConfig(torch.int8, PerAxis(0))
    x = torch.ones(2, 4, 8) if isinstance(layer, nn.Conv1d) else torch.ones(2, 4, 8, 8)
    if message is None:
        quantize_(model, config, filter_fn=lambda m, _: m is layer)
        assert model(x).isfinite().all()
        return
    with pytest.raises(Exception, match=message):  # of several kinds
        quantize_(model, config, filter_fn=lambda m, _: m is layer)
        model(x)


def called(model: nn.Module) -> torch.Tensor:
    """Return what a model answers whose weights were quantized."""
    quantize_(model, Int8WeightOnlyConfig())
    return model(X)


def test_weights_that_are_computed_in_each_call_are_no_parameters() -> None:
    for normed in (nn.utils.weight_norm, nn.utils.spectral_norm):
        with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter"):
            called(nn.Sequential(normed(nn.Linear(8, 4))))
    pruned = nn.Sequential(nn.Linear(8, 4))
    prune.l1_unstructured(pruned[0], "weight", 0.5)
    with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter"):
        called(pruned)
    pruned = nn.Sequential(nn.Linear(8, 4))
    prune.l1_unstructured(pruned[0], "weight", 0.5)
    prune.remove(pruned[0], "weight")
    assert called(pruned).isfinite().all()


def test_a_weight_norm_that_ran_without_gradients_stops_later() -> None:
    model = nn.Sequential(nn.utils.weight_norm(nn.Linear(8, 4)))
    with torch.no_grad():
        model(X)
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'weight_g'"):
        old.quantize_dynamic(model, {nn.Linear})(X)
    nn.utils.remove_weight_norm(model[0])
    old.quantize_dynamic(model, {nn.Linear})(X)


def test_inference_tensors_stop_an_adapter_in_front() -> None:
    adapter, frozen = nn.Linear(8, 8), linear()
    with torch.inference_mode():
        quantize_(frozen, Int8WeightOnlyConfig())
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        frozen(adapter(X))
    frozen = linear()
    with torch.no_grad():
        quantize_(frozen, Int8WeightOnlyConfig())
    frozen(adapter(X + 1)).sum().backward()
    assert adapter.weight.grad is not None and adapter.weight.grad.any()


def test_a_padding_row_of_zeros_is_nan_in_float8() -> None:
    model = nn.Sequential(nn.Embedding(4, 32, padding_idx=0))
    quantize_(model, Float8WeightOnlyConfig(), filter_fn=lambda m, _: isinstance(m, nn.Embedding))
    rows = model(torch.tensor([0, 1]))
    assert rows[0].isnan().all() and rows[1].isfinite().all()


class Conv1D(nn.Module):
    """As in GPT-2 of transformers: a linear layer whose weight is turned."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(8, 4)), nn.Parameter(torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.addmm(self.bias, x, self.weight)


def test_neither_tool_sees_a_layer_that_is_no_linear() -> None:
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    model = nn.Sequential(Conv1D())
    quantize_(model, Int8WeightOnlyConfig())
    assert type(model[0].weight) is nn.Parameter
    config = x86.get_default_x86_inductor_quantization_config()
    for layers, quantizer in (
        (model, x86.X86InductorQuantizer().set_global(config)),
        (linear(), x86.X86InductorQuantizer()),  # nobody called set_global
    ):
        graph = prepare_pt2e(torch.export.export(layers, (X,)).module(), quantizer)
        graph(X)
        converted = convert_pt2e(graph)
        assert not any("quantize_per" in str(n.target) for n in converted.graph.nodes)


def test_codes_less_a_zero_point_wrap_around_in_bytes() -> None:
    x = torch.quantize_per_tensor(torch.tensor([-1.0, 1.0]), 1 / 127, 128, torch.quint8)
    wrapped = (x.int_repr() - x.q_zero_point()) * x.q_scale()
    assert wrapped[0] > 1 and wrapped[1] == x.dequantize()[1]
    right = (x.int_repr().int() - x.q_zero_point()) * x.q_scale()
    assert torch.equal(right, x.dequantize())


@pytest.fixture
def shards(tmp_path: Path) -> Iterator[Callable[[nn.Module], nn.Module]]:
    """Yield what shards a model, among one process."""
    distributed = torch.distributed
    store = f"file://{tmp_path / 'store'}"
    distributed.init_process_group("gloo", init_method=store, rank=0, world_size=1)
    mesh = distributed.device_mesh.init_device_mesh("cpu", (1,))
    yield lambda model: distributed.fsdp.fully_shard(model, mesh=mesh)
    distributed.destroy_process_group()


def test_fsdp_takes_no_quantized_weights_but_fake_quantized_ones(
    shards: Callable[[nn.Module], nn.Module],
) -> None:
    four = IntxWeightOnlyConfig(torch.int4, PerGroup(32))
    for config, named in (
        (Int8WeightOnlyConfig(), "aten.split"),
        (four, "aten.split"),
        (Float8WeightOnlyConfig(), "aten.new_zeros"),
        (QATConfig(four, step="prepare"), None),
    ):
        model = nn.Sequential(nn.Linear(64, 32))
        quantize_(model, config)
        if named is None:
            assert shards(model)(torch.ones(2, 64)).shape == (2, 32)
            continue
        with pytest.raises(NotImplementedError, match=named):
            shards(model)
    model = shards(nn.Sequential(nn.Linear(64, 32)))
    quantize_(model, Int8WeightOnlyConfig())
    with pytest.raises(AttributeError, match="'Int8Tensor' object has no attribute '_local_"):
        model(torch.ones(2, 64))
