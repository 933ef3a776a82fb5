"""The page of symptoms on layers that a tool does not see, rounds by another's scale, or shares."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
import torch.ao.quantization as old
from torch import Tensor, fx, nn
from torch.ao.nn.quantized import FloatFunctional
from torch.ao.quantization.quantize_fx import (
    convert_fx,
    convert_to_reference_fx,
)
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from qlearn import sqnr
from tests.book.provoked import (
    IMAGES,
    SEEN_ON_X86,
    UNANNOUNCED,
    Convolution,
    calibrated,
    for_x86,
    observed_by_fx,
    prepared_for_training_by_fx,
)

pytestmark = [SEEN_ON_X86, UNANNOUNCED]
MULTIPLY = ("conv", "linear", "matmul", "gru", "lstm", "attention")


def left_in_float(graph: fx.GraphModule) -> list[str]:
    """Return what the page's lines find."""
    return [
        n.name
        for n in graph.graph.nodes
        if n.op == "call_function"
        and any(h in str(n.target) for h in MULTIPLY)
        and not any("dequantize" in str(a.target) for a in n.all_input_nodes)
    ]


class Written(nn.Module):
    """A convolution and a linear layer, written with functions."""

    def __init__(self) -> None:
        super().__init__()
        self.kernel = nn.Parameter(torch.ones(2, 2, 3, 3) / 9)
        self.weight = nn.Parameter(torch.ones(4, 72))

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(functional.conv2d(x, self.kernel).relu().flatten(1), self.weight)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("make", "names"),
    [
        (Written, ["conv2d", "linear"]),
        (lambda: nn.Sequential(Convolution(2, 2, 3), nn.ReLU()), ["conv2d"]),
    ],
    ids=["functions", "a class that inherits"],
)
def test_pt2e_for_x86_sees_functions_and_heirs_in_a_strict_export(
    strict: bool, make: Callable[[], nn.Module], names: list[str]
) -> None:
    graph = convert_pt2e(calibrated(make(), IMAGES, strict=strict))
    assert left_in_float(graph) == ([] if strict else names)


class FrozenBatchNorm2d(nn.Module):
    """As torchvision's."""

    def __init__(self, norm: nn.BatchNorm2d) -> None:
        super().__init__()
        self.eps = norm.eps
        for name in ("weight", "bias", "running_mean", "running_var"):
            self.register_buffer(name, getattr(norm, name).detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        rows = (self.weight, self.bias, self.running_var, self.running_mean)
        weight, bias, var, mean = (row.reshape(1, -1, 1, 1) for row in rows)
        factor = weight * (var + self.eps).rsqrt()
        return x * factor + (bias - mean * factor)


def norm_of(channels: int) -> nn.BatchNorm2d:
    norm = nn.BatchNorm2d(channels).eval()
    norm.running_mean.copy_(torch.randn(channels))
    norm.running_var.copy_(torch.rand(channels) + 0.5)
    return norm


def names_of(model: nn.Module) -> set[str]:
    return {type(m).__name__ for m in model.modules()}


def test_a_frozen_norm_becomes_one_that_is_folded() -> None:
    model = nn.Sequential(nn.Conv2d(2, 4, 3), FrozenBatchNorm2d(norm_of(4)), nn.ReLU()).eval()
    before = model(IMAGES)
    targets = [str(n.target) for n in convert_fx(observed_by_fx(model, IMAGES)).graph.nodes]
    assert any("quantized.mul" in t for t in targets)
    frozen = model[1]
    norm = nn.BatchNorm2d(4, eps=frozen.eps)
    norm.load_state_dict({"num_batches_tracked": torch.tensor(0), **frozen.state_dict()})
    model.set_submodule("1", norm.eval())
    assert sqnr(before, model(IMAGES)) > 100
    assert "ConvReLU2d" in names_of(convert_fx(observed_by_fx(model, IMAGES)))


def test_a_norm_of_several_processes_is_not_folded() -> None:
    model = nn.Sequential(nn.Conv2d(2, 4, 3), norm_of(4), nn.ReLU()).eval()
    synchronized = nn.SyncBatchNorm.convert_sync_batchnorm(copy.deepcopy(model)).eval()
    for layers in (["0", "1", "2"], ["0", "1"]):
        with pytest.raises(AssertionError, match="did not find fuser method for"):
            old.fuse_modules(synchronized, [layers])
    assert "SyncBatchNorm" in names_of(convert_fx(observed_by_fx(synchronized, IMAGES)))
    norm = nn.BatchNorm2d(4, eps=synchronized[1].eps)
    norm.load_state_dict({"num_batches_tracked": torch.tensor(0), **synchronized[1].state_dict()})
    assert torch.equal(norm.eval()(torch.ones(1, 4, 2, 2)), model[1](torch.ones(1, 4, 2, 2)))


@pytest.mark.parametrize(
    ("layer", "rounded"),
    [
        (nn.Conv1d(2, 2, 3), False),
        (nn.ConvTranspose2d(2, 2, 3), False),
        (nn.Conv2d(2, 2, 3), True),
        (nn.Linear(2, 2), True),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, nn.Module) else None,
)
def test_weights_that_no_training_rounds(layer: nn.Module, rounded: bool) -> None:
    model = nn.Sequential(layer).train()
    model.qconfig = old.get_default_qat_qconfig("qnnpack")
    prepared = old.prepare_qat(model)
    assert [
        n
        for n, m in prepared.named_modules()
        if getattr(m, "qconfig", None)
        and isinstance(getattr(m, "weight", None), nn.Parameter)
        and not hasattr(m, "weight_fake_quant")
    ] == ([] if rounded else ["0"])


def test_fx_rounds_a_convolution_of_one_dimension_with_its_relu() -> None:
    model = nn.Sequential(nn.Conv1d(2, 2, 3), nn.ReLU()).train()
    prepared = prepared_for_training_by_fx(model, torch.ones(1, 2, 5))
    assert any(hasattr(m, "weight_fake_quant") for m in prepared.modules())


class TwoLevels(nn.Module):
    """A head that serves a level of small numbers, and then one of large numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.head = nn.Linear(8, 8), nn.Linear(8, 8)
        self.up.weight.data *= 100
        self.again = self.head

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.head(x), self.again(self.up(x))


@pytest.mark.parametrize("copied", [False, True])
def test_in_fx_a_layer_has_one_scale_for_all_its_calls(copied: bool) -> None:
    model, x = TwoLevels().eval(), torch.randn(64, 8)
    if copied:
        model.again = copy.deepcopy(model.head)
    small, prepared = model(x)[0], observed_by_fx(model, x)
    reference = convert_to_reference_fx(copy.deepcopy(prepared))
    assert sqnr(small, prepared(x)[0]) > 100
    assert sqnr(small, reference(x)[0]) > 30
    assert (sqnr(small, convert_fx(prepared)(x)[0]) > 30) == copied


def distinct(answers: Tensor) -> int:
    return len(answers.unique(dim=0))


def test_the_average_keeps_the_scale_of_what_it_averages() -> None:
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    layers = nn.Conv2d(2, 2, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2, 2)
    model, x = nn.Sequential(*layers).eval(), torch.zeros(8, 2, 32, 32)
    x[:, :, 5, 5] = torch.linspace(1, 100, 8)[:, None]
    assert distinct(model(x)) == 8
    prepared = observed_by_fx(model, x)
    assert distinct(convert_to_reference_fx(copy.deepcopy(prepared))(x)) < 3
    assert distinct(convert_fx(prepared)(x)) < 3
    config = x86.get_default_x86_inductor_quantization_config()
    for in_float in (False, True):
        quantizer = x86.X86InductorQuantizer().set_global(config)
        if in_float:
            quantizer.set_module_type_qconfig(nn.AdaptiveAvgPool2d, None)
        graph = prepare_pt2e(torch.export.export(model, (x,)).module(), quantizer)
        graph(x)
        assert (distinct(convert_pt2e(graph)(x)) > 6) == in_float


def test_a_sigmoid_has_codes_of_1_256() -> None:
    model = nn.Sequential(nn.Linear(1, 1), nn.Sigmoid()).requires_grad_(False)
    model[0].weight.fill_(1), model[0].bias.fill_(0)
    x = torch.linspace(-10, 10, 101)[:, None]
    risks = convert_fx(observed_by_fx(model, x))(x)
    assert torch.equal(risks * 256, (risks * 256).round())
    assert ((risks == 0) == (model(x) < 1 / 512)).float().mean() > 0.97
    assert (convert_fx(observed_by_fx(model, x, in_float=nn.Sigmoid))(x) > 0).all()


class Joined(nn.Module):
    """A small branch and one that is forty times as large, joined in eager mode."""

    def __init__(self, *, functional: bool) -> None:
        super().__init__()
        self.quant, self.dequant = old.QuantStub(), old.DeQuantStub()
        self.small, self.large = nn.Linear(8, 8), nn.Linear(8, 8)
        self.large.weight.data *= 40
        self.join = FloatFunctional() if functional else None

    def forward(self, x: Tensor) -> Tensor:
        x = self.quant(x)
        parts = [self.small(x), self.large(x)]
        return self.dequant(self.join.cat(parts, 1) if self.join else torch.cat(parts, 1))


@pytest.mark.parametrize("functional", [False, True])
def test_an_eager_cat_takes_the_first_scale(functional: bool) -> None:
    model, x = Joined(functional=functional).eval(), torch.randn(64, 8)
    model.qconfig = old.get_default_qconfig("x86")
    prepared = old.prepare(model)
    prepared(x)
    converted = old.convert(prepared)
    assert converted is not prepared and type(prepared.small) is nn.Linear
    large = model(x)[:, 8:]
    assert (sqnr(large, converted(x)[:, 8:]) > 20) == functional


def test_padding_is_clipped_to_the_range_of_what_is_padded() -> None:
    model = nn.Sequential(old.QuantStub(), nn.ConstantPad1d(1, -11.5), old.DeQuantStub()).eval()
    model.qconfig = old.get_default_qconfig("x86")
    prepared, x = old.prepare(model), torch.linspace(0, 1, 8)[None]
    assert prepared(x)[0, 0] == -11.5
    assert old.convert(prepared)(x)[0, 0] == 0


def parameters_shared(model: nn.Module, prepared: nn.Module) -> int:
    found = [{p.data_ptr() for p in m.parameters()} for m in (model, prepared)]
    return len(found[0] & found[1])


def test_what_is_trained_may_be_the_float_model() -> None:
    def fresh() -> nn.Module:
        return nn.Sequential(nn.Linear(8, 4)).train()

    model, x = fresh(), torch.ones(2, 8)
    assert parameters_shared(model, torch.export.export(model, (x,)).module()) == 2
    assert parameters_shared(model, prepared_for_training_by_fx(model, x)) == 2
    for inplace in (True, False):
        model = fresh()
        model.qconfig = old.get_default_qat_qconfig("x86")
        prepared = old.prepare_qat(model, inplace=inplace)
        assert (prepared is model) == inplace
        assert bool(parameters_shared(model, prepared)) == inplace


def test_an_average_that_was_made_before_the_first_batch() -> None:
    model = nn.Sequential(old.QuantStub(), nn.Linear(8, 4)).train()
    model.qconfig = old.get_default_qat_qconfig("x86")
    prepared = old.prepare_qat(model)
    early = copy.deepcopy(prepared)
    averaged = AveragedModel(prepared, use_buffers=True)
    x = torch.randn(16, 8)
    prepared(x)
    with pytest.raises(RuntimeError, match="output with shape .* the broadcast shape"):
        averaged.update_parameters(prepared)
    for kept, new in zip(early.parameters(), prepared.parameters(), strict=True):
        kept.data.copy_(new)
    early.eval().apply(old.disable_observer)
    with pytest.raises(Exception, match="inf"):
        old.convert(early)
    old.convert(copy.deepcopy(prepared).eval())


class PlusNumber(nn.Module):
    """A linear layer, and a number added."""

    def __init__(self, *, buffer: bool) -> None:
        super().__init__()
        self.layer = nn.Conv2d(2, 2, 1)
        self.register_buffer("eps", torch.tensor(1e-6) if buffer else None)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) + (1e-6 if self.eps is None else self.eps)


def test_pt2e_for_x86_stops_without_words_at_a_number() -> None:
    with pytest.raises(AssertionError) as caught:
        for_x86(PlusNumber(buffer=False))
    assert str(caught.value) == ""
    for_x86(PlusNumber(buffer=True))


def test_a_norm_without_statistics_cannot_be_folded() -> None:
    model = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4, track_running_stats=False)).eval()
    with pytest.raises(AssertionError, match="bn.running_mean and bn.running_var must not be None"):
        old.fuse_modules(model, [["0", "1"]])
    with pytest.raises(TypeError, match="'NoneType' and 'float'"):
        for_x86(model)
    norm = nn.BatchNorm2d(4, momentum=None)
    norm.load_state_dict(model[1].state_dict(), strict=False)
    measured = nn.Sequential(model[0], norm).train()
    measured(IMAGES)
    for_x86(measured)
