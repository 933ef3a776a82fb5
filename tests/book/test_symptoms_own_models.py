"""The page of symptoms on models with code of one's own: masks, norms, experts, caches."""

from __future__ import annotations

import copy
import operator
from typing import Any

import pytest
import torch
import torch.ao.quantization as old
from torch import Tensor, nn
from torch.ao.quantization import enable_fake_quant
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx
from torchao.core.config import AOBaseConfig
from torchao.prototype.quantization.int4 import PrototypeInt4WeightOnlyConfig
from torchao.quantization import (
    Float8WeightOnlyConfig,
    Int4WeightOnlyConfig,
    Int8DynamicActivationIntxWeightConfig,
    Int8WeightOnlyConfig,
    PerGroup,
    pt2e,
    quantize_,
)
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.qat import QATConfig
from torchao.testing.pt2e._xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)

from qlearn import load_language_model, quantize_groups, sqnr
from qlearn.course import normal
from qlearn.course.language.layers import linear_layers
from qlearn.language.quantized_cache import quantize_cache
from tests.book.provoked import UNANNOUNCED, calibrated, prepared, prepared_for_training

pytestmark = UNANNOUNCED


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return normal(*shape, generator=torch.Generator().manual_seed(seed))


def two_norms() -> nn.Sequential:
    layers = nn.Conv2d(2, 4, 1), nn.BatchNorm2d(4), nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4)
    model = nn.Sequential(*layers).eval()
    model[3].running_mean += 2
    return model


def test_a_list_with_the_wrong_norms_folds_another_model() -> None:
    model, x = two_norms(), drawn(2, 2, 3, 3)
    right, wrong = (
        old.fuse_modules(copy.deepcopy(model), pairs)
        for pairs in ([["0", "1"], ["2", "3"]], [["0", "3"], ["2", "1"]])
    )
    assert sqnr(model(x), right(x)) > 100 > sqnr(model(x), wrong(x))


@pytest.mark.parametrize("trains", [False, True])
def test_a_calibration_in_training_mode_moves_the_statistics(trains: bool) -> None:
    model = two_norms()
    model.qconfig = old.get_default_qconfig("x86")
    prepared = old.prepare(model).train(trains)
    prepared(drawn(8, 2, 3, 3))
    moved = not torch.equal(prepared[3].running_mean, model[3].running_mean)
    assert moved is trains


def test_a_graph_in_training_moves_the_statistics_of_the_float_model() -> None:
    model, x = nn.Sequential(nn.BatchNorm2d(2), nn.Conv2d(2, 4, 1)).train(), drawn(8, 2, 3, 3)
    stored = copy.deepcopy(model.state_dict())
    prepared(torch.export.export(model, (x,)).module())(x)
    assert not torch.equal(model[0].running_mean, stored["0.running_mean"])


def test_a_cast_to_int8_keeps_the_lowest_eight_bits() -> None:
    rounded = torch.tensor([130.0, -1.0]).to(torch.int32)
    assert rounded.to(torch.int8).tolist() == [-126, -1]
    assert rounded.clamp(-128, 127).to(torch.int8).tolist() == [127, -1]


def test_a_mask_in_the_type_of_codes_hides_nothing() -> None:
    mask = torch.tensor([0.0, -torch.inf])
    assert mask.to(torch.uint8).tolist() == [0, 0]
    scores = torch.tensor([1.0, 5.0])
    assert (scores + mask.to(scores.dtype)).softmax(0).tolist() == [1, 0]


class Masked(nn.Module):
    """Leaves a mask out where nothing is hidden."""

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return x if mask.all() else x * mask


def test_a_trace_keeps_what_the_example_decided() -> None:
    x, all_there, padded = torch.ones(3), torch.ones(3), torch.tensor([1.0, 1.0, 0.0])
    with pytest.warns(torch.jit.TracerWarning, match="Converting a tensor to a Python boolean"):
        wrong = torch.jit.trace(Masked(), (x, all_there))
        right = torch.jit.trace(Masked(), (x, padded))
    assert torch.equal(wrong(x, padded), x)
    assert torch.equal(right(x, padded), padded)


class Norm(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True))


def test_a_norm_in_float16_puts_out_zeros() -> None:
    x = torch.tensor([[300.0, 1.0, -2.0]])
    assert Norm()(x.half()).abs().max() == 0
    assert Norm()(torch.tensor([[255.0] * 3]).half()).isfinite().all()
    assert torch.tensor(256.0).half().square().isinf()
    for right in (x, x.bfloat16()):
        assert torch.allclose(Norm()(right).float(), Norm()(x), rtol=0.01)
    for torchs in (nn.LayerNorm(3), nn.RMSNorm(3)):
        assert torch.allclose(torchs.half()(x.half()).float(), torchs.float()(x), atol=0.01)


def test_float8_codes_without_their_scales_are_hundreds_of_times_too_large() -> None:
    for layer in list(linear_layers(load_language_model()).values())[:6]:
        weight = layer.weight.detach()
        codes = (weight * (448 / weight.abs().max())).to(torch.float8_e4m3fn).float()
        assert 100 < (codes - weight).norm() / weight.norm() < 10_000


def test_one_scale_of_queries_spoils_keys_and_values_alone() -> None:
    parts = [drawn(16, 32, seed=seed) * size for seed, size in enumerate((1.0, 3.0, 0.3))]
    scale = parts[0].abs().max() / 127
    read = [(w / (w.abs().max() / 127)).round() * scale for w in parts]
    errors = [((r - w).norm() / w.norm()).item() for r, w in zip(read, parts, strict=True)]
    assert errors[0] < 0.02 and min(errors[1:]) > 0.5
    rows = torch.cat(parts)
    steps = rows.abs().amax(1, keepdim=True) / 127
    assert ((rows / steps).round() * steps - rows).norm() / rows.norm() < 0.01


@pytest.mark.parametrize("config", [Int8WeightOnlyConfig(), Float8WeightOnlyConfig()])
def test_an_expert_of_zeros_is_named_and_rounded_to_nearest(config: AOBaseConfig) -> None:
    model = nn.Sequential(nn.Linear(32, 8), nn.Linear(8, 8))
    exact = model[1].weight.detach().clone()
    model[1].weight.data.zero_()
    for quantized in (copy.deepcopy(model), model):
        if quantized is model:
            quantize_(quantized, config)
        found = [
            name
            for name, m in quantized.named_modules()
            if isinstance(m, nn.Linear) and not m.weight.detach().dequantize().nan_to_num().any()
        ]
        assert found == ["1"]
    nearest = quantize_groups(exact, bits=4, group_size=8).dequantize()
    assert sqnr(exact, nearest) > 15


def test_keys_with_loud_channels_want_a_scale_for_each() -> None:
    keys = drawn(1, 2, 64, 16)
    keys[..., 3] += 100
    by_channel, by_token = (
        sqnr(keys[0, ..., :3], quantize_cache(keys[0], bits=4, axis=axis).dequantize()[..., :3])
        for axis in ("channel", "token")
    )
    assert by_channel > 15 > 5 > by_token


def test_a_norm_of_one_and_weight_is_divided_as_a_whole() -> None:
    weight, factors, x = drawn(8) * 0.1, 1 + drawn(8, seed=1).abs(), drawn(4, 8, seed=2)
    layer = drawn(5, 8, seed=3)
    exact = (x * (1 + weight)) @ layer.T
    right = (x * (1 + ((1 + weight) / factors - 1))) @ (layer * factors).T
    wrong = (x * (1 + weight / factors)) @ (layer * factors).T
    assert sqnr(exact, right) > 100 > 20 > sqnr(exact, wrong)


def test_fake_quantization_that_stayed_off_is_seen_and_switched_on() -> None:
    model = nn.Sequential(old.QuantStub(), nn.Linear(8, 4), old.DeQuantStub()).train()
    model.qconfig = old.get_default_qat_qconfig("x86")
    prepared = old.prepare_qat(model)
    prepared.apply(old.disable_fake_quant)

    def switches() -> list[int]:
        found = [m for m in prepared.modules() if hasattr(m, "fake_quant_enabled")]
        return [int(m.fake_quant_enabled) for m in found]

    assert not any(switches())
    prepared.apply(enable_fake_quant)
    assert len(switches()) > 1 and all(switches())


def test_a_graph_has_switches_of_torchaos() -> None:
    prepared = prepared_for_training(nn.Sequential(nn.Linear(8, 4)).train(), torch.ones(2, 8))
    switches = [
        m.fake_quant_enabled for m in prepared.modules() if hasattr(m, "fake_quant_enabled")
    ]
    prepared.apply(pt2e.disable_fake_quant)
    prepared.apply(enable_fake_quant)
    assert len(switches) > 1 and not any(switches)
    prepared.apply(pt2e.enable_fake_quant)
    assert all(switches)


def test_layers_of_qat_config_have_a_switch_each() -> None:
    model = nn.Sequential(nn.Linear(32, 32))
    config = Int8DynamicActivationIntxWeightConfig(torch.int4, PerGroup(32))
    quantize_(model, QATConfig(config, step="prepare"))
    assert model[0].weight_fake_quantizer.enabled is True


@pytest.mark.parametrize("folds", [False, True])
def test_weights_that_are_not_folded_stay_float(folds: bool) -> None:
    graph = calibrated(nn.Sequential(nn.Linear(32, 64)).eval(), drawn(4, 32))
    converted = convert_pt2e(graph, fold_quantize=folds)
    read = {node.target for node in converted.graph.nodes if node.op == "get_attr"}
    codes = {name for name in read if getattr(converted, str(name), None) is not None}
    types = {getattr(converted, str(name)).dtype for name in codes}
    assert (torch.int8 in types) is folds


class Small(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.head = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()), nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x).mean((2, 3)))


@pytest.mark.parametrize(
    ("choose", "reached"),
    [
        (lambda quantizer, config: quantizer.set_module_name("body", config), 0),
        (lambda quantizer, config: quantizer.set_module_name("body.0", config), 0),
        (lambda quantizer, config: quantizer.set_module_type(nn.Conv2d, config), 0),
        (lambda quantizer, config: quantizer.set_module_name("head", config), 1),
        (lambda quantizer, config: quantizer.set_global(config), 2),
    ],
    ids=["part", "convolution", "type", "linear", "global"],
)
def test_names_and_types_reach_no_convolution_of_xnnpack(choose: Any, reached: int) -> None:
    x, quantizer = drawn(2, 3, 8, 8), XNNPACKQuantizer()
    choose(quantizer, get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(Small().eval(), (x,)).module(), quantizer)
    prepared(x)
    graph = convert_pt2e(prepared).graph
    layers = [n for n in graph.nodes if any(w in str(n.target) for w in ("conv", "linear"))]
    read = ["dequantize" in str(source.target) for n in layers for source in n.all_input_nodes[:1]]
    assert sum(read) == reached


def test_buffers_name_a_part_that_computes_something_else() -> None:
    class Positions(nn.Module):
        def __init__(self, base: float) -> None:
            super().__init__()
            waves = base ** -torch.arange(0, 1, 0.25)
            self.register_buffer("waves", waves, persistent=False)

    ours, exact = Positions(1e4), Positions(5e5)
    assert not exact.state_dict()
    theirs = dict(exact.named_buffers())
    assert [n for n, x in ours.named_buffers() if not torch.equal(x, theirs[n])] == ["waves"]


def test_factors_divide_weight_and_bias_of_a_layer_norm() -> None:
    norm, layer, factors = nn.LayerNorm(8), nn.Linear(8, 4), 1 + drawn(8).abs()
    norm.bias.data = drawn(8, seed=1)
    x = drawn(5, 8, seed=2)
    exact = layer(norm(x))
    norm.weight.data /= factors
    layer.weight.data *= factors
    assert sqnr(exact, layer(norm(x))) < 20
    norm.bias.data /= factors
    assert sqnr(exact, layer(norm(x))) > 100


class Experts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weights = nn.Parameter(drawn(4, 32, 32))

    def forward(self, x: Tensor) -> Tensor:
        return torch.einsum("eoi,bi->beo", self.weights, x)


def test_experts_in_one_parameter_are_passed_by() -> None:
    together = Experts()
    quantize_(together, Int8WeightOnlyConfig())
    assert type(together.weights.data) is Tensor
    apart = nn.ModuleList(nn.Linear(32, 32, bias=False) for _ in range(4))
    quantize_(apart, Int8WeightOnlyConfig())
    assert all(type(layer.weight.data) is not Tensor for layer in apart)


@pytest.mark.parametrize("kind", [Int4WeightOnlyConfig, PrototypeInt4WeightOnlyConfig])
def test_a_group_that_does_not_divide_the_inputs_is_skipped(kind: Any) -> None:
    model, group_size = nn.Sequential(nn.Linear(96, 64)).bfloat16(), 128
    quantize_(model, kind(group_size=group_size))
    assert type(model[0].weight.data) is Tensor
    linear = {n: m for n, m in model.named_modules() if isinstance(m, nn.Linear)}
    assert {n: m.in_features % group_size for n, m in linear.items()} == {"0": 96}


def test_a_convolution_with_other_padding_stays_in_float_if_it_is_told_to() -> None:
    model = nn.Sequential(nn.Conv2d(2, 2, 3, padding=1, padding_mode="circular")).eval()
    model.qconfig = old.get_default_qconfig("x86")
    with pytest.raises(ValueError, match="'padding_mode' circular"):
        old.convert(old.prepare(model))
    model[0].qconfig = None
    assert type(old.convert(old.prepare(model))[0]) is nn.Conv2d


class Phases(nn.Module):
    """Makes waves of positions: by a product, or by a matmul."""

    def __init__(self, by_matmul: bool) -> None:
        super().__init__()
        self.by_matmul, self.layer = by_matmul, nn.Linear(8, 4)
        self.register_buffer("waves", 2.0 ** torch.arange(8.0))

    def forward(self, x: Tensor) -> Tensor:
        phases = torch.matmul(x, self.waves[None]) if self.by_matmul else x * self.waves
        return self.layer(torch.sin(phases))


@pytest.mark.parametrize("by_matmul", [False, True])
def test_phases_stay_in_float_by_the_operator_that_makes_them(by_matmul: bool) -> None:
    model, x = Phases(by_matmul).eval(), torch.linspace(0, 6, 50)[:, None]
    mapping = old.get_default_qconfig_mapping("x86")
    decibels = []
    for left in ((), (operator.mul,), (operator.mul, torch.matmul)):
        chosen = copy.deepcopy(mapping)
        for each in left:
            chosen.set_object_type(each, None)
        prepared = prepare_fx(model, chosen, (x,))
        prepared(x)
        decibels.append(sqnr(model(x), convert_fx(prepared)(x)))
    plain, product, both = decibels
    assert plain < 10 < 25 < both
    assert (product > 25) is not by_matmul
