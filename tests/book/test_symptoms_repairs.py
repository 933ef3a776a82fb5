"""The page of symptoms: what is said on a cause, and each repair that can be tried here, works."""

from __future__ import annotations

import copy
import io
import platform
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import torch.ao.quantization as old
import torchao.quantization.pt2e as pt2e
from torch import nn
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx
from torchao.core.config import AOBaseConfig
from torchao.prototype.quantization.int4 import PrototypeInt4WeightOnlyConfig
from torchao.quantization import (
    Float8DynamicActivationFloat8WeightConfig,
    Float8WeightOnlyConfig,
    FqnToConfig,
    Int4WeightOnlyConfig,
    Int8DynamicActivationInt8WeightConfig,
    Int8DynamicActivationIntxWeightConfig,
    Int8WeightOnlyConfig,
    IntxWeightOnlyConfig,
    PerAxis,
    PerGroup,
    PerRow,
    quantize_,
)
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e
from torchao.quantization.qat import QATConfig

from qlearn import sqnr
from qlearn.course.static_graph import static_graph
from tests.book.provoked import (
    IMAGE,
    PER_CHANNEL,
    UNANNOUNCED,
    attention_in_training,
    converted_graph,
    dynamic,
    in_training,
    into_onnx,
    linear,
    normed,
    parametrized,
    prepared,
    smoothed,
    static,
    traced,
    weight_only,
)

COMPILED_ON_LINUX_X86 = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64") or not shutil.which("g++"),
    reason="it needs a compiler, and what those for other processors make was not seen",
)
X = torch.linspace(-1, 1, 16).view(2, 8)

pytestmark = UNANNOUNCED


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


class Attention(nn.Module):
    """An attention of a tensor to itself, with a bias for keys and one for values."""

    def __init__(self) -> None:
        super().__init__()
        self.of = nn.MultiheadAttention(8, 2, add_bias_kv=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.of(x, x, x, need_weights=False)[0]


def behind_a_layer(kind: Callable[[], nn.Module], seed: int, size: float) -> nn.Module:
    """Return a linear layer, what may lack numbers in its file, and stubs around them."""
    torch.manual_seed(seed)
    layers = [old.QuantStub(), nn.Linear(8, 8), kind(), old.DeQuantStub()]
    for layer in layers:
        of_x86 = old.get_default_qconfig("x86")
        is_slope = isinstance(layer, nn.PReLU)  # which has one scale
        layer.qconfig = old.QConfig(of_x86.activation, SLOPES) if is_slope else of_x86
    prepared = old.prepare(nn.Sequential(*layers).eval())
    prepared(size * torch.randn(4, 3, 8))
    return old.convert(prepared)


SLOPES = old.FixedQParamsObserver.with_args(
    scale=1 / 255, zero_point=0, dtype=torch.quint8, quant_min=0, quant_max=255
)


@pytest.mark.parametrize(
    ("kind", "place", "lacking"),
    [
        (nn.ELU, "2", ["scale", "zero_point"]),
        (nn.PReLU, "2", ["scale", "zero_point", "weight"]),
        (Attention, "2.of", ["bias_k", "bias_v"]),
    ],
)
def test_some_numbers_are_not_in_the_file(
    kind: Callable[[], nn.Module], place: str, lacking: list[str]
) -> None:
    saved, other = behind_a_layer(kind, 0, 9.0), behind_a_layer(kind, 1, 0.1)
    other.load_state_dict(saved.state_dict())
    x = 9 * torch.randn(4, 3, 8)
    assert not torch.equal(saved(x), other(x))
    for name in lacking:
        setattr(other.get_submodule(place), name, getattr(saved.get_submodule(place), name))
    assert torch.equal(saved(x), other(x))


def test_a_trace_stores_a_model_whole() -> None:
    model = static(old.QuantStub(), nn.Conv2d(2, 2, 3), x=IMAGE)
    loaded = torch.jit.load(traced(model))
    assert torch.equal(loaded(IMAGE).int_repr(), model(IMAGE).int_repr())


def test_a_trace_gives_its_codes() -> None:
    model = static(old.QuantStub(), nn.Conv2d(2, 2, 3), nn.Flatten(), nn.Linear(72, 4), x=IMAGE)
    loaded = torch.jit.load(traced(model))
    packed = [m._packed_params for m in loaded.modules() if hasattr(m, "_packed_params")]
    weights = [one.unpack()[0] for one in packed if isinstance(one, torch.ScriptObject)]
    kept = [model[1].weight(), model[3].weight()]
    for weight, other in zip(weights, kept, strict=True):
        assert torch.equal(weight.int_repr(), other.int_repr())


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


@pytest.mark.parametrize(("smallest", "wrong"), [(None, True), (1e-12, False)])
def test_an_input_row_of_zeros_is_nan_in_float8_unless_it_has_a_smallest_number(
    smallest: float | None, wrong: bool
) -> None:
    """Trained for it, as the kernel itself needs a card."""
    model, config = (
        linear(),
        Float8DynamicActivationFloat8WeightConfig(
            granularity=PerRow(), activation_value_lb=smallest
        ),
    )
    quantize_(model, QATConfig(config, step="prepare"))
    rows = model(X * torch.tensor([[1.0], [0.0]])).isnan().any(1)
    assert rows.tolist() == [False, wrong]


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


CONFIGS = {
    "int8": Int8WeightOnlyConfig(),
    "dynamic": Int8DynamicActivationInt8WeightConfig(),
    "intx": IntxWeightOnlyConfig(torch.int4, PerGroup(8)),
    "float8": Float8WeightOnlyConfig(),
}
EACH = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)


@EACH
def test_a_filter_keeps_a_layer_from_being_quantized_twice(config: AOBaseConfig) -> None:
    model = weight_only(config)
    y = model(X)
    quantize_(
        model,
        config,
        filter_fn=lambda m, name: type(m) is nn.Linear and type(m.weight) is nn.Parameter,
    )
    assert torch.equal(model(X), y)


@EACH
def test_a_model_on_meta_takes_quantized_weights(config: AOBaseConfig) -> None:
    model = weight_only(config)
    with torch.device("meta"):
        empty = linear()
    empty.load_state_dict(model.state_dict(), assign=True)
    assert torch.equal(empty(X), model(X))


@EACH
def test_assigning_floats_makes_a_model_float_again(config: AOBaseConfig) -> None:
    model = weight_only(config)
    model.load_state_dict(linear().state_dict(), assign=True)
    assert type(model[0].weight) is nn.Parameter


@pytest.mark.parametrize(
    ("config", "passes"),
    [
        (CONFIGS["int8"], True),
        (CONFIGS["intx"], True),
        (CONFIGS["dynamic"], False),
        (Int8DynamicActivationIntxWeightConfig(torch.int4, PerGroup(8)), False),
    ],
    ids=["int8", "intx", "dynamic int8", "dynamic intx"],
)
def test_dynamic_layers_pass_no_gradient_back(config: AOBaseConfig, passes: bool) -> None:
    x = X.clone().requires_grad_()
    weight_only(config)(x).sum().backward()
    assert (x.grad is not None) is passes


def test_layers_get_settings_by_their_names() -> None:
    eight, four = CONFIGS["int8"], CONFIGS["intx"]
    model = nn.ModuleDict({"body": nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8))})
    model["head"] = nn.Linear(8, 4)
    settings = FqnToConfig({"head": eight, "body.0": None, r"re:body\.\d+": four})
    with warnings.catch_warnings(action="error"):
        quantize_(model, settings, filter_fn=None)
    kinds = [type(layer.weight).__name__ for layer in (model["head"], *model["body"])]
    assert kinds == ["Int8Tensor", "Parameter", "IntxUnpackedToInt8Tensor"]
    quantize_(model, FqnToConfig({"no such layer": eight}), filter_fn=None)


@pytest.mark.parametrize("layer", ["intx", "dynamic"])
def test_qat_takes_the_intx_configs(layer: str) -> None:
    dynamic = Int8DynamicActivationIntxWeightConfig(torch.int4, PerGroup(8))
    config, model = {"intx": CONFIGS["intx"], "dynamic": dynamic}[layer], linear()
    quantize_(model, QATConfig(config, step="prepare"))
    model(X).sum().backward()
    quantize_(model, QATConfig(config, step="convert"))
    assert type(model[0].weight).__name__ == "IntxUnpackedToInt8Tensor"


@pytest.mark.parametrize("model", [weight_only, converted_graph], ids=["torchao", "PT2E"])
def test_a_whole_model_is_stored_by_export(model: Callable[[], nn.Module]) -> None:
    saved, file = model(), io.BytesIO()
    x = X if isinstance(saved, nn.Sequential) else torch.ones(2, 2, 8, 8)
    torch.export.save(torch.export.export(saved, (x,)), file)
    file.seek(0)
    assert torch.equal(torch.export.load(file).module()(x), saved(x))


def finite(config: AOBaseConfig, dtype: torch.dtype) -> bool:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(256, 64)).to(dtype)
    x = torch.randint(0, 256, (16, 256)).to(dtype)
    assert model(x).isfinite().all()
    quantize_(model, config)
    assert model[0].weight.dequantize().isfinite().all()
    return bool(model(x).isfinite().all())


@pytest.mark.parametrize("name", ["int8", "dynamic"])
def test_int8_layers_overflow_in_float16(name: str) -> None:
    assert not finite(CONFIGS[name], torch.float16)
    assert finite(CONFIGS[name], torch.bfloat16)
    assert finite(IntxWeightOnlyConfig(torch.int8, PerAxis(0)), torch.float16)


def test_the_older_exporter_writes_weights_of_torchaos_as_floats() -> None:
    model, floats = nn.Sequential(nn.Linear(256, 256)).eval(), 4 * 256 * 256
    x = torch.zeros(1, 256)
    quantize_(model, Int8WeightOnlyConfig())
    assert len(into_onnx(model, x)) > floats


def test_a_weight_packed_in_four_bits_gives_its_numbers_by_a_product() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 32)).bfloat16()
    weight = model[0].weight.detach().clone()
    quantize_(model, PrototypeInt4WeightOnlyConfig(group_size=32))
    numbers = nn.functional.linear(torch.eye(64, dtype=torch.bfloat16), model[0].weight).T
    assert (numbers - weight).abs().max() < 0.02 and numbers.shape == weight.shape


def test_nf4_has_moved() -> None:
    from torchao.quantization.quantize_.workflows.nf4.nf4_tensor import to_nf4

    assert to_nf4(torch.randn(64, 256)).shape == (64, 256)


def test_a_graph_may_be_moved_by_eval_and_train() -> None:
    graph = exported_norm()
    pt2e.allow_exported_model_train_eval(graph)
    graph.eval()
    assert numbers(graph) == [0.1, 1e-5, 0.5]


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_a_model_that_was_cast_first_runs(config: AOBaseConfig) -> None:
    model = linear().bfloat16()
    quantize_(model, config)
    assert model(X.bfloat16()).dtype == torch.bfloat16


def test_a_model_in_training_is_exported_with_plain_fake_quantization() -> None:
    of_inputs = old.FakeQuantize.with_args(
        observer=old.MovingAverageMinMaxObserver, quant_min=0, quant_max=255, dtype=torch.quint8
    )
    model = in_training(old.QConfig(of_inputs, old.default_weight_fake_quant))
    model.apply(old.disable_observer)
    file = into_onnx(model)
    assert b"QuantizeLinear" in file and b"DequantizeLinear" in file


def test_training_for_int4_needs_another_package_to_convert() -> None:
    model, config = nn.Sequential(nn.Linear(64, 32)).bfloat16(), Int4WeightOnlyConfig(group_size=32)
    quantize_(model, QATConfig(config, step="prepare"))
    with pytest.raises(ImportError, match="Requires mslk"):
        quantize_(copy.deepcopy(model), QATConfig(config, step="convert"))
    quantize_(model, QATConfig(step="convert"))
    assert type(model[0]) is nn.Linear and type(model[0].weight) is nn.Parameter


class Called(nn.Module):
    """A function, or what a recurrent layer puts out, as a module."""

    def __init__(self, call: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self.call = call

    def forward(self, *x: torch.Tensor) -> torch.Tensor:
        y = self.call(*x)
        return y[0] if isinstance(y, tuple) else y


LINE, ROWS = torch.ones(2, 4, 8), torch.ones(2, 5, 8)
REACHED = {
    "Conv2d": (nn.Conv2d(2, 2, 3), (IMAGE,), True),
    "Linear": (nn.Linear(8, 8), (ROWS,), True),
    "Conv1d with a ReLU": (nn.Sequential(nn.Conv1d(4, 4, 3), nn.ReLU()), (LINE,), True),
    "Conv1d": (nn.Conv1d(4, 4, 3), (LINE,), False),
    "Conv3d": (nn.Conv3d(4, 4, 3), (torch.ones(2, 4, 8, 8, 8),), False),
    "ConvTranspose2d": (nn.ConvTranspose2d(2, 2, 3), (IMAGE,), False),
    "LSTM": (Called(nn.LSTM(8, 8, batch_first=True)), (ROWS,), False),
    "GRU": (Called(nn.GRU(8, 8, batch_first=True)), (ROWS,), False),
    "matmul": (Called(torch.matmul), (ROWS, ROWS.mT), False),
    "attention": (
        Called(nn.functional.scaled_dot_product_attention),
        (ROWS, ROWS, ROWS),
        False,
    ),
}


def observers(graph: nn.Module) -> int:
    return sum("Observer" in type(part).__name__ for part in graph.modules())


@pytest.mark.parametrize(("layer", "x", "is_reached"), REACHED.values(), ids=REACHED)
def test_what_pt2e_reaches(layer: nn.Module, x: tuple[torch.Tensor, ...], is_reached: bool) -> None:
    graph = torch.export.export(layer.eval(), x).module()
    assert (observers(prepared(graph)) == 2) is is_reached


def test_pt2e_reaches_a_product_of_matrices_that_is_asked_for() -> None:
    graph = torch.export.export(Called(torch.matmul), (ROWS, ROWS.mT)).module()
    assert observers(prepared(graph, torch.matmul)) == 2


class SideBySide(nn.Module):
    """Models, each with an input of its own. To compile one of all takes as long as of one."""

    def __init__(self, *models: nn.Module) -> None:
        super().__init__()
        self.models = nn.ModuleList(models)

    def forward(self, *inputs: torch.Tensor) -> list[torch.Tensor]:
        return [model(x) for model, x in zip(self.models, inputs, strict=True)]


def packaged(
    model: nn.Module, inputs: list[torch.Tensor], shapes: list[dict[int, object]], folder: Path
) -> list[torch.Tensor]:
    """Return what a package makes of inputs that was compiled from the model, frozen."""
    with torch.no_grad():
        package = torch._inductor.aoti_compile_and_package(
            torch.export.export(model, tuple(inputs), dynamic_shapes={"inputs": tuple(shapes)}),
            package_path=str(folder / "model.pt2"),
            inductor_configs={"freezing": True},
        )
        return torch._inductor.aoti_load_package(package)(*inputs)


@COMPILED_ON_LINUX_X86
def test_a_package_with_one_input_channel_and_free_rows_is_wrong(tmp_path: Path) -> None:
    def graph_and_input(channels: int) -> tuple[nn.Module, torch.Tensor]:
        layers = nn.Conv2d(channels, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
        x = torch.randn(64, channels, 8, 8)
        return static_graph(nn.Sequential(*layers, nn.Linear(128, 10)).eval(), [x]), x

    graphs, inputs = zip(*map(graph_and_input, (1, 1, 2)), strict=True)
    free = {0: torch.export.Dim.AUTO}
    packed = packaged(SideBySide(*graphs), list(inputs), [{}, free, free], tmp_path)
    exact = [graph(x) for graph, x in zip(graphs, inputs, strict=True)]
    fixed_rows, free_rows, two_channels = map(sqnr, exact, packed)
    assert fixed_rows > 60
    assert free_rows < 10
    assert two_channels > 60


class Joined(nn.Module):
    """Two branches, of which the second is so many times as large, one behind the other."""

    def __init__(self, times: float) -> None:
        super().__init__()
        self.small, self.large = nn.Conv2d(3, 4, 1), nn.Conv2d(3, 4, 1)
        self.behind = nn.Conv2d(8, 8, 1, groups=2)
        with torch.no_grad():
            self.large.weight *= times
            self.large.bias *= times

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.behind(torch.cat([self.small(x), self.large(x)], 1))


def by_fx(model: nn.Module, x: torch.Tensor) -> nn.Module:
    mapping = old.get_default_qconfig_mapping(torch.backends.quantized.engine)
    seen = prepare_fx(model, mapping, (x,))
    seen(x)
    return convert_fx(seen)


@pytest.mark.parametrize(
    "quantized",
    [by_fx, lambda model, x: static_graph(model, [x])],
    ids=["FX", "PT2E"],
)
def test_the_larger_branch_of_a_cat_sets_the_scale(
    quantized: Callable[[nn.Module, torch.Tensor], nn.Module],
) -> None:
    torch.manual_seed(0)
    x = torch.randn(16, 3, 8, 8)
    for times, is_small_branch_right in ((1, True), (100, False)):
        model = Joined(times).eval()
        with torch.no_grad():
            y, back = model(x), quantized(copy.deepcopy(model), x)(x)
        small, large = (float(sqnr(y[:, at], back[:, at])) for at in (slice(4), slice(4, 8)))
        assert large > 25 and (small > 25 if is_small_branch_right else small < 15)


def test_a_layer_that_convert_does_not_see_keeps_its_fake_quantization() -> None:
    def chosen(module: nn.Module, name: str) -> bool:
        return isinstance(module, nn.Embedding)

    model = nn.Sequential(nn.Embedding(9, 64), nn.Linear(64, 8))
    config = IntxWeightOnlyConfig(torch.int4, PerGroup(32))
    quantize_(model, QATConfig(config, step="prepare"), filter_fn=chosen)
    quantize_(model, QATConfig(config, step="convert"))
    assert type(model[0]).__name__ == "FakeQuantizedEmbedding"
    quantize_(model, QATConfig(config, step="convert"), filter_fn=chosen)
    assert type(model[0].weight).__name__ == "IntxUnpackedToInt8Tensor"


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_config_switches_settings_of_the_compiler_on(is_kept: bool) -> None:
    import torch._inductor.config as inductor

    names = ("coordinate_descent_tuning", "force_fuse_int_mm_with_mul")
    off = dict.fromkeys((*names, "coordinate_descent_check_all_directions"), False)
    with inductor.patch(off):
        quantize_(linear(), Int8WeightOnlyConfig(set_inductor_config=not is_kept))
        assert {name: getattr(inductor, name) for name in off} == dict.fromkeys(off, not is_kept)


def test_a_loud_channel_behind_a_norm_goes_into_the_next_weight() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.LayerNorm(16), nn.Linear(16, 8)).eval()
    with torch.no_grad():
        model[0].weight[3] = 2000
        model[1].weight[:, 3] /= 2000
    x = torch.randn(64, 16)
    peaks = model[0](x).abs().flatten(0, -2).amax(0)
    assert peaks.max() / peaks.median() > 500
    assert sqnr(model(x), by_fx(copy.deepcopy(model), x)(x)) < 10
    mended = copy.deepcopy(model)
    with torch.no_grad():
        mended[0].weight[3] /= 2000
        mended[0].bias[3] /= 2000
        mended[1].weight[:, 3] *= 2000
    assert sqnr(model(x), mended(x)) > 100
    assert sqnr(model(x), by_fx(mended, x)(x)) > 25


def test_quantize_dynamic_takes_an_lstm_unless_only_linear_layers_are_named() -> None:
    model = nn.Sequential(nn.LSTM(8, 8))
    assert isinstance(old.quantize_dynamic(model, {nn.Linear})[0], nn.LSTM)
    assert not isinstance(old.quantize_dynamic(model)[0], nn.LSTM)


def test_a_dynamic_graph_needs_one_call_for_its_weights() -> None:
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(8, 4)).eval(), torch.randn(16, 8)
    for calls, bounds in ((0, (-100, 5)), (1, (30, 100))):
        graph = prepared(torch.export.export(model, (x,)).module(), is_dynamic=True)
        for _ in range(calls):
            graph(x)
        low, high = bounds
        assert low < sqnr(model(x), convert_pt2e(graph)(x)) < high


def test_no_grad_inside_a_model_stops_the_quantizer_for_x86() -> None:
    with pytest.raises(ValueError, match="getitem is not an aten linear operator"):
        prepared(torch.export.export(Guarded().eval(), (torch.ones(2, 8),)).module())
    with torch.no_grad():
        program = torch.export.export(Guarded().eval(), (torch.ones(2, 8),))
    assert isinstance(prepared(program.module()), torch.fx.GraphModule)


class Guarded(nn.Module):
    """Switches gradients off by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 4)

    @torch.no_grad()
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)
