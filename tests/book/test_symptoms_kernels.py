"""The page of symptoms on kernels that are wrong: they are, and what is advised is right."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
import torch.ao.quantization as old
from torch import nn
from torchao.quantization import IntxWeightOnlyConfig, PerAxis

from proofs.torch_engine import torch_engine
from qlearn import sqnr
from qlearn.machine import linear_variant, use_engine, working_engines
from tests.book.provoked import SEEN_ON_X86, UNANNOUNCED, limited_table
from tests.probes import Fork, Probe

RIGHT, WRONG = 25, 10  # decibels: rounding leaves more than the one, and not the other

pytestmark = [SEEN_ON_X86, UNANNOUNCED]


# Says so when it begins the convolution, and when that has ended
DEPTHWISE = """
import torch, warnings
warnings.simplefilter("ignore")
channels, width, columns = {sizes}
torch.backends.quantized.engine = "onednn"
weight = torch.quantize_per_tensor(torch.ones(channels, 1, 1, width), 0.1, 0, torch.qint8)
packed = torch.ops.quantized.conv2d_prepack(weight, None, [1, 1], [0, 0], [1, 1], channels)
x = torch.quantize_per_tensor(torch.ones(1, channels, 1, columns + width - 1), 0.1, 3, torch.quint8)
print("begun", flush=True)
torch.ops.quantized.conv2d(x, packed, 0.5, 0)
print("ended", flush=True)
"""
SECONDS = 2  # what ends does so in milliseconds


class Between(nn.Module):
    """A layer that stays in float, between two stubs."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.before, self.layer, self.behind = old.DeQuantStub(), layer, old.QuantStub()
        self.layer.qconfig = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.behind(self.layer(self.before(x)))


class ToItself(nn.Module):
    """Attention of a sequence to itself."""

    def __init__(self, *, batch_first: bool) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(32, 4, batch_first=batch_first)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.attention(x, x, x, need_weights=False)[0]


def choose(engine: str) -> None:
    """Use an engine; where it does not run, the test is left out."""
    if engine not in working_engines():
        pytest.skip(f"{engine} does not run here")
    use_engine(engine)


def decibels(
    engine: str, x: torch.Tensor, *layers: nn.Module, own: old.QConfig | None = None
) -> tuple[float, float]:
    """Return how close the prepared and the converted model come to the float model.

    ``own`` is the QConfig of the second layer.
    """
    choose(engine)
    model = old.QuantWrapper(nn.Sequential(*layers)).eval()
    model.qconfig = old.get_default_qconfig(engine)
    for layer in layers:
        if isinstance(layer, nn.ConvTranspose2d):
            layer.qconfig = one_scale(engine)
    if own:
        layers[1].qconfig = own
    with torch.no_grad():
        y = copy.deepcopy(model)(x)
        prepared = old.prepare(model)
        seen = prepared(x)
        return float(sqnr(y, seen)), float(sqnr(y, old.convert(prepared)(x)))


def one_scale(engine: str) -> old.QConfig:
    activation = old.get_default_qconfig(engine).activation
    return old.QConfig(activation, old.default_weight_observer)


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(0)


@pytest.mark.parametrize(
    ("engine", "inputs", "outputs", "kernel", "is_right"),
    [
        ("fbgemm", 16, 8, 3, True),
        ("fbgemm", 16, 8, 2, False),
        ("fbgemm", 16, 16, 2, False),
        ("fbgemm", 16, 16, (2, 3), False),
        ("fbgemm", 16, 16, (3, 2), True),
        ("fbgemm", 12, 12, 2, True),
        ("x86", 16, 16, 3, True),
        ("x86", 16, 1, 3, True),
        ("x86", 1, 8, 3, True),
        ("x86", 16, 8, 3, False),
        ("onednn", 16, 16, 3, True),
        ("onednn", 16, 32, 2, False),
        ("qnnpack", 16, 8, 2, True),
        ("qnnpack", 16, 8, 3, True),
    ],
)
def test_transposed_convolutions(
    engine: str, inputs: int, outputs: int, kernel: int | tuple[int, int], is_right: bool
) -> None:
    x = torch.randn(4, inputs, 12, 12)
    layer = nn.ConvTranspose2d(inputs, outputs, kernel, stride=2)
    _, converted = decibels(engine, x, layer)
    assert converted > RIGHT if is_right else converted < WRONG


def test_a_transposed_convolution_stays_float_between_stubs() -> None:
    layers = nn.Conv2d(16, 16, 3), Between(nn.ConvTranspose2d(16, 8, 2, stride=2))
    assert decibels("x86", torch.randn(4, 16, 12, 12), *layers)[1] > RIGHT


@pytest.mark.parametrize("engine", ["fbgemm", "qnnpack"])
def test_a_prelu_needs_a_ruler_that_reaches_1(engine: str) -> None:
    x = torch.randn(8, 16, 12, 12)
    reaches = old.FixedQParamsObserver.with_args(
        scale=1 / 255, zero_point=0, dtype=torch.quint8, quant_min=0, quant_max=255
    )
    own = old.QConfig(old.get_default_qconfig(engine).activation, reaches)
    for config, is_right in ((one_scale(engine), False), (own, True)):
        _, converted = decibels(engine, x, nn.Conv2d(16, 16, 3), nn.PReLU(), own=config)
        assert converted > RIGHT if is_right else converted < WRONG


@pytest.mark.parametrize("make", [nn.ReLU, nn.ReLU6, nn.Hardtanh])
@pytest.mark.parametrize("engine", ["fbgemm", "qnnpack"])
def test_clamps_on_qnnpack_change_places(engine: str, make: Callable[[], nn.Module]) -> None:
    layers = nn.Conv2d(16, 16, 3), make(), nn.Conv2d(16, 8, 3)
    _, converted = decibels(engine, torch.randn(8, 16, 12, 12), *layers)
    is_right = engine != "qnnpack" or make is nn.ReLU
    assert converted > RIGHT if is_right else converted < WRONG


def test_attention_with_the_batch_first_is_wrong_before_it_is_converted() -> None:
    x = 2 * torch.randn(64, 10, 32)
    for batch_first in (False, True):
        attention = ToItself(batch_first=batch_first)
        prepared, _ = decibels("fbgemm", x, nn.Linear(32, 32), attention, nn.Linear(32, 8))
        assert prepared < WRONG if batch_first else prepared > 100
    layers = nn.Linear(32, 32), Between(ToItself(batch_first=True)), nn.Linear(32, 8)
    assert decibels("fbgemm", x, *layers)[1] > RIGHT


def test_codes_of_attention_are_read_between_stubs_alone() -> None:
    x = 2 * torch.randn(64, 10, 32)
    bare = ToItself(batch_first=True)
    bare.qconfig = None
    with pytest.raises(NotImplementedError, match="aten::mm.out"):
        decibels("fbgemm", x, nn.Linear(32, 32), bare, nn.Linear(32, 8))


def test_a_linear_layer_without_a_kernel_is_seen_in_what_onednn_says(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """By torch 2.13 it has one; where the page's test says that it has none, qlearn divides."""
    weight = torch.quantize_per_tensor(torch.ones(32, 32), 0.1, 0, torch.qint8)
    x = torch.quantize_per_tensor(torch.ones(16, 32), 0.1, 3, torch.quint8)
    with torch_engine("onednn"), torch.backends.mkldnn.verbose(torch.backends.mkldnn.VERBOSE_ON):
        packed = torch.ops.quantized.linear_prepack(weight, None)
        torch.ops.quantized.linear(x, packed, 0.5, 0)
    said = capfd.readouterr().out
    assert "exec,cpu,matmul" in said
    assert ("ref_int8" in said) is (linear_variant(x_zero_point=3) == "divided")


@pytest.mark.skipif(
    not torch.cpu.get_capabilities().get("avx512_vnni"), reason="it is about AVX-512"
)
@pytest.mark.parametrize(
    ("sizes", "limit", "ends"),
    [
        ((16, 14, 29), "", False),
        ((16, 14, 28), "", True),
        ((16, 13, 64), "", True),
        ((24, 14, 64), "", True),
        ((16, 14, 64), "AVX2", True),
    ],
)
def test_a_wide_depthwise_convolution_of_16_channels_never_ends(
    sizes: tuple[int, int, int], limit: str, ends: bool, fork: Fork
) -> None:
    variables = {"ONEDNN_MAX_CPU_ISA": limit} if limit else {}
    ended = fork(DEPTHWISE.format(sizes=sizes), 60 if ends else SECONDS, **variables)
    assert ended.said == ("begun\nended\n" if ends else "begun\n")
    assert ended.died == ("" if ends else f"not done after {SECONDS} seconds")


# A product of codes without a kernel says ref_int8 here; torchao hands codes with a sign on.
PRODUCT = """
import torch
codes = torch.ones(32, 64).to(torch.{dtype})
packed = torch.ops.onednn.qlinear_prepack(torch.ones(16, 64).to(torch.int8), [32, 64])
scales, zeros = torch.ones(16), torch.zeros(16, dtype=torch.int64)
torch.ops.onednn.qlinear_pointwise(
    codes, 1.0, 0, packed, scales, zeros, None, 1.0, 0, torch.float32, "none", [], ""
)
"""
NEWER = torch.cpu.get_capabilities()


@pytest.mark.parametrize(
    ("limit", "needs", "slow"),
    [
        ("AVX2_VNNI", "avx_vnni", True),
        ("AVX512_CORE", "avx512_f", True),
        ("AVX512_CORE_VNNI", "avx512_vnni", True),  # torchao adds 128 there, and has no sign
        ("AVX2", "avx2", False),
        ("DEFAULT", "amx_int8", False),
    ],
)
def test_codes_with_a_sign_have_no_kernel_on_some_processors(
    limit: str, needs: str, slow: bool, probe: Probe
) -> None:
    if not NEWER.get(needs):
        pytest.skip(f"this processor has no {needs}")
    for dtype, expected in (("int8", slow), ("uint8", False)):
        program = PRODUCT.format(dtype=dtype)
        said = probe(program, ONEDNN_MAX_CPU_ISA=limit, ONEDNN_VERBOSE="1")
        [product] = [line for line in said.splitlines() if ",exec,cpu,matmul," in line]
        assert ("ref_int8" in product) is expected, (dtype, product)


@pytest.mark.parametrize(
    "pool",
    [
        nn.AvgPool2d(3, divisor_override=4),
        nn.AvgPool2d(3, padding=1, count_include_pad=False),
        nn.AvgPool2d(3),
    ],
    ids=["divisor", "padding", "plain"],
)
@pytest.mark.parametrize("engine", [e for e in ("fbgemm", "qnnpack") if e in working_engines()])
def test_average_pools_divide_by_another_number_on_qnnpack(engine: str, pool: nn.Module) -> None:
    x = torch.quantize_per_tensor(1 + torch.randn(4, 8, 12, 12), 0.03, 80, torch.quint8)
    with torch_engine(engine):
        found = sqnr(pool(x.dequantize()), pool(x).dequantize())
    plain = pool.divisor_override is None and pool.count_include_pad
    assert found > 20 if plain or engine == "fbgemm" else found < 20


def dead_norm() -> nn.BatchNorm2d:
    """Return a norm of which one channel has a factor of nearly 0, and a bias of 3."""
    norm = nn.BatchNorm2d(4).eval()
    norm.weight.data[0], norm.bias.data[0] = 1e-7, 3.0
    return norm


@pytest.mark.parametrize(
    ("engine", "eps", "is_right"),
    [("qnnpack", 2**-23, False), ("qnnpack", 2**-12, True), ("fbgemm", 2**-23, True)],
)
def test_a_bias_overflows_on_qnnpack(engine: str, eps: float, is_right: bool) -> None:
    choose(engine)
    model = old.QuantWrapper(nn.Sequential(nn.Conv2d(2, 4, 3), dead_norm())).eval()
    old.fuse_modules(model, [["module.0", "module.1"]], inplace=True)
    weights = old.PerChannelMinMaxObserver.with_args(
        dtype=torch.qint8, qscheme=torch.per_channel_symmetric, eps=eps
    )
    model.qconfig = old.QConfig(old.get_default_qconfig(engine).activation, weights)
    x = torch.randn(4, 2, 8, 8) / 10
    prepared = old.prepare(model)
    wanted = prepared(x)
    converted = old.convert(prepared)
    layer = converted.module[0]
    scales = layer.weight().q_per_channel_scales()
    share = (layer.bias() / (scales * converted.quant.scale)).abs().max() / 2**31
    assert (share > 1) == (eps == 2**-23)
    difference = (converted(x)[:, 0] - wanted[:, 0]).abs().mean()
    assert difference < 0.1 if is_right else difference > 1


@pytest.mark.parametrize("renewed", [False, True])
def test_a_table_of_codes_knows_no_max_norm(renewed: bool) -> None:
    table = nn.Embedding(50, 8, max_norm=1.0)
    assert (table.weight.norm(dim=1) > table.max_norm * 1.001).all()
    if renewed:
        table.weight.data = table.weight.data.renorm(2, 0, table.max_norm)
    model = nn.Sequential(table)
    model[0].qconfig = old.float_qparams_weight_only_qconfig
    coded = old.convert(old.prepare(copy.deepcopy(model).eval()))
    rows = torch.arange(50)
    with torch.no_grad():
        found = sqnr(model(rows), coded(rows))
    assert found > RIGHT if renewed else found < 0


def test_a_table_of_the_intx_configs_knows_max_norm() -> None:
    table = limited_table(IntxWeightOnlyConfig(torch.int8, PerAxis(0)))
    lengths = table(torch.arange(50)).norm(dim=1)
    assert ((lengths - 1).abs() < 0.01).all()


def test_the_second_of_two_norms_is_folded_on_top_of_the_first() -> None:
    model = nn.Module()
    model.conv, model.first, model.second = nn.Conv2d(2, 2, 1), nn.BatchNorm2d(2), nn.BatchNorm2d(2)
    for norm, factor in ((model.first, 3.0), (model.second, 5.0)):
        norm.weight.data *= factor
    model.eval()
    before = model.conv.weight.clone()
    old.fuse_modules(model, [["conv", "first"]], inplace=True)
    old.fuse_modules(model, [["conv", "second"]], inplace=True)
    factor = (model.conv.weight / before).mean()
    assert abs(factor - 15) < 0.1
