"""Models with somebody's own layers, types and masks: what is wrong with them is named."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.ao.quantization as old
from torch import Tensor, nn
from torchao.quantization import (
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    IntxWeightOnlyConfig,
    quantize_,
)
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e

from qlearn import diagnose
from qlearn.course import normal
from qlearn.models.diagnosis import symptoms
from tests.book.provoked import UNANNOUNCED, calibrated, static

pytestmark = UNANNOUNCED


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return normal(*shape, generator=torch.Generator().manual_seed(seed))


class Codes(nn.Module):
    """A linear layer that somebody wrote: codes, a scale for each row, and a float product."""

    def __init__(self, layer: nn.Linear, factor: float = 1.0, dtype: torch.dtype = torch.int8):
        super().__init__()
        scale = layer.weight.detach().abs().amax(1, keepdim=True) / 127
        self.register_buffer("codes", (layer.weight.detach() / scale).round().to(dtype))
        self.register_buffer("scale", scale * factor)
        self.bias = layer.bias

    def forward(self, x: Tensor) -> Tensor:
        weight = self.get_buffer("codes") * self.get_buffer("scale")
        return nn.functional.linear(x, weight, self.bias)


class Mixer(nn.Module):
    """Two layers, and between them code of its own: a mean over the tokens that are no padding."""

    def __init__(self) -> None:
        super().__init__()
        self.enter, self.leave = nn.Linear(16, 32), nn.Linear(32, 16)
        for seed, layer in enumerate((self.enter, self.leave)):
            layer.weight.data = drawn(*layer.weight.shape, seed=seed) * 0.3
            layer.bias.data = drawn(len(layer.bias), seed=seed + 5)

    def between(self, x: Tensor, mask: Tensor) -> Tensor:
        total = (x * mask[..., None]).sum(1, keepdim=True)
        return x + total / mask.sum(1)[:, None, None].clamp(min=1)

    def forward(self, x: Tensor) -> Tensor:
        mask = (x != 0).any(-1).to(x.dtype)
        return self.leave(self.between(self.enter(x), mask))


class Rounds(Mixer):
    """The same with a cache of two bits."""

    def between(self, x: Tensor, mask: Tensor) -> Tensor:
        step = x.abs().amax() / 1.5
        return super().between((x / step).round() * step, mask)


class Forgets(Mixer):
    """The same without the mask."""

    def between(self, x: Tensor, mask: Tensor) -> Tensor:
        return super().between(x, torch.ones_like(mask))


class Norm(nn.Module):
    """Divides by the root of the mean square, which float16 cannot hold from 256 on."""

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True))


def changed(kind: type[Mixer] = Mixer, **layers: Callable[[nn.Linear], nn.Module]) -> Any:
    """Return a model whose layers hold codes, of another class or with other layers."""
    result: Any = copy.deepcopy(Mixer())
    for name in ("enter", "leave"):
        make: Any = layers.get(name, Codes)
        setattr(result, name, make(getattr(result, name)))
    result.__class__ = kind
    return result


def empty(layer: nn.Linear) -> nn.Module:
    result = Codes(layer)
    result.get_buffer("codes")[4:] = 0
    return result


def inflated(layer: nn.Linear) -> nn.Module:
    layer.weight.data *= 1000
    return layer


def texts(*lengths: int) -> Tensor:
    x = drawn(len(lengths), max(lengths), 16, seed=9)
    for row, length in enumerate(lengths):
        x[row, length:] = 0
    return x


FULL = texts(*12 * [6])
BROKEN: dict[str, tuple[Callable[[], nn.Module], list[str], str]] = {
    "another scale": (
        lambda: changed(leave=lambda layer: Codes(layer, factor=3.0)),
        [symptoms.WORSE],
        '"leave" has -6 dB against the float layer. Its weight is 3 times as large',
    ),
    "rows that no data reached": (
        lambda: changed(enter=empty),
        [symptoms.WORSE],
        "88% of the rows of its weight are 0: did any data reach it?",
    ),
    "no scale": (
        lambda: changed(leave=inflated),
        [symptoms.WORSE, symptoms.SIZE],
        'Weights are 1e+03 times as large as in float: "leave.weight". Were their scales applied?',
    ),
    "a cache": (
        lambda: changed(Rounds),
        [symptoms.WORSE, symptoms.BATCH],  # its step is that of the largest number in the batch
        'On the same input, "the model" has 5 dB against the float part, and what is in it 46',
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_is_named(name: str) -> None:
    make, wanted, text = BROKEN[name]
    found = diagnose(make(), FULL, Mixer())
    assert [each.symptom for each in found.faults] == wanted, str(found)
    assert text in str(found).replace("\n   ", " ")


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32])
@pytest.mark.parametrize("number", [torch.float32, torch.bfloat16])
def test_own_codes_that_are_right_are_no_finding(dtype: torch.dtype, number: torch.dtype) -> None:
    right = changed(**dict.fromkeys(("enter", "leave"), lambda layer: Codes(layer, dtype=dtype)))
    found = diagnose(right.to(number), FULL.to(number), Mixer())
    assert not found, str(found)
    assert found.looked_at["compared layer"] == 2


def test_rows_with_padding_are_told_from_the_others() -> None:
    found = diagnose(changed(Forgets), texts(*6 * [3], *6 * [8]), Mixer())
    *_, some = found.faults
    assert some.text.startswith("Only some rows are wrong: a quarter has ")
    assert some.text.endswith("more zeros in their inputs, as padding has.")


def test_float16_is_told_from_the_codes() -> None:
    model = nn.Sequential(nn.Linear(16, 16), Norm(), nn.Linear(16, 4)).eval()
    model[0].weight.data = drawn(16, 16) * 200
    model[2].weight.data = drawn(4, 16, seed=1)
    half = copy.deepcopy(model)
    quantize_(half, Int8WeightOnlyConfig())
    x = drawn(20, 16, seed=2)
    for exact in (model, None):
        reason, *_, equal = diagnose(half.half(), x.half(), exact).faults
        assert equal.text == "All 20 rows of the output are equal."
        assert reason.symptom == symptoms.EQUAL
        assert "In float32 the same codes have" in reason.text
        assert "so float16 is at fault" in reason.text
    assert not diagnose(half.bfloat16(), x.bfloat16(), model).faults


def test_a_part_that_is_worth_sparing() -> None:
    class Towers(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.small, self.large = nn.Linear(16, 4), nn.Linear(16, 64)
            self.small.weight.data = drawn(4, 16)
            self.large.weight.data = drawn(64, 16, seed=1) * 0.01

        def forward(self, x: Tensor) -> Tensor:
            return torch.cat([self.small(x), self.large(x)], 1)

    model = Towers().eval()
    coarse = copy.deepcopy(model)
    step = coarse.small.weight.abs().amax() / 3
    coarse.small.weight.data = (coarse.small.weight / step).round() * step
    coarse.large = Codes(coarse.large)
    found = diagnose(coarse, drawn(20, 16, seed=2), model)
    [note] = [each for each in found if each.text.startswith("With ")]
    assert note.text.startswith('With "small" in float, 6% of the weights, the outputs gain ')
    assert note.is_note


def test_a_loud_channel_is_the_reason() -> None:
    model = nn.Sequential(nn.Linear(16, 8, bias=False)).eval()
    model[0].weight.data = drawn(8, 16)
    model[0].weight.data[:, 3] = 0
    loud = copy.deepcopy(model)
    quantize_(loud, Int8DynamicActivationInt8WeightConfig())
    x = drawn(20, 16, seed=1)
    x[:, 3] *= 1000
    first = diagnose(loud, x, model).faults[0]
    assert first.symptom == symptoms.LANGUAGE
    assert "A channel of its input is " in first.text


def test_statistics_that_a_calibration_moved() -> None:
    model = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4)).eval()
    moved = copy.deepcopy(model)
    moved[1].running_mean += 1
    first = diagnose(moved, drawn(20, 2, 6, 6), model).faults[0]
    assert "The statistics of batch norms are not those of the float model: " in first.text
    assert '"1.running_mean". Was it calibrated in training mode' in first.text


def test_bags_that_add() -> None:
    bag = nn.EmbeddingBag(9, 16, mode="mean")
    bag.weight.data = drawn(9, 16)
    model = nn.Sequential(bag).eval()
    model[0].qconfig = old.float_qparams_weight_only_qconfig
    quantized = old.convert(old.prepare(model))
    [first] = diagnose(quantized, torch.arange(9).reshape(3, 3)).faults
    assert first.symptom == symptoms.KERNEL
    assert first.text == 'These bags add their rows, whatever their mode says: "0".'


def test_weights_that_a_graph_quantizes_in_each_call() -> None:
    model = nn.Sequential(nn.Linear(16, 8)).eval()
    graph = convert_pt2e(calibrated(model, drawn(20, 16)), fold_quantize=False)
    found = [each.text for each in diagnose(graph, drawn(20, 16, seed=1)).faults]
    assert any("kept as floats, and quantized in each call" in text for text in found), found


def test_a_graph_whose_norms_train() -> None:
    model = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4)).train()
    graph = torch.export.export(model, (drawn(8, 2, 6, 6),)).module()
    found = diagnose(graph, drawn(8, 2, 6, 6))
    [norms] = [each for each in found.faults if each.symptom == symptoms.BATCH]
    assert "compute with the mean and variance of the batch" in norms.text


def test_answers_that_agree_make_a_change_a_note() -> None:
    model = nn.Sequential(nn.Linear(16, 4), nn.Hardtanh(-99, 99)).eval()
    model[0].weight.data = drawn(4, 16)
    trained = copy.deepcopy(model)
    trained[0].weight.data *= 1.001
    trained[0].bias.data += 30  # which changes no answer
    x = drawn(40, 16, seed=1)
    first = next(each for each in diagnose(trained, x, model) if "become others" in each.text)
    assert first.is_note
    trained[0].bias.data[0] += 30
    first = next(each for each in diagnose(trained, x, model) if "become others" in each.text)
    assert not first.is_note


def test_static_layers_have_no_own_code_to_blame() -> None:
    x = drawn(20, 16)
    layers = old.QuantStub(), nn.Linear(16, 8), nn.ReLU(), old.DeQuantStub()
    model = nn.Sequential(*layers).eval()
    seven_bits = old.get_default_qconfig("fbgemm")  # so that no kernel saturates
    assert not diagnose(static(*layers, x=x, qconfig=seven_bits), drawn(20, 16, seed=1), model)


def test_a_rotated_model_is_told_from_one_that_was_not_loaded() -> None:
    model = nn.Sequential(nn.Linear(32, 24, bias=False), nn.Linear(24, 8, bias=False)).eval()
    for seed, layer in enumerate(model):
        layer.weight.data = drawn(*layer.weight.shape, seed=seed)
    rotation = torch.linalg.qr(drawn(24, 24, seed=5))[0]
    rotated = copy.deepcopy(model)
    rotated[0].weight.data = rotation.T @ rotated[0].weight
    rotated[1].weight.data = rotated[1].weight @ rotation
    x = drawn(20, 32, seed=6)
    assert not [each for each in diagnose(rotated, x, model) if "those of" in each.text]
    rotated[1].weight.data = model[1].weight.data
    found = diagnose(rotated, x, model)
    [fault] = [each for each in found.faults if each.symptom == symptoms.LANGUAGE]
    assert '"0.weight". Is all that meets them turned' in fault.text


def test_a_weight_that_was_read_otherwise_is_no_rounding() -> None:
    model = Mixer()
    model.leave.weight.data = drawn(16, 32, seed=8)
    found = diagnose(changed(), FULL, model)
    assert any("which is no rounding: was it read otherwise" in e.text for e in found.faults), found


@pytest.mark.parametrize("factor", [2.0, 0.5])
def test_the_two_kinds_of_float8_are_named(factor: float) -> None:
    found = diagnose(changed(leave=lambda layer: Codes(layer, factor=factor)), FULL, Mixer())
    assert "Float8 of the kinds FN and FNUZ, taken for each other, is off by 2." in found[0].text


class Tied(nn.Module):
    """A head that shares its weight with the embedding."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.head = nn.Embedding(20, 16), nn.Linear(16, 20, bias=False)
        self.table.weight.data = drawn(20, 16)
        self.head.weight = self.table.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.table(x))


def test_a_tied_weight_that_was_not_loaded() -> None:
    lost = Tied().eval()
    lost.head.weight = nn.Parameter(drawn(20, 16, seed=3))
    texts = [each.text for each in diagnose(lost, torch.arange(20), Tied().eval()).faults]
    assert any('not those of the float model: "head.weight". Were they' in t for t in texts), texts


def test_buffers_of_positions_are_compared() -> None:
    class Waves(nn.Module):
        def __init__(self, base: float) -> None:
            super().__init__()
            waves = base ** -torch.arange(0, 1, 1 / 16)
            self.register_buffer("waves", waves, persistent=False)
            self.layer = nn.Linear(16, 4)
            self.layer.weight.data, self.layer.bias.data = drawn(4, 16), torch.zeros(4)

        def forward(self, x: Tensor) -> Tensor:
            return self.layer(torch.sin(x * self.get_buffer("waves")))

    first = diagnose(Waves(10.0).eval(), drawn(20, 1, seed=2) * 20, Waves(1e4).eval()).faults[0]
    assert first.text == 'These buffers are not those of the float model: "waves".'


def test_a_norm_of_which_half_was_divided() -> None:
    model = nn.Sequential(nn.LayerNorm(16), nn.Linear(16, 4)).eval()
    model[0].bias.data = drawn(16)
    half = copy.deepcopy(model)
    half[0].weight.data /= 3
    half[1].weight.data *= 3
    first = diagnose(half, drawn(20, 16, seed=1), model).faults[0]
    assert first.symptom == symptoms.LANGUAGE
    assert 'and their bias was not: "0". Factors divide both.' in first.text


def test_codes_that_are_long_integers_are_heavier_than_floats() -> None:
    make = dict.fromkeys(("enter", "leave"), lambda layer: Codes(layer, dtype=torch.int64))
    [found] = diagnose(changed(**make), FULL, Mixer()).faults
    assert found.symptom == symptoms.SIZE
    assert 'The largest is "enter.codes", of torch.int64.' in found.text


class Kept(nn.Module):
    """A layer that writes its outputs into memory of its own."""

    def __init__(self, layer: nn.Linear, rows: int, *, copies: bool):
        super().__init__()
        self.codes, self.copies = Codes(layer), copies
        self.register_buffer("sums", torch.empty(rows, layer.out_features))

    def forward(self, x: Tensor) -> Tensor:
        sums = self.get_buffer("sums")[: len(x)]
        sums.copy_(self.codes(x))
        return sums.clone() if self.copies else sums


@pytest.mark.parametrize("copies", [False, True])
@pytest.mark.parametrize("in_float", [False, True])
def test_a_result_that_the_next_call_changes_is_found(copies: bool, in_float: bool) -> None:
    layer = nn.Linear(16, 8)
    layer.weight.data, layer.bias.data = drawn(8, 16), drawn(8, seed=1)
    model = nn.Sequential(layer).eval()
    quantized = nn.Sequential(Kept(layer, 6, copies=copies)).eval()
    found = diagnose(quantized, drawn(6, 16, seed=2), model if in_float else None)
    changed = [each for each in found if "The next call changes" in each.text]
    assert bool(changed) is not copies
    if changed:
        assert changed[0].symptom == symptoms.EACH_TIME
        assert 'memory of a layer, "0.sums"' in changed[0].text
        assert changed[0].is_note is not in_float  # what it returns may be meant so
    if copies and in_float:
        assert not found.faults


def test_a_memory_that_the_float_model_returns_as_well_is_no_fault() -> None:
    layer = nn.Linear(16, 8)
    model = nn.Sequential(Kept(layer, 6, copies=False)).eval()
    found = diagnose(copy.deepcopy(model), drawn(6, 16, seed=2), model)
    assert not [each for each in found if "The next call changes" in each.text]


class Inverted(nn.Module):
    """A matrix and something computed from it, which undoes it or scales what comes out."""

    def __init__(self, made: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.linear = nn.Linear(16, 16, bias=False)
        self.linear.weight.data = torch.eye(16) + drawn(16, 16) / 8
        self.register_buffer("made", made(self.linear.weight.data))

    def forward(self, x: Tensor) -> Tensor:
        made = self.get_buffer("made")
        y = self.linear(x)
        return y @ made.T if made.ndim == 2 else y - made


@pytest.mark.parametrize(
    ("what", "made"),
    [
        ("the inverse", torch.linalg.inv),
        ("a copy", lambda w: w.clone()),
        ("the sum of each row", lambda w: w.sum(1)),
        ("the norm of each column", lambda w: w.norm(dim=0)),
    ],
)
def test_a_buffer_that_was_computed_from_the_float_weight_is_found(
    what: str, made: Callable[[Tensor], Tensor]
) -> None:
    model = nn.Sequential(Inverted(made)).eval()
    quantized, x = copy.deepcopy(model), drawn(64, 16, seed=3)
    quantize_(quantized, IntxWeightOnlyConfig(torch.int2))
    found = diagnose(quantized, x, model)
    [stale] = [each for each in found.faults if "as it was in float" in each.text]
    assert stale.text.startswith(f'"0.made" is {what} of "0.linear.weight"')
    quantized[0].made = made(quantized[0].linear.weight.dequantize())
    assert "as it was in float" not in str(diagnose(quantized, x, model))


class Placed(nn.Module):
    """A detector's last part: distances to both sides of places that a buffer holds."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.sides = nn.Linear(8, 2)
        self.register_buffer("centers", (torch.arange(count) + 0.5) * 8)

    def forward(self, x: Tensor) -> Tensor:
        return self.get_buffer("centers")[:, None] + self.sides(x)


@pytest.mark.parametrize(("count", "together"), [(512, True), (16, False)])
def test_places_that_are_equal_in_bfloat16_are_noted(count: int, together: bool) -> None:
    model = Placed(count).eval()
    service = copy.deepcopy(model).bfloat16()
    quantize_(service, Int8WeightOnlyConfig())
    found = diagnose(service, drawn(4, count, 8).bfloat16(), model)
    noted = [each for each in found if "in bfloat16. Keep positions" in each.text]
    assert bool(noted) is together
    if noted:
        assert noted[0].is_note and 'The 512 numbers of "centers" are 321' in noted[0].text


class Cleans(nn.Module):
    """A model that adds a small change to what it gets."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 1, 3, padding=1)
        self.conv.weight.data, self.conv.bias.data = drawn(1, 1, 3, 3, seed=1) / 3, torch.zeros(1)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.conv(x - x.mean((2, 3), keepdim=True))


@pytest.mark.parametrize(("height", "is_lost"), [(3000.0, True), (0.0, False)])
def test_a_small_change_that_is_lost_beside_the_input_is_found(
    height: float, is_lost: bool
) -> None:
    model, x = Cleans().eval(), height + drawn(2, 1, 8, 8)
    found = diagnose(convert_pt2e(calibrated(model, x)), x, model)
    lost = [each for each in found.faults if "an input and a small change" in each.text]
    assert bool(lost) is is_lost
    if lost:
        assert lost[0].symptom == symptoms.SMALL and found.sqnr > 40


class Paired(nn.Module):
    """A table of vectors, each the number of one of 256."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.register_buffer("codes", (torch.arange(4096) % 256).to(dtype))
        self.register_buffer("levels", drawn(256, 8))

    def forward(self, which: Tensor) -> Tensor:
        return self.get_buffer("levels")[self.get_buffer("codes").long()[which]]


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
def test_codes_in_wider_integers_than_they_need_are_named(dtype: torch.dtype) -> None:
    table = Paired(torch.uint8)
    model = nn.Sequential(nn.Embedding(4096, 8)).eval()
    model[0].weight.data = table(torch.arange(4096))
    found = diagnose(nn.Sequential(Paired(dtype)).eval(), torch.arange(64), model)
    texts = [
        each.text for each in found if '"0.codes" holds whole numbers from 0 to 255' in each.text
    ]
    assert bool(texts) is (dtype is not torch.uint8)
    if dtype is torch.int64:
        assert "would be 12.5% of that" in texts[0]


class Asking(Codes):
    """A layer whose weight is a method that wants to know more."""

    def weight(self, group: int) -> Tensor:
        return self.get_buffer("codes")[group]


def test_a_layer_that_shows_its_weight_to_nobody_is_still_measured() -> None:
    model = nn.Sequential(nn.Linear(16, 8)).eval()
    model[0].weight.data = drawn(8, 16)
    found = diagnose(nn.Sequential(Asking(model[0], 3.0)).eval(), drawn(6, 16, seed=2), model)
    assert found.looked_at["compared layer"] == 1 and "layers" not in found.left_out
    assert found.faults
