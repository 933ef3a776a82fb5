"""The page of symptoms: each message is what torch or torchao says here, word for word.

Those of two other machines, one without an engine and one with a graphics card, are not provoked.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from unittest.mock import MagicMock

import pytest
import torch
import torch.ao.quantization as old
from torch import nn
from torch.ao.quantization.quantize_fx import prepare_fx
from torchao.prototype.mx_formats import (
    MXDynamicActivationMXWeightConfig,
    NVFP4DynamicActivationNVFP4WeightConfig,
)
from torchao.prototype.quantization.int4 import PrototypeInt4WeightOnlyConfig
from torchao.prototype.smoothquant import SmoothQuantConfig
from torchao.quantization import (
    Float8DynamicActivationFloat8WeightConfig,
    Int4WeightOnlyConfig,
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    IntxWeightOnlyConfig,
    PerGroup,
    quantize_,
)

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "book" / "reference" / "symptoms.md"
SECTION = re.compile(r"^\(symptom-([\w-]+)\)=\n### (.+)$", re.MULTILINE)
TEXT = PAGE.read_text(encoding="utf-8")
HEADINGS = dict(SECTION.findall(TEXT))
ENTRIES = {part.partition(")")[0]: part for part in TEXT.split("\n(symptom-")[1:]}
X = torch.zeros(2, 8)

pytestmark = pytest.mark.filterwarnings("ignore:.*:DeprecationWarning", "ignore:.*:UserWarning")


IMAGE = torch.zeros(1, 2, 8, 8)
# As the engines x86, fbgemm and onednn have it, whatever this machine's is
PER_CHANNEL = old.get_default_qconfig("x86")


def linear() -> nn.Sequential:
    return nn.Sequential(nn.Linear(8, 4)).eval()


def static(
    *layers: nn.Module, x: torch.Tensor = X, qconfig: old.QConfig | None = None
) -> nn.Module:
    """Return the layers, quantized statically in eager mode, by default for the engine in use."""
    model = nn.Sequential(*layers).eval()
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


class Attention(nn.Module):
    """Attention, and a layer behind it."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.layer = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(self.attention(x, x, x)[0])


def attention_in_training() -> nn.Module:
    model = Attention().train()
    model.qconfig = old.get_default_qat_qconfig("x86")
    return model


def smoothed(*, shortcut: bool) -> nn.Module:
    """Return an encoder whose linear layers SmoothQuant has calibrated under no_grad."""
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False).eval()
    base = Int8DynamicActivationInt8WeightConfig()
    torch.backends.mha.set_fastpath_enabled(shortcut)
    try:
        quantize_(model, SmoothQuantConfig(base, step="prepare"), is_linear)
        with torch.no_grad():
            model(torch.ones(1, 3, 8))
        quantize_(model, SmoothQuantConfig(base, step="convert"), is_linear)
    finally:
        torch.backends.mha.set_fastpath_enabled(True)
    return model


def is_linear(module: nn.Module, name: str) -> bool:
    return isinstance(module, nn.Linear) and not name.endswith("out_proj")


def into_onnx(model: nn.Module, x: torch.Tensor = X) -> bytes:
    """Return the file that the older exporter writes; its tracer warns of each scale."""
    file = io.BytesIO()
    with warnings.catch_warnings(action="ignore"):
        torch.onnx.export(model, (x,), file, dynamo=False, opset_version=17)
    return file.getvalue()


def weight_only() -> nn.Module:
    model = linear()
    quantize_(model, Int8WeightOnlyConfig())
    return model


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


def for_x86(model: nn.Module, **options: bool) -> nn.Module:
    """Return the model prepared by PT2E for x86."""
    from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    config = x86.get_default_x86_inductor_quantization_config()
    quantizer = x86.X86InductorQuantizer().set_global(config)
    exported = torch.export.export(model.eval(), (torch.zeros(2, 2, 8, 8),), **options)
    return prepare_pt2e(exported.module(), quantizer)


class Branch(nn.Module):
    """A module whose way depends on the numbers."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x if x.sum() > 0 else -x


def exported() -> nn.Module:
    return torch.export.export(linear(), (X,)).module()


def histogram_of_nan() -> None:
    old.HistogramObserver()(torch.tensor([float("nan"), 1.0]))


def load_without_torchao(folder: Path) -> None:
    path = folder / "weights.pt"
    torch.save(weight_only().state_dict(), path)
    code = f"import torch; torch.load({str(path)!r})"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    raise RuntimeError(ended.stderr)


def multiply_blocks() -> None:
    model = nn.Sequential(nn.Linear(64, 32)).bfloat16()
    quantize_(model, MXDynamicActivationMXWeightConfig())
    model(torch.zeros(2, 64, dtype=torch.bfloat16))


def compile_without_a_compiler() -> None:
    import torch._inductor.config as inductor

    with inductor.patch({"cpp.cxx": (None, "no-such-compiler"), "fx_graph_cache": False}):
        torch.compile(nn.Softplus())(X)


PROVOKED: dict[str, Callable[[], object]] = {
    "quantized-linear": lambda: static(nn.Linear(8, 4))(X),
    "quantized-cpu": lambda: static(old.QuantStub(), Skip())(X),
    "fusion": lambda: old.fuse_modules(
        nn.Sequential(nn.Conv2d(1, 1, 3), nn.BatchNorm2d(1)).train(), [["0", "1"]]
    ),
    "control-flow": lambda: prepare_fx(Branch().eval(), old.get_default_qconfig_mapping(), (X,)),
    "method": lambda: dynamic(nn.TransformerEncoderLayer(8, 2, batch_first=True).eval())(
        torch.zeros(1, 3, 8)
    ),
    "embedding": lambda: old.quantize_dynamic(nn.Sequential(nn.Embedding(9, 8)), {nn.Embedding}),
    "transposed": lambda: static(nn.ConvTranspose2d(2, 2, 3), x=IMAGE, qconfig=PER_CHANNEL),
    "deepcopy": lambda: dynamic(normed()),
    "attention": lambda: old.prepare_qat(attention_in_training()),
    "gru": lambda: static(nn.GRU(8, 8)),
    "onnx": lambda: into_onnx(dynamic(linear())),
    "numpy": lambda: torch.quantize_per_tensor(X, 0.1, 0, torch.quint8).numpy(),
    "histc": histogram_of_nan,
    "old-names": lambda: exec("from torchao.quantization import int8_weight_only"),
    "moved": lambda: exec("import torch.ao.quantization.quantize_pt2e"),
    "capture": lambda: exec("from torch._export import capture_pre_autograd_graph"),
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
    "compiler": compile_without_a_compiler,
    "dtype": lambda: dynamic(linear())(X.double()),
    "grad": lambda: dynamic(linear())(X).sum().backward(),
    "cholesky": lambda: torch.linalg.cholesky(torch.ones(2, 2)),
    "keys": lambda: linear().load_state_dict(static(nn.Linear(8, 4)).state_dict()),
    "assign": lambda: linear().load_state_dict(weight_only().state_dict()),
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
        "deepcopy",
        lambda: quantize_(parametrized(), Int8WeightOnlyConfig()),
        "attribute 'weight' already exists",
    ),
    ("keys", lambda: torch.export.export(dynamic(linear()), (X,)), "__obj_flatten__"),
    ("quantized-cpu", lambda: Square()(codes()), "aten::mul.out"),
    ("quantized-cpu", lambda: nn.functional.softplus(codes()), "aten::softplus.out"),
    (
        "fusion",
        lambda: old.prepare_qat(linear()),
        "prepare_qat only works on models in training mode",
    ),
    ("method", lambda: dynamic(linear())[0].weight.shape, "has no attribute 'shape'"),
    ("method", lambda: dynamic(linear())[0].weight.dtype, "'dtype'"),
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


def codes() -> torch.Tensor:
    return torch.quantize_per_tensor(X, 0.1, 0, torch.quint8)


def plain(text: str) -> str:
    """Return the text without marks of code and without the sign of a NaN."""
    return text.replace("`", "").replace("-nan", "nan")


def raised(call: Callable[[], object]) -> str:
    with pytest.raises(Exception) as caught:
        call()
    return plain(str(caught.value))


@pytest.mark.parametrize("name", PROVOKED)
def test_a_message_is_what_is_raised(name: str) -> None:
    assert plain(HEADINGS[name]) in raised(PROVOKED[name])


@pytest.mark.parametrize(("name", "call", "message"), ALSO, ids=[each[2] for each in ALSO])
def test_another_message_of_an_entry_is_what_is_raised(
    name: str, call: Callable[[], object], message: str
) -> None:
    assert message in raised(call)
    assert message in plain(ENTRIES[name])


@pytest.mark.parametrize("name", WARNED)
def test_a_warning_is_what_is_said(name: str) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        WARNED[name]()
    assert any(plain(HEADINGS[name]) in str(warning.message) for warning in said)


def test_a_file_of_torchaos_needs_torchao(tmp_path: Path) -> None:
    assert plain(HEADINGS["global"]) in raised(lambda: load_without_torchao(tmp_path))


def test_qnnpack_says_that_it_ignores_reduce_range(tmp_path: Path) -> None:
    code = (
        "import torch; from qlearn.machine import use_engine; use_engine('qnnpack')\n"
        "w = torch.quantize_per_tensor(torch.ones(2, 3), 0.5, 0, torch.qint8)\n"
        "packed = torch.ops.quantized.linear_prepack(w, None)\n"
        "torch.ops.quantized.linear_dynamic(torch.ones(1, 3), packed, reduce_range=True)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert plain(HEADINGS["ignores"]) in ended.stderr


def test_the_compiler_calls_openssl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._inductor import codecache

    # In the place of a C++ compiler stands one that writes nothing, so that none is needed.
    monkeypatch.setattr(codecache, "CppBuilder", MagicMock())
    monkeypatch.setattr(codecache, "CppTorchDeviceOptions", MagicMock())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="'openssl'"):
        codecache._precompile_header("none.h", "", of=str(tmp_path))
    assert "`FileNotFoundError: … 'openssl'`" in ENTRIES["compiler"]


def test_a_module_called_twice_is_exported_strictly() -> None:
    assert isinstance(for_x86(Twice(), strict=True), torch.fx.GraphModule)


def test_padding_in_numbers_is_known() -> None:
    model = Twice(padding="same")
    for layer in (model.first, model.second):
        layer.padding = tuple((k - 1) // 2 for k in layer.kernel_size)
    assert isinstance(for_x86(model, strict=True), torch.fx.GraphModule)


def test_pt2e_takes_another_eps_for_batch_norms_in_training() -> None:
    from torchao.quantization.pt2e.quantize_pt2e import prepare_qat_pt2e
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    model = nn.Sequential(nn.Conv2d(2, 2, 3), nn.BatchNorm2d(2, eps=1e-3)).train()
    config = x86.get_default_x86_inductor_quantization_config(is_qat=True)
    quantizer = x86.X86InductorQuantizer().set_global(config)
    graph = torch.export.export(model, (torch.zeros(2, 2, 8, 8),)).module()
    prepared = prepare_qat_pt2e(graph, quantizer)
    norms = [node for node in prepared.graph.nodes if "batch_norm" in str(node.target)]
    assert [norm.args[-2] for norm in norms] == [1e-5]


def test_training_without_is_qat_puts_in_observers() -> None:
    from torchao.quantization.pt2e.quantize_pt2e import prepare_qat_pt2e
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    config = x86.get_default_x86_inductor_quantization_config()
    quantizer = x86.X86InductorQuantizer().set_global(config)
    graph = torch.export.export(linear().train(), (X,)).module()
    prepared = prepare_qat_pt2e(graph, quantizer)
    kinds = {type(part).__name__ for part in prepared.modules()}
    assert "HistogramObserver" in kinds
    assert not any("FakeQuantize" in kind for kind in kinds)


def test_a_histogram_ends_its_warning_in_other_words() -> None:
    with pytest.warns(UserWarning, match="Returning default scale and zero point"):
        old.HistogramObserver().calculate_qparams()


def test_a_histogram_leaves_infinities_out_and_warns() -> None:
    said = "torch.inf detected in input tensor, ignoring input"
    assert said in ENTRIES["histc"]
    with pytest.warns(UserWarning, match=said):
        old.HistogramObserver()(torch.tensor([1.0, float("inf")]))


def test_a_cast_beyond_the_end_of_float8_gives_448_infinity_or_nan() -> None:
    x = torch.tensor([1e9])
    kinds = (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz)
    found = [x.to(kind).float().item() for kind in kinds]
    assert found[:2] == [448, float("inf")] and all(value != value for value in found[2:])
    scale = x.abs().max() / 448
    back = (x / scale).clamp(-448, 448).to(torch.float8_e4m3fn).float() * scale
    assert back.item() == pytest.approx(1e9)


def test_the_two_e4m3_differ_by_a_factor_of_two() -> None:
    codes = torch.arange(1, 127, dtype=torch.uint8)
    fn, fnuz = (codes.view(kind).float() for kind in (torch.float8_e4m3fn, torch.float8_e4m3fnuz))
    assert torch.equal(fn, 2 * fnuz)
    end = torch.tensor([240.0]).to(torch.float8_e4m3fnuz).view(torch.uint8)
    assert end.view(torch.float8_e4m3fn).isnan().all()


def test_each_symptom_is_found_in_the_list_above() -> None:
    links = re.findall(r"\(#symptom-([\w-]+)\)", TEXT)
    assert sorted(links) == sorted(HEADINGS)
    assert len(HEADINGS) >= 20


def test_each_entry_says_all_four() -> None:
    for name, entry in ENTRIES.items():
        for part in ("**Cause.**", "**Test.**", "**Repair.**", "**Page.**"):
            assert entry.count(part) == 1, f"{name} has not one {part}"


def test_each_message_is_provoked() -> None:
    messages = TEXT.partition("\n## It runs, and is wrong")[0]
    names = {name for name, _ in SECTION.findall(messages)}
    assert names - {*PROVOKED, *WARNED, "global", "ignores"} == {"no-engine", "cuda"}


def test_another_wording_is_seen() -> None:
    assert "Could not run 'quantized::conv9d'" not in raised(PROVOKED["quantized-linear"])
