"""What the page of symptoms says, provoked: for each entry, a call that ends in its message."""

from __future__ import annotations

import copy
import io
import platform
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.ao.quantization as old
from torch import Tensor, fx, nn
from torch.ao.nn import quantized
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx, prepare_qat_fx
from torch.func import functional_call, grad, vmap
from torchao.core.config import AOBaseConfig
from torchao.prototype.awq import AWQConfig
from torchao.prototype.mx_formats import (
    MXDynamicActivationMXWeightConfig,
    NVFP4DynamicActivationNVFP4WeightConfig,
)
from torchao.prototype.quantization.int4 import PrototypeInt4WeightOnlyConfig
from torchao.prototype.smoothquant import SmoothQuantConfig
from torchao.quantization import (
    Float8DynamicActivationFloat8WeightConfig,
    Float8WeightOnlyConfig,
    FqnToConfig,
    Int4WeightOnlyConfig,
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    IntxWeightOnlyConfig,
    PerGroup,
    quantize_,
)
from torchao.quantization.qat import QATConfig

from tests.attention import Attention
from tests.book.gemm import quantize_gemm

ROOT = Path(__file__).parents[2]
UNANNOUNCED = pytest.mark.filterwarnings(
    *("ignore:.*:" + kind for kind in ("DeprecationWarning", "FutureWarning", "UserWarning"))
)
SEEN_ON_X86 = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="what other systems and processors do was not seen",
)
X = torch.zeros(2, 8)

IMAGE = torch.zeros(1, 2, 8, 8)
IMAGES = torch.linspace(-1, 1, 2 * 2 * 8 * 8).reshape(2, 2, 8, 8)
# As the engines x86, fbgemm and onednn have it, whatever this machine's is
PER_CHANNEL = old.get_default_qconfig("x86")


def linear() -> nn.Sequential:
    return nn.Sequential(nn.Linear(8, 4)).eval()


def static(
    *layers: nn.Module, x: torch.Tensor = X, qconfig: old.QConfig | None = None
) -> nn.Module:
    """Return the layers, quantized statically in eager mode, by default for the engine in use."""
    return made_static(nn.Sequential(*layers).eval(), x, qconfig)


def made_static(model: Any, x: torch.Tensor, qconfig: old.QConfig | None = None) -> Any:
    """Return a model, quantized statically in eager mode by what x has in it."""
    model.qconfig = qconfig or old.get_default_qconfig(torch.backends.quantized.engine)
    prepared = old.prepare(model)
    prepared(x)
    return old.convert(prepared)


def dynamic(model: nn.Module) -> nn.Module:
    return old.quantize_dynamic(model, {nn.Linear})


class Convolution(nn.Conv2d):
    """A convolution that `convert` does not exchange."""


def stayed_float(layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """Feed codes to a layer that has no qconfig, or whose class `convert` does not know."""
    if isinstance(layer, nn.Linear):
        layer.qconfig = None
    return static(old.QuantStub(), layer, x=x)(x)


def normed() -> nn.Module:
    """Return a layer with the weight that weight_norm made in a call."""
    with warnings.catch_warnings(action="ignore"):
        layer = nn.utils.weight_norm(nn.Linear(8, 4))
    layer(X)
    return nn.Sequential(layer)


def parametrized() -> nn.Module:
    return nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(8, 4)))


def attention_in_training() -> nn.Module:
    model = Attention().train()
    model.qconfig = old.get_default_qat_qconfig("x86")
    return model


def encoder_of_codes() -> torch.Tensor:
    x = torch.ones(1, 3, 8)
    layers = old.QuantStub(), nn.TransformerEncoderLayer(8, 2, batch_first=True)
    with torch.no_grad():
        return static(*layers, x=x)(x)


def smoothed(*, shortcut: bool) -> nn.Module:
    """Return an encoder whose linear layers SmoothQuant has calibrated under no_grad."""
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False).eval()
    base = Int8DynamicActivationInt8WeightConfig()
    with fastpath(enabled=shortcut):
        quantize_(model, SmoothQuantConfig(base, step="prepare"), is_linear)
        with torch.no_grad():
            model(torch.ones(1, 3, 8))
        quantize_(model, SmoothQuantConfig(base, step="convert"), is_linear)
    return model


@contextmanager
def fastpath(*, enabled: bool) -> Iterator[None]:
    """Let encoders take the shortcut past their layers or not, inside this block."""
    torch.backends.mha.set_fastpath_enabled(enabled)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(True)


def is_linear(module: nn.Module, name: str) -> bool:
    return isinstance(module, nn.Linear) and not name.endswith("out_proj")


def without_rows() -> torch.Tensor:
    """Hand no rows to a dynamic layer."""
    model = linear()
    quantize_(model, Int8DynamicActivationInt8WeightConfig())
    return model(X[:0])


def four_bits() -> nn.Module:
    """Return a layer with packed weights of four bits, for a processor."""
    model = nn.Sequential(nn.Linear(64, 32)).bfloat16()
    quantize_(model, PrototypeInt4WeightOnlyConfig(group_size=32))
    return model


def cast_afterwards(config: AOBaseConfig) -> torch.Tensor:
    return weight_only(config).bfloat16()(X.bfloat16())


def joined(config: type[AOBaseConfig], *shapes: tuple[int, ...]) -> None:
    """Calibrate a layer with batches of these shapes."""
    model, base = linear(), Int8DynamicActivationInt8WeightConfig()
    quantize_(model, config(base, step="prepare"))
    for shape in shapes:
        model(torch.ones(shape))
    quantize_(model, config(base, step="convert"))


def into_onnx(model: nn.Module, x: torch.Tensor = X, **options: object) -> bytes:
    """Return the file that the older exporter writes; its tracer warns of each scale."""
    file = io.BytesIO()
    with warnings.catch_warnings(action="ignore"):
        torch.onnx.export(model, (x,), file, dynamo=False, opset_version=17, **options)
    return file.getvalue()


def with_one_row(file: bytes) -> torch.Tensor:
    """Return what ONNX Runtime makes of one row of X."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # it writes the error to the terminal, too
    session = onnxruntime.InferenceSession(file, options)
    name = session.get_inputs()[0].name
    return torch.from_numpy(session.run(None, {name: X[:1].numpy()})[0])


def traced(model: nn.Module) -> io.BytesIO:
    """Return the file that torch.jit.save writes of a model for images."""
    file = io.BytesIO()
    with warnings.catch_warnings(action="ignore"):
        torch.jit.save(torch.jit.trace(model, IMAGE), file)
    file.seek(0)
    return file


def weight_only(config: AOBaseConfig | None = None) -> nn.Module:
    model = linear()
    quantize_(model, config or Int8WeightOnlyConfig())
    return model


def anything(module: nn.Module, name: str) -> bool:
    return True


def limited_table(config: AOBaseConfig) -> nn.Module:
    """Return a quantized table of rows that are to be no longer than 1."""
    model = nn.Sequential(nn.Embedding(50, 32, max_norm=1.0)).requires_grad_(False)
    quantize_(model, config, lambda layer, _: isinstance(layer, nn.Embedding))
    return model


def chosen_convolution() -> nn.Module:
    model = nn.Sequential(nn.Conv2d(2, 2, 3))
    quantize_(model, Int8WeightOnlyConfig(), filter_fn=lambda m, _: isinstance(m, nn.Conv2d))
    return model


def for_training(config: AOBaseConfig) -> None:
    quantize_(linear(), QATConfig(config, step="prepare"))


class Skip(nn.Module):
    """A skip connection, and a branch on what comes in."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x) + x


class Twice(nn.Module):
    """A block that calls one activation module twice, as ResNet's do."""

    def __init__(self, padding: str | int = 1) -> None:
        super().__init__()
        self.first = nn.Conv2d(2, 2, 3, padding=padding)
        self.second = nn.Conv2d(2, 2, 3, padding=padding)
        self.relu = nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.relu(self.second(self.relu(self.first(x))))


def prepared(
    graph: object, *functions: Callable[..., object], is_dynamic: bool = False
) -> nn.Module:
    """Return what PT2E's quantizer for x86 makes of an exported model, and of these functions."""
    from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86  # which warns

    config = x86.get_default_x86_inductor_quantization_config(is_dynamic=is_dynamic)
    quantizer = x86.X86InductorQuantizer().set_global(config)
    for function in functions:
        quantizer.set_function_type_qconfig(function, config)
    return prepare_pt2e(graph, quantizer)


def for_x86(model: nn.Module, x: torch.Tensor = IMAGES, **options: bool) -> nn.Module:
    """Return the model prepared by PT2E for x86, with x as the example."""
    return prepared(torch.export.export(model.eval(), (x,), **options).module())


def calibrated(model: nn.Module, x: torch.Tensor, **options: bool) -> nn.Module:
    """Return the prepared graph of a model that has seen x."""
    graph = for_x86(model, x, **options)
    graph(x)
    return graph


def prepared_for_training(model: nn.Module, x: torch.Tensor, *, is_qat: bool = True) -> nn.Module:
    """Return what PT2E's quantizer for x86 makes of a model that is to be trained."""
    from torchao.quantization.pt2e.quantize_pt2e import prepare_qat_pt2e
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86  # which warns

    config = x86.get_default_x86_inductor_quantization_config(is_qat=is_qat)
    quantizer = x86.X86InductorQuantizer().set_global(config)
    return prepare_qat_pt2e(torch.export.export(model, (x,)).module(), quantizer)


def prepared_for_training_by_fx(model: nn.Module, x: torch.Tensor) -> fx.GraphModule:
    """Return what FX makes of a model that is to be trained."""
    return prepare_qat_fx(model, old.get_default_qat_qconfig_mapping("x86"), (x,))


def converted_graph() -> nn.Module:
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e

    return convert_pt2e(calibrated(nn.Sequential(nn.Conv2d(2, 2, 3)), torch.zeros(2, 2, 8, 8)))


def with_quantizer(change: Callable[[object], object]) -> object:
    """Prepare a graph with what a change makes of a quantizer."""
    from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    quantizer: Any = change(x86.X86InductorQuantizer())
    return prepare_pt2e(exported(), quantizer)


def converted_float() -> nn.Module:
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e

    return convert_pt2e(exported())


class Branch(nn.Module):
    """A module whose way depends on the numbers."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x if x.sum() > 0 else -x


def exported() -> nn.Module:
    return torch.export.export(linear(), (X,)).module()


def read_by_dequantize() -> nn.Linear:
    """Return a float layer whose weight somebody looked at."""
    layer = nn.Linear(8, 4)
    layer.weight.dequantize()
    return layer


def gradients_of_examples(version: int) -> Tensor:
    """Return the gradient of each example alone, in QAT with observers off."""
    model = old.QuantWrapper(nn.Linear(8, 1)).train()
    model.qconfig = old.get_default_qat_qconfig("x86", version=version)
    prepared = old.prepare_qat(model)
    prepared(torch.ones(4, 8))
    prepared.apply(old.disable_observer)
    weights = {name: p.detach() for name, p in prepared.named_parameters()}
    state = dict(prepared.named_buffers())

    def loss(weights: dict[str, Tensor], x: Tensor) -> Tensor:
        return functional_call(prepared, (weights, state), (x[None],)).sum()

    found: dict[str, Tensor] = vmap(grad(loss), (None, 0))(weights, torch.ones(4, 8))
    return found["module.weight"]


def histogram_of_nan() -> None:
    old.HistogramObserver()(torch.tensor([float("nan"), 1.0]))


def multiply_blocks() -> None:
    model = nn.Sequential(nn.Linear(64, 32)).bfloat16()
    quantize_(model, MXDynamicActivationMXWeightConfig())
    model(torch.zeros(2, 64, dtype=torch.bfloat16))


def compile_without_a_compiler() -> None:
    import torch._inductor.config as inductor

    with inductor.patch({"cpp.cxx": (None, "no-such-compiler"), "fx_graph_cache": False}):
        torch.compile(nn.Softplus())(X)


class Functional(nn.Module):
    """A convolution that was written as a function, with a word in place of all arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.kernel = nn.Parameter(torch.ones(2, 2, 3, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.conv2d(x, self.kernel, None, padding=1)


def observed_by_fx(
    model: nn.Module, x: torch.Tensor, *, in_float: Callable[..., object] | None = None
) -> fx.GraphModule:
    """Return what FX prepares of a copy that has seen x; one class or function stays in float."""
    mapping = old.get_default_qconfig_mapping("x86")
    if in_float is not None:
        mapping = mapping.set_object_type(in_float, None)
    prepared = prepare_fx(copy.deepcopy(model).eval(), mapping, (x,))
    prepared(x)
    return prepared


def functional_by_fx() -> torch.Tensor:
    return convert_fx(observed_by_fx(Functional(), IMAGES))(IMAGES)


def awq_on_intx() -> None:
    """Let AWQ scale a weight whose class cannot be scaled before its inputs."""
    base = IntxWeightOnlyConfig(torch.int4, PerGroup(32))
    model = nn.Sequential(nn.Linear(32, 4)).eval()
    quantize_(model, AWQConfig(base, step="prepare"))
    model(torch.ones(4, 32))
    quantize_(model, AWQConfig(base, step="convert"))


PROVOKED: dict[str, Callable[[], object]] = {
    "quantized-linear": lambda: static(nn.Linear(8, 4))(X),
    "quantized-cpu": lambda: static(old.QuantStub(), Skip())(X),
    "fusion": lambda: old.fuse_modules(
        nn.Sequential(nn.Conv2d(1, 1, 3), nn.BatchNorm2d(1)).train(), [["0", "1"]]
    ),
    "fuser": lambda: old.fuse_modules(
        nn.Sequential(nn.Conv2d(1, 1, 3), nn.BatchNorm2d(1), nn.ReLU6()).eval(), [["0", "1", "2"]]
    ),
    "control-flow": lambda: prepare_fx(Branch().eval(), old.get_default_qconfig_mapping(), (X,)),
    "method": lambda: dynamic(nn.TransformerEncoderLayer(8, 2, batch_first=True).eval())(
        torch.zeros(1, 3, 8)
    ),
    "no-rows": lambda: without_rows(),
    "embedding": lambda: old.quantize_dynamic(nn.Sequential(nn.Embedding(9, 8)), {nn.Embedding}),
    "transposed": lambda: static(nn.ConvTranspose2d(2, 2, 3), x=IMAGE, qconfig=PER_CHANNEL),
    "deepcopy": lambda: dynamic(normed()),
    "attention": lambda: old.prepare_qat(attention_in_training()),
    "gru": lambda: static(nn.GRU(8, 8)),
    "onnx": lambda: into_onnx(dynamic(linear())),
    "onnx-rows": lambda: with_one_row(into_onnx(linear())),
    "numpy": lambda: torch.quantize_per_tensor(X, 0.1, 0, torch.quint8).numpy(),
    "histc": histogram_of_nan,
    "old-names": lambda: exec("from torchao.quantization import int8_weight_only"),
    "moved": lambda: exec("import torch.ao.quantization.quantize_pt2e"),
    "capture": lambda: exec("from torch._export import capture_pre_autograd_graph"),
    "callable": lambda: quantize_(linear(), Int8WeightOnlyConfig),  # type: ignore[arg-type]
    "mslk": lambda: quantize_(nn.Linear(128, 8).bfloat16(), Int4WeightOnlyConfig(group_size=32)),
    "int32": lambda: quantize_(
        nn.Linear(128, 8).bfloat16(),
        Int4WeightOnlyConfig(group_size=32, int4_packing_format="plain_int32"),
    ),
    "tile": lambda: quantize_(
        nn.Linear(128, 8),
        Int4WeightOnlyConfig(group_size=32, int4_packing_format="tile_packed_to_4d"),
    ),
    "sixteen": lambda: quantize_(
        nn.Linear(128, 8).bfloat16(), PrototypeInt4WeightOnlyConfig(group_size=32)
    ),
    "float8": lambda: quantize_(linear(), Float8DynamicActivationFloat8WeightConfig()),
    "nvfp4": lambda: quantize_(nn.Linear(64, 32), NVFP4DynamicActivationNVFP4WeightConfig()),
    "mx": multiply_blocks,
    "float8-add": lambda: X.to(torch.float8_e4m3fn) + X.to(torch.float8_e4m3fn),
    "group": lambda: quantize_(
        linear(), IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(32))
    ),
    "partition": lambda: for_x86(Twice()),
    "same": lambda: for_x86(nn.Sequential(nn.Conv2d(2, 2, 3, padding="same"))),
    "exported-eval": lambda: exported().eval(),
    "guard": lambda: exported()(torch.zeros(5, 8)),
    "smooth": lambda: smoothed(shortcut=True),
    "sizes": lambda: joined(SmoothQuantConfig, (2, 3, 8), (2, 5, 8)),
    "compiler": compile_without_a_compiler,
    "dtype": lambda: dynamic(linear())(X.double()),
    "cast": lambda: cast_afterwards(Float8WeightOnlyConfig()),
    "zero-point": lambda: torch.fake_quantize_per_channel_affine(
        X, torch.ones(2), torch.tensor([0, 0]), 0, -128, 127
    ),
    "grad": lambda: dynamic(linear())(X).sum().backward(),
    "codes": lambda: nn.Parameter(torch.ones(2, 2, dtype=torch.int8)),
    "cholesky": lambda: torch.linalg.cholesky(torch.ones(2, 2)),
    "keys": lambda: linear().load_state_dict(static(nn.Linear(8, 4)).state_dict()),
    "assign": lambda: linear().load_state_dict(weight_only().state_dict()),
    "promote": lambda: codes() + X,
    "dispatch": lambda: quantize_(weight_only(), Int8WeightOnlyConfig()),
    "parameter": lambda: quantize_(nn.LSTM(8, 8), Int8WeightOnlyConfig(), filter_fn=anything),
    "base-config": lambda: for_training(Int8WeightOnlyConfig()),
    "meta": lambda: prepared(torch.export.export(linear(), (X,))),
    "storage": lambda: weight_only()[0].weight.untyped_storage().data_ptr(),
    "partial": lambda: torch.save(weight_only(), io.BytesIO()),
    "torchscript": lambda: torch.load(traced(static(old.QuantStub(), nn.Conv2d(2, 2, 3), x=IMAGE))),
    "inferred": quantize_gemm,
    "prepack": functional_by_fx,
}
WARNED: dict[str, Callable[[], object]] = {
    "deprecated": lambda: dynamic(linear()),
    "no-data": lambda: old.MinMaxObserver().calculate_qparams(),
    "no-qconfig": lambda: old.prepare(linear()),
}


class Square(nn.Module):
    """A product of the input with itself."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * x


ALSO: list[tuple[str, Callable[[], object], str]] = [
    (
        "quantized-linear",
        lambda: static(nn.Conv2d(2, 2, 3), x=IMAGE)(IMAGE),
        "quantized::conv2d.new",
    ),
    (
        "quantized-cpu",
        lambda: stayed_float(Convolution(2, 2, 3, bias=False), IMAGE),
        "aten::_slow_conv2d_forward",
    ),
    (
        "quantized-cpu",
        lambda: stayed_float(Convolution(2, 2, 3), IMAGE),
        "Input type (c10::quint8) and bias type (float) should be the same",
    ),
    (
        "quantized-cpu",
        lambda: stayed_float(nn.Linear(8, 4, bias=False), X),
        "aten::mm.out",
    ),
    (
        "quantized-cpu",
        lambda: stayed_float(nn.Linear(8, 4), X),
        "mat1 and mat2 must have the same dtype, but got QUInt8 and Float",
    ),
    (
        "transposed",
        lambda: static(nn.PReLU(), qconfig=PER_CHANNEL),
        "Dimension out of range",
    ),
    (
        "dispatch",
        lambda: limited_table(Int8WeightOnlyConfig())(torch.arange(4)),
        "aten.embedding_renorm_",
    ),
    (
        "grad",
        lambda: gradients_of_examples(1),
        "Batching rule not implemented for aten::_fused_moving_avg_obs_fq_helper",
    ),
    (
        "grad",
        lambda: read_by_dequantize()(X).sum().backward(),
        "derivative for dequantize is not implemented",
    ),
    (
        "grad",
        lambda: torch.optim.SGD(read_by_dequantize().parameters()),
        "can't optimize a non-leaf Tensor",
    ),
    (
        "transposed",
        lambda: quantized.ConvTranspose2d(2, 2, 3)(IMAGE, output_size=[8, 8]),
        "got an unexpected keyword argument 'output_size'",
    ),
    (
        "deepcopy",
        lambda: quantize_(parametrized(), Int8WeightOnlyConfig()),
        "attribute 'weight' already exists",
    ),
    (
        "callable",
        lambda: quantize_(linear(), "int8"),  # type: ignore[arg-type]
        "Passing a generic Callable to quantize_",
    ),
    (
        "callable",
        lambda: quantize_(linear(), Int8WeightOnlyConfig())(X),  # type: ignore[func-returns-value]
        "'NoneType' object is not callable",
    ),
    (
        "callable",
        lambda: quantize_(linear(), Int8WeightOnlyConfig(), lambda layer: True),  # type: ignore[misc, arg-type]
        "takes 1 positional argument but 2 were given",
    ),
    ("meta", lambda: with_quantizer(type), "transform_for_annotation"),
    ("meta", lambda: with_quantizer(lambda _: Int8WeightOnlyConfig()), "transform_for_annotation"),
    ("meta", converted_float, "incoming model must be produced by prepare_fx"),
    (
        "meta",
        lambda: prepared(
            for_x86(nn.Sequential(nn.Conv2d(2, 4, 3), nn.Flatten(), nn.Linear(144, 4)))
        ),
        "activation_post_process",
    ),
    (
        "dtype",
        lambda: converted_graph()(torch.zeros(2, 2, 8, 8).double()),
        "Expecting input to have dtype torch.float32",
    ),
    ("keys", lambda: torch.export.export(dynamic(linear()), (X,)), "__obj_flatten__"),
    ("quantized-cpu", lambda: Square()(codes()), "aten::mul.out"),
    (
        "control-flow",
        lambda: torch.export.export(Branch(), (X,)),
        "Could not guard on data-dependent expression Eq(u0, 1)",
    ),
    (
        "promote",
        lambda: codes().float(),
        "Creation of quantized tensor requires quantized dtype like torch.quint8",
    ),
    ("promote", lambda: codes() * 2, "empty_strided not supported on quantized tensors yet"),
    ("promote", lambda: X.to(torch.qint8), "empty_strided not supported on quantized tensors yet"),
    *(
        ("old-names", lambda line=line: exec(line), name)
        for name, line in {
            "Int8DynamicActivationInt4WeightConfig": (
                "from torchao.quantization import Int8DynamicActivationInt4WeightConfig"
            ),
            "autoquant": "import torchao; torchao.autoquant",
            "to_nf4": "from torchao.dtypes import to_nf4",
        }.items()
    ),
    ("old-names", lambda: Int4WeightOnlyConfig(layout=None), "layout"),
    ("smooth", awq_on_intx, "weight must support activation scaling"),
    ("old-names", lambda: Int4WeightOnlyConfig(use_hqq=True), "use_hqq"),
    (
        "old-names",
        lambda: quantize_(linear(), Int8WeightOnlyConfig(group_size=32)),
        "Only support version 2 with group_size=None, got 32",
    ),
    (
        "old-names",
        lambda: quantize_(linear(), Int8WeightOnlyConfig(version=1)),
        "version 1 of Int8WeightOnlyConfig has been removed",
    ),
    (
        "moved",
        lambda: exec("import torch.ao.quantization.quantizer"),
        "No module named 'torch.ao.quantization.quantizer'",
    ),
    (
        "capture",
        lambda: exec("from torch.export import export_for_training"),
        "export_for_training",
    ),
    (
        "sizes",
        lambda: joined(AWQConfig, (3, 2, 8), (2, 2, 8)),
        "Sizes of tensors must match except in dimension",
    ),
    ("smooth", lambda: joined(AWQConfig), "torch.cat(): expected a non-empty list of Tensors"),
    (
        "same",
        lambda: for_x86(nn.Sequential(nn.Conv2d(2, 2, 3, padding="valid"))),
        "conv2d is not an aten conv2d operator",
    ),
    ("meta", lambda: prepared(linear()), "'Sequential' object has no attribute 'meta'"),
    (
        "dispatch",
        lambda: quantize_(weight_only(Float8WeightOnlyConfig()), Float8WeightOnlyConfig()),
        "aten.abs",
    ),
    ("dispatch", lambda: chosen_convolution()(IMAGE), "aten.convolution"),
    ("dispatch", lambda: weight_only()[0].weight.T, "aten.permute"),
    ("dispatch", lambda: weight_only()[0].weight.sum(), "aten.sum"),
    ("dispatch", lambda: weight_only().to_empty(device="cpu"), "aten.empty_like"),
    ("dispatch", lambda: quantize_(weight_only(), Int8WeightOnlyConfig()), "aten.view"),
    (
        "parameter",
        lambda: quantize_(
            nn.Sequential(linear()), FqnToConfig({"0": Int8WeightOnlyConfig()}), filter_fn=None
        ),
        "requires module to have {parameter_name} attribute",
    ),
    (
        "base-config",
        lambda: for_training(Int8DynamicActivationInt8WeightConfig()),
        "Unexpected base config",
    ),
    (
        "base-config",
        lambda: for_training(Float8WeightOnlyConfig()),
        "Unexpected base config",
    ),
    (
        "assign",
        lambda: weight_only().load_state_dict(linear().state_dict()),
        "'Tensor' object has no attribute 'qdata'",
    ),
    (
        "partial",
        lambda: torch.save(converted_graph(), io.BytesIO()),
        "Can't pickle local object 'wrap_dunder_call_ctx_manager.<locals>.inner'",
    ),
    ("quantized-cpu", lambda: nn.functional.softplus(codes()), "aten::softplus.out"),
    (
        "fusion",
        lambda: static(old.QuantStub(), nn.Linear(8, 4), nn.BatchNorm1d(4))(X),
        "aten::native_batch_norm",
    ),
    (
        "fuser",
        lambda: old.fuse_modules(
            nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4), nn.ReLU()).eval(), [["0", "1", "2"]]
        ),
        "did not find fuser method for",
    ),
    (
        "onnx",
        lambda: into_onnx(in_training(old.get_default_qat_qconfig("x86"))),
        "aten::fused_moving_avg_obs_fake_quant",
    ),
    *(
        ("old-names", lambda line=line: exec(line), name)
        for name, line in {
            "UIntXWeightOnlyConfig": "from torchao.quantization import UIntXWeightOnlyConfig",
            "GemliteUIntXWeightOnlyConfig": (
                "from torchao.quantization import GemliteUIntXWeightOnlyConfig"
            ),
            "FPXWeightOnlyConfig": "from torchao.quantization import FPXWeightOnlyConfig",
            "torchao.quantization.GPTQ": "import torchao.quantization.GPTQ",
            "Int4CPULayout": "from torchao.dtypes import Int4CPULayout",
        }.items()
    ),
    (
        "moved",
        lambda: exec("from torch.ao.quantization import move_exported_model_to_eval"),
        "move_exported_model_to_eval",
    ),
    ("dispatch", lambda: four_bits()[0].weight.dequantize(), "Int4OpaqueTensor dispatch"),
    (
        "parameter",
        lambda: quantize_(
            nn.Sequential(linear()),
            FqnToConfig({"re:.*": Int8WeightOnlyConfig()}),
            filter_fn=None,
        ),
        "requires module to have {parameter_name} attribute",
    ),
    (
        "base-config",
        lambda: for_training(PrototypeInt4WeightOnlyConfig(group_size=32)),
        "Unexpected base config",
    ),
    (
        "dtype",
        lambda: four_bits()(torch.zeros(2, 64)),
        "found BFloat16",
    ),
    (
        "cast",
        lambda: cast_afterwards(IntxWeightOnlyConfig(torch.int8, PerGroup(8))),
        "self and mat2 must have the same dtype",
    ),
    (
        "grad",
        lambda: four_bits()(torch.zeros(2, 64).bfloat16().requires_grad_()).sum().backward(),
        "derivative for aten::_weight_int4pack_mm_for_cpu is not implemented",
    ),
    (
        "kernels",
        encoder_of_codes,
        "'MultiheadAttention' object has no attribute 'in_proj_bias'",
    ),
    (
        "fusion",
        lambda: old.fuse_modules_qat(frozen_norm(), [["0", "1"]]),
        "Conv and BN both must be in the same mode",
    ),
    (
        "fusion",
        lambda: old.prepare_qat(linear()),
        "prepare_qat only works on models in training mode",
    ),
    ("method", lambda: dynamic(linear())[0].weight.shape, "has no attribute 'shape'"),
    ("method", lambda: dynamic(linear())[0].weight.dtype, "'dtype'"),
    ("method", lambda: static(nn.Linear(8, 4))[0].weight.is_cuda, "'is_cuda'"),
    (
        "dtype",
        lambda: torch.quantize_per_tensor(X.double(), 0.1, 0, torch.quint8),
        "Quantize only works on Float Tensor, got Double",
    ),
    ("keys", lambda: dynamic(linear()).load_state_dict(linear().state_dict()), "'0.scale'"),
    (
        "keys",
        lambda: linear().load_state_dict(static(nn.Linear(8, 4)).state_dict()),
        "Missing key(s)",
    ),
    (
        "keys",
        lambda: linear().load_state_dict(static(nn.Linear(8, 4)).state_dict()),
        "_packed_params",
    ),
]


def frozen_norm() -> nn.Module:
    """Return a model in training whose batch norm is in evaluation mode."""
    model = nn.Sequential(nn.Conv2d(1, 1, 3), nn.BatchNorm2d(1)).train()
    model[1].eval()
    return model


def in_training(qconfig: old.QConfig) -> nn.Module:
    """Return a linear layer that has been trained with this QConfig."""
    model = nn.Sequential(old.QuantStub(), nn.Linear(8, 4)).train()
    model.qconfig = qconfig
    prepared = old.prepare_qat(model)
    prepared(X)
    return prepared.eval()


def codes() -> torch.Tensor:
    return torch.quantize_per_tensor(X, 0.1, 0, torch.quint8)
