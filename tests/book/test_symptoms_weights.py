"""The page of symptoms on which weights the tools take, and which they pass by or stop at."""

from __future__ import annotations

import copy
import gc
import io
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
import torch.ao.quantization as old
import torch.distributed.device_mesh
import torch.distributed.fsdp
from torch import nn
from torch.nn.utils import prune
from torchao.core.config import AOBaseConfig
from torchao.prototype.awq import AWQConfig
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

from tests.book.provoked import UNANNOUNCED, X, linear

pytestmark = UNANNOUNCED


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


def pruned() -> nn.Module:
    """Return a layer of whose weights a half is masked."""
    model = linear()
    prune.l1_unstructured(model[0], "weight", 0.5)
    return model


def called(model: nn.Module) -> torch.Tensor:
    """Return what a model answers whose weights were quantized."""
    quantize_(model, Int8WeightOnlyConfig())
    return model(X)


def test_weights_that_are_computed_in_each_call_are_no_parameters() -> None:
    for normed in (nn.utils.weight_norm, nn.utils.spectral_norm):
        with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter"):
            called(nn.Sequential(normed(nn.Linear(8, 4))))
    with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter"):
        called(pruned())
    model = pruned()
    prune.remove(model[0], "weight")
    assert called(model).isfinite().all()


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


def test_a_row_of_zeros_needs_a_whole_zero_point() -> None:
    w = nn.Embedding(50, 8, padding_idx=0).weight.detach()
    low, scale = w.min(), (w.max() - w.min()) / 15
    codes = ((w - low) / scale).round().clamp(0, 15)
    assert (codes * scale + low)[0].abs().min() > 0.1 * scale
    zero_point = (-low / scale).round()
    codes = ((w / scale).round() + zero_point).clamp(0, 15)
    assert not ((codes - zero_point) * scale)[0].any()


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


@pytest.mark.parametrize("config", [QATConfig, AWQConfig])
def test_converting_what_nobody_prepared_changes_nothing(
    config: type[QATConfig | AWQConfig],
) -> None:
    base = IntxWeightOnlyConfig(torch.int4, PerGroup(32))
    observed = {QATConfig: "FakeQuantizedLinear", AWQConfig: "AWQObservedLinear"}[config]
    model = nn.Sequential(nn.Linear(32, 4))
    quantize_(copy.deepcopy(model), config(base, step="prepare"))  # another copy
    quantize_(model, config(base, step="convert"))
    assert type(model[0]) is nn.Linear and type(model[0].weight) is nn.Parameter
    quantize_(model, config(base, step="prepare"))
    assert type(model[0]).__name__ == observed


CONFIGS = [Int8WeightOnlyConfig(), Float8WeightOnlyConfig(), IntxWeightOnlyConfig(torch.int4)]
NAMED = [type(each).__name__ for each in CONFIGS]


@pytest.mark.parametrize("config", CONFIGS, ids=NAMED)
def test_assigning_data_changes_no_quantized_weight(config: AOBaseConfig) -> None:
    model = nn.Sequential(nn.Linear(32, 4))
    quantize_(model, config)
    before = model[0].weight.dequantize().clone()
    model[0].weight.data = torch.zeros(4, 32)
    assert torch.equal(model[0].weight.dequantize(), before)
    model[0].weight = nn.Parameter(torch.full((4, 32), 0.5))
    quantize_(model, config)
    torch.testing.assert_close(
        model[0].weight.dequantize(), torch.full((4, 32), 0.5), rtol=0.1, atol=0
    )


@pytest.mark.parametrize("config", CONFIGS, ids=NAMED)
def test_a_weight_of_codes_counts_the_bytes_of_float32(config: AOBaseConfig) -> None:
    model = nn.Sequential(nn.Linear(32, 4))
    quantize_(model, config)
    weight = model[0].weight
    assert weight.nbytes == weight.numel() * weight.element_size() == 4 * 32 * 4
    assert weight.qdata.nbytes == 4 * 32


def test_a_standardization_in_the_first_layer_loses_the_columns_of_large_inputs() -> None:
    spread = torch.tensor([0.05, 0.4, 3.0, 2600.0])
    layer = nn.Linear(4, 8)
    layer.weight.data = torch.linspace(-1, 1, 32).reshape(8, 4).sin() / spread
    model = nn.Sequential(layer)
    quantize_(model, Int8WeightOnlyConfig())
    assert (model[0].weight.dequantize() == 0).all(0).tolist() == [False, False, False, True]


def test_centers_of_windows_become_equal_in_bfloat16_beyond_1024() -> None:
    centers = (torch.arange(512) + 0.5) * 8
    equal = centers.bfloat16().diff() == 0
    assert centers[:-1][equal].min() > 1024 and equal[128:].float().mean() > 0.4
    assert torch.equal(centers[:128].bfloat16().float(), centers[:128])


class Listed(nn.Module):
    """Layers in a Python list."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = [nn.Linear(8, 4)]


def test_layers_in_a_list_are_seen_by_nobody() -> None:
    model = Listed()
    quantize_(model, Int8WeightOnlyConfig())
    assert type(model.layers[0].weight) is nn.Parameter
    assert not [*model.parameters()] and not model.state_dict()


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


def alive(shape: tuple[int, ...]) -> int:
    """Count as the page does, once what nobody holds is gone."""
    gc.collect()
    tensors = [t for t in gc.get_objects() if type(t) in (torch.Tensor, nn.Parameter)]
    return Counter(t.shape for t in tensors if t.dtype == torch.float32)[torch.Size(shape)]


def test_an_optimizer_holds_the_float_weights() -> None:
    model, shape = nn.Sequential(nn.Linear(509, 521, bias=False)), (521, 509)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    quantize_(model, Int8WeightOnlyConfig())
    assert alive(shape) == 1
    del optimizer
    assert alive(shape) == 0


def test_a_slice_saves_the_whole(tmp_path: Path) -> None:
    whole = torch.zeros(64, 1024, dtype=torch.int8)
    sizes = []
    for name, part in (("slice", whole[:16]), ("clone", whole[:16].clone())):
        torch.save(part, tmp_path / name)
        sizes.append((tmp_path / name).stat().st_size)
        assert (part.nbytes < part.untyped_storage().nbytes()) == (name == "slice")
    assert sizes[0] > 64 * 1024 > 2 * sizes[1]


def test_a_program_keeps_the_example_of_its_export() -> None:
    images, sizes = torch.zeros(10_000, 8), []
    for example in (images[:1], images[:1].clone()):
        program = torch.export.export(linear(), (example,))
        torch.export.save(program, file := io.BytesIO())
        sizes.append(file.getbuffer().nbytes)
    assert sizes[0] > images.nbytes > sizes[1]


def test_names_behind_compile_begin_otherwise() -> None:
    model = linear()
    compiled = torch.compile(model)
    quantize_(compiled, Int8WeightOnlyConfig(), filter_fn=lambda m, name: name == "0")
    assert type(model[0].weight) is nn.Parameter
    assert dict(compiled.named_modules())["_orig_mod.0"] is model[0]
    quantize_(model, Int8WeightOnlyConfig(), filter_fn=lambda m, name: name == "0")
    assert type(model[0].weight).__name__ == "Int8Tensor"
