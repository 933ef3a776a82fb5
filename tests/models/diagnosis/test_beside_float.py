"""What is seen only beside the float model: weights, norms, gates, and outputs of one number."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import torch
import torch.ao.quantization as old
from torch import Tensor, nn
from torch.ao.quantization.quantize_fx import convert_fx
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torchao.quantization import (
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    quantize_,
)
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.testing.pt2e._xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)

from qlearn import diagnose
from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.weight_codes import are_rounded
from tests.book.provoked import UNANNOUNCED, made_static, observed_by_fx
from tests.models.diagnosis.test_own_code import Codes, Tied, drawn

pytestmark = UNANNOUNCED
FOR_X86 = old.get_default_qconfig("x86")
BY_ROW = old.QConfig(old.default_observer, old.default_per_channel_weight_observer)
BY_TENSOR = old.QConfig(old.default_observer, old.default_weight_observer)


def said(found: object) -> str:
    return " ".join(str(found).split())


def linear(*sizes: int) -> nn.Sequential:
    """Return linear layers with ReLUs between them, of known weights."""
    layers: list[nn.Module] = []
    for at, pair in enumerate(pairwise(sizes)):
        layer = nn.Linear(*pair)
        layer.weight.data = drawn(*layer.weight.shape, seed=at) / pair[0] ** 0.5
        layer.bias.data = drawn(pair[1], seed=at + 9) * 0.1
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1]).eval()


class Shift(nn.Module):
    """Adds a number to what a model puts out, and perhaps takes away its last axis."""

    def __init__(self, model: nn.Module, by: float, flat: bool = False) -> None:
        super().__init__()
        self.model, self.by, self.flat = model, by, flat

    def forward(self, x: Tensor) -> Tensor:
        y = self.model(x) + self.by
        return y.squeeze(-1) if self.flat else y


@pytest.mark.parametrize("flat", [False, True])
def test_an_output_of_one_number_is_judged_by_what_varies(flat: bool) -> None:
    model, noisy = linear(16, 32, 1), linear(16, 32, 1)
    noisy[2].weight.data = noisy[2].weight.data.round()
    x = drawn(64, 16, seed=3)
    found = diagnose(Shift(noisy, 300.0, flat), x, Shift(model, 300.0, flat).eval())
    assert found.sqnr is not None and found.sqnr < 15
    healthy = copy.deepcopy(model)
    quantize_(healthy, Int8WeightOnlyConfig())
    sound = diagnose(Shift(healthy, 300.0, flat), x, Shift(model, 300.0, flat).eval())
    assert sound.sqnr is not None and sound.sqnr > 30 and not sound.explains


def test_a_constant_output_without_a_second_axis_is_seen() -> None:
    model = linear(16, 32, 1)
    constant = copy.deepcopy(model)
    constant[2].weight.data.zero_()
    x = drawn(64, 16, seed=3)
    found = diagnose(Shift(constant, 0.0, True), x, Shift(model, 0.0, True).eval())
    assert "All 64 rows of the output are equal." in said(found)


def test_errors_by_chance_make_no_rows_wrong() -> None:
    class Noisy(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.sum(1, keepdim=True) + drawn(len(x), 1, seed=8) * 0.5

    class Exact(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.sum(1, keepdim=True)

    assert "some rows" not in said(diagnose(Noisy(), drawn(256, 16), Exact().eval()))


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_tied_weight_that_holds_other_numbers_was_not_loaded(is_lost: bool) -> None:
    model, tokens = Tied().eval(), torch.arange(64).reshape(8, 8) % 20
    ours = copy.deepcopy(model)
    ours.head.weight = nn.Parameter(drawn(20, 16, seed=4) if is_lost else ours.head.weight.clone())
    quantize_(ours, Int8WeightOnlyConfig())
    first = diagnose(ours, tokens, model).faults[0]
    assert first.symptom == (symptoms.WORSE if is_lost else symptoms.SIZE)
    assert ("holds different numbers" in first.text) is is_lost


def test_columns_beside_large_ones_become_zeros() -> None:
    model = linear(12, 16, 1)
    model[0].weight.data[:, :3] *= 2000
    quantized, x = copy.deepcopy(model), drawn(64, 12, seed=3)
    x[:, :3] /= 2000
    quantize_(quantized, Int8WeightOnlyConfig())
    found = diagnose(quantized, x, model)
    assert '9 of 12 columns of "0.weight" became 0' in found.faults[0].text
    assert "share a scale" not in said(found)  # what only a layer that rounds its inputs has
    assert "On the same input" not in said(found)  # the layer has its reason


def test_a_weight_is_the_reason_where_its_roughest_columns_meet_large_inputs() -> None:
    model = linear(12, 16, 1)
    model[0].weight.data[:, :3] *= 100
    quantized, x = copy.deepcopy(model), drawn(64, 12, seed=3)
    x[:, :3] /= 100
    quantize_(quantized, Int8WeightOnlyConfig())
    found = said(diagnose(quantized, x, model))
    assert 'On the same input, "0" has' in found and "meets large inputs" in found
    assert "not the reason" not in found


@pytest.mark.parametrize("by_row", [False, True])
def test_rows_with_scales_of_their_own_do_not_share_one(by_row: bool) -> None:
    model = nn.Sequential(old.QuantStub(), *linear(16, 32, 4), old.DeQuantStub()).eval()
    if not by_row:
        model[1].weight.data[::2] /= 1000
        model[1].bias.data[::2] /= 1000
        model[3].weight.data[:, ::2] *= 1000
    quantized, x = copy.deepcopy(model), drawn(64, 16, seed=3)
    if by_row:
        quantized[1].weight.data[::2] = 0  # as a training does whose steps are too large
        quantized[1].weight.data[1::2] = drawn(16, 16, seed=7)
    weights = old.default_per_channel_weight_observer if by_row else old.default_weight_observer
    ours = made_static(quantized, x, old.QConfig(old.default_observer, weights))
    found = said(diagnose(ours, x, model))
    assert ("became 0, since larger ones share" in found) is not by_row
    assert ("too large a learning rate" in found) is by_row


def normed(eps: float = 1e-3) -> nn.Sequential:
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8, eps=eps), nn.ReLU()).eval()
    model[0].weight.data = drawn(8, 3, 3, 3) * 0.01
    model[1].running_var = torch.linspace(1e-4, 5e-4, 8)
    return model


@pytest.mark.parametrize(("eps", "is_named"), [(1e-3, False), (1e-5, True)])
def test_a_norm_that_was_folded_with_another_eps_is_named(eps: float, is_named: bool) -> None:
    model, x = normed(), drawn(8, 3, 8, 8, seed=3)
    other = normed(eps)
    ours = nn.Sequential(fuse_conv_bn_eval(other[0], other[1]), nn.Identity(), nn.ReLU()).eval()
    ours[0].weight.data = (ours[0].weight.data * 200).round() / 200
    ours[0].bias.data += 3 * (not is_named)  # something else is wrong
    found = said(diagnose(ours, x, model))
    assert ('Into "0.weight" a norm was folded with an eps of 1e-05' in found) is is_named
    assert "times as large as in float" not in found


def test_weights_that_grew_beyond_their_range_pile_up_at_its_ends() -> None:
    model = nn.Sequential(old.QuantStub(), *linear(16, 32, 4), old.DeQuantStub()).eval()
    grown, x = copy.deepcopy(model), drawn(64, 16, seed=3)
    grown.qconfig = old.get_default_qat_qconfig("x86")
    prepared = old.prepare_qat(grown.train())
    prepared(x)
    prepared.apply(old.disable_observer)
    prepared[1].weight.data *= 3
    found = diagnose(old.convert(prepared.eval()), x, model).faults[0]
    assert found.symptom == symptoms.TRAINING
    assert 'of the codes of "1.weight" stand at the ends' in found.text


class Groups(nn.Module):
    """A linear layer that somebody wrote, with four bits in groups of 16."""

    def __init__(self, layer: nn.Linear, shift: int = 0, transposed: bool = False) -> None:
        super().__init__()
        weight = layer.weight.detach().reshape(layer.out_features, -1, 16)
        low, high = weight.amin(2, keepdim=True), weight.amax(2, keepdim=True)
        scale = (high - low) / 15
        zero_point = (-low / scale).round()
        codes = (weight / scale + zero_point).round().clamp(0, 15)
        self.register_buffer("codes", codes.to(torch.uint8))
        scale = scale.flatten(1).T.reshape(scale.shape) if transposed else scale
        self.register_buffer("scale", scale)
        self.register_buffer("zero_point", zero_point - shift)
        self.bias = layer.bias

    def forward(self, x: Tensor) -> Tensor:
        codes, scale, zero_point = (
            self.get_buffer(name) for name in ("codes", "scale", "zero_point")
        )
        return nn.functional.linear(x, ((codes - zero_point) * scale).flatten(1), self.bias)


@pytest.mark.parametrize("wrong", [{}, {"shift": 3}, {"transposed": True}], ids=str)
def test_four_bits_that_were_read_otherwise_are_told_from_too_few(wrong: dict[str, Any]) -> None:
    model, x = linear(64, 64, 8), drawn(64, 64, seed=3)
    model[0].weight.data *= 1 + drawn(64, 64, seed=5).abs()
    ours = copy.deepcopy(model)
    ours[0] = Groups(ours[0], **wrong)
    found = diagnose(ours, x, model)
    assert ("was it read as it was written" in said(found)) is bool(wrong)
    if wrong:
        assert found.faults[0].symptom == symptoms.LANGUAGE


class Gated(nn.Module):
    """Two layers that read one norm."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(32)
        self.gate, self.up, self.down = nn.Linear(32, 64), nn.Linear(32, 64), nn.Linear(64, 32)
        for seed, layer in enumerate((self.gate, self.up, self.down)):
            layer.weight.data = drawn(*layer.weight.shape, seed=seed) / 6

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x)
        return self.down(self.gate(y).sigmoid() * self.up(y))


@pytest.mark.parametrize("is_forgotten", [False, True])
def test_a_layer_that_was_not_changed_with_its_norm_is_named(is_forgotten: bool) -> None:
    model, factors = Gated().eval(), torch.logspace(-0.7, 0.7, 32)
    ours = copy.deepcopy(model)
    ours.norm.weight.data /= factors
    ours.norm.bias.data /= factors
    for layer in (ours.gate,) if is_forgotten else (ours.gate, ours.up):
        layer.weight.data *= factors
    quantize_(ours, Int8DynamicActivationInt8WeightConfig())
    found = diagnose(ours, drawn(32, 32, seed=3), model)
    if is_forgotten:
        assert found.faults[0].text.startswith('"norm" was changed, and "up", which reads it,')
    assert len(found.faults) == is_forgotten, str(found)


class OwnLSTM(nn.Module):
    """An LSTM that somebody wrote, with rounded weights, and the gates in some order."""

    def __init__(self, layer: nn.LSTM, order: str) -> None:
        super().__init__()
        self.order = order
        for name, weight in layer.named_parameters():
            self.register_buffer(name, (weight.detach() * 64).round() / 64)

    def forward(self, x: Tensor) -> tuple[Tensor, None]:
        into, along, one, other = self.buffers()
        h = c = x.new_zeros(len(x), along.shape[1])
        found = []
        for step in x.unbind(1):
            gates = (step @ into.T + one + h @ along.T + other).chunk(4, 1)
            i, f, g, o = (gates[self.order.index(gate)] for gate in "ifgo")
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            found.append(h)
        return torch.stack(found, 1), None


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.head = nn.LSTM(8, 16, batch_first=True), nn.Linear(16, 2)
        for seed, weight in enumerate(self.lstm.parameters()):
            weight.data = drawn(*weight.shape, seed=seed) * 0.4

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(x)[0][:, -1])


@pytest.mark.parametrize("order", ["ifgo", "iofg"])
def test_gates_in_another_order_are_found(order: str) -> None:
    model = Recurrent().eval()
    ours: Any = copy.deepcopy(model)
    ours.lstm = OwnLSTM(model.lstm, order)
    found = said(diagnose(ours, drawn(32, 10, 8, seed=30), model))
    assert ("With its gates in another order" in found) is (order != "ifgo")


class Sum(nn.Module):
    """A bag that divides by the number of places, padding among them."""

    def __init__(self, bag: nn.EmbeddingBag) -> None:
        super().__init__()
        self.register_buffer("codes", (bag.weight.detach() * 32).round().to(torch.int8))

    def forward(self, x: Tensor) -> Tensor:
        return (self.get_buffer("codes")[x] / 32).sum(1) / x.shape[1]


def test_rows_of_another_size_are_told_from_wrong_ones() -> None:
    model: Any = nn.Sequential(nn.EmbeddingBag(50, 16, mode="mean", padding_idx=0)).eval()
    model[0].weight.data = drawn(50, 16)
    model[0].weight.data[0] = 0
    tokens = torch.arange(320).reshape(32, 10) % 50
    tokens[:, 4:] = 0
    found = said(diagnose(nn.Sequential(Sum(model[0])), tokens, model))
    assert "Its rows point the same way, and are of another size" in found


def prices(model: nn.Module, x: Tensor) -> nn.Module:
    """Return the model with an output of eight bits that one large price has set the step of."""
    return made_static(copy.deepcopy(model), torch.cat([x, x[:1] * 12]), BY_ROW)


def test_prices_in_few_steps_are_noted() -> None:
    model = nn.Sequential(old.QuantStub(), nn.Linear(4, 1), old.DeQuantStub()).eval()
    x = drawn(64, 4, seed=3).abs()
    model[1].weight.data = torch.tensor([[10.0, 20.0, 5.0, 8.0]])
    ours = prices(model, x)
    (note,) = [each for each in diagnose(ours, x, model) if "steps of" in each.text]
    assert note.is_note and note.text.startswith("Half of the outputs lie within")


@pytest.mark.parametrize("then", [nn.ReLU, nn.Identity])
def test_what_a_relu_would_cut_anyway_is_no_loss(then: Callable[[], nn.Module]) -> None:
    layers = nn.Conv2d(2, 4, 1), then(), nn.Conv2d(4, 2, 1)
    model = nn.Sequential(old.QuantStub(), *layers, old.DeQuantStub()).eval()
    x = drawn(8, 2, 6, 6, seed=3)
    quantized = made_static(model, x, FOR_X86)
    quantized[1].zero_point, quantized[1].scale = 0, quantized[1].scale / 2  # no negative numbers
    found = said(diagnose(quantized, x, model))
    assert ('At "1"' in found) is (then is nn.Identity)


def test_a_ruler_that_a_mask_made_has_its_entry() -> None:
    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.quant, self.rest = old.QuantStub(), old.DeQuantStub()

        def forward(self, x: Tensor) -> Tensor:
            return self.rest(self.quant(x)).softmax(-1)

    model = Masked().eval()
    x = drawn(16, 8, seed=3)
    ours = made_static(model, x.masked_fill(x > 1, -1e4), FOR_X86)
    first = diagnose(ours, x, model).faults[0]
    assert first.symptom == symptoms.SMALL
    assert "Was a mask there when it was calibrated" in first.text


class Wraps(nn.Module):
    """A linear layer that rounds its inputs by a scale that is too small, and does not clamp."""

    def __init__(self, layer: nn.Linear, step: float) -> None:
        super().__init__()
        self.step, self.bias = step, layer.bias
        scale = layer.weight.detach().abs().amax(1, keepdim=True) / 127
        self.register_buffer("scale", scale.T)
        self.register_buffer("codes", (layer.weight.detach() / scale).round().to(torch.int8).T)

    def forward(self, x: Tensor) -> Tensor:
        rounded = (x / self.step).round().to(torch.int32).to(torch.int8)
        y = rounded.float() @ self.get_buffer("codes").float()
        return y * self.step * self.get_buffer("scale") + self.bias


@pytest.mark.parametrize("step", [0.04, 0.015])
def test_codes_that_overflow_are_told_from_a_weight_in_another_order(step: float) -> None:
    model, x = linear(16, 32, 4), drawn(64, 16, seed=3)
    ours = copy.deepcopy(model)
    ours[0] = Wraps(ours[0], step)
    found = diagnose(ours, x, model)
    assert ("codes overflow" in said(found)) is (step < x.abs().max().item() / 127)
    assert "another order" not in said(found)


@pytest.mark.parametrize("beside_float", [False, True])
def test_one_scale_that_leaves_most_rows_two_bits_is_named(beside_float: bool) -> None:
    model = nn.Sequential(old.QuantStub(), *linear(16, 32, 4), old.DeQuantStub()).eval()
    model[1].weight.data[2:] /= 60
    model[3].weight.data[:, 2:] *= 60
    quantized, x = copy.deepcopy(model), drawn(64, 16, seed=3)
    ours = made_static(quantized, x, BY_TENSOR)
    found = said(diagnose(ours, x, model if beside_float else None))
    assert 'of the rows of "1.weight" have no code beyond 3' in found


class Twice(nn.Module):
    """Adds twice by one function."""

    def __init__(self) -> None:
        super().__init__()
        self.quant, self.rest = old.QuantStub(), old.DeQuantStub()
        self.plus = torch.ao.nn.quantized.FloatFunctional()

    def forward(self, x: Tensor) -> Tensor:
        x = self.quant(x)
        large = self.plus.add_scalar(x, 0.0)
        small = self.plus.mul(x, x)
        return self.rest(self.plus.add(large, large)), self.rest(small)  # type: ignore[return-value]


def test_a_function_that_is_called_twice_is_named() -> None:
    model = Twice().eval()
    x = drawn(64, 16, seed=3) * 0.02
    found = said(diagnose(made_static(model, x, BY_TENSOR), x, model))
    assert 'At "plus"' in found
    assert "It is called more than once, and a larger result set its ruler" in found


def test_a_sigmoid_whose_small_values_are_lost_is_noted() -> None:
    class Probability(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.quant, self.rest = old.QuantStub(), old.DeQuantStub()

        def forward(self, x: Tensor) -> Tensor:
            return self.rest(torch.sigmoid(self.quant(x)))

    model = Probability().eval()
    x = drawn(64, 16, seed=3) * 3 - 7
    ours = made_static(model, x, FOR_X86)
    found = [each for each in diagnose(ours, x) if "become 0" in each.text]
    assert found and all(each.is_note for each in found)


def test_answers_that_agree_though_numbers_differ_are_said_to() -> None:
    model = linear(16, 32, 4)
    trained = copy.deepcopy(model)
    trained[2].weight.data *= 1.3
    trained[2].bias.data *= 1.3
    trained[2].weight.data += 0.002 * drawn(4, 32, seed=6)
    found = diagnose(trained, drawn(64, 16, seed=3), model)
    assert found.agrees and found.sqnr is not None and found.sqnr < 15
    assert "The numbers differ, and nearly all answers agree" in said(found)


@pytest.mark.parametrize("inplace", [False, True])
def test_what_is_written_into_a_norms_result_is_no_change_of_the_norm(inplace: bool) -> None:
    model = nn.Sequential(nn.LayerNorm(32), nn.ReLU(inplace=inplace), linear(32, 32, 4)).eval()
    ours = copy.deepcopy(model)
    ours[0].weight.data /= 2
    ours[2][0].weight.data = (ours[2][0].weight.data * 2 * 4).round() / 4  # two bits or three
    assert "was changed, and" not in said(diagnose(ours, drawn(32, 32, seed=3), model))


def test_a_layer_behind_a_norm_with_more_arguments_is_compared() -> None:
    class Attending(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.LayerNorm(16)
            self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
            self.head = nn.Linear(16, 2)

        def forward(self, x: Tensor) -> Tensor:
            y = self.norm(x)
            return self.head(self.attention(y, y, y)[0])

    model = Attending().eval()
    ours = copy.deepcopy(model)
    ours.norm.weight.data /= 2
    quantize_(ours, Int8WeightOnlyConfig())
    assert not diagnose(ours, drawn(16, 6, 16, seed=3), model).left_out


def test_three_scores_that_vary_little_are_judged_by_their_answers() -> None:
    model = linear(16, 32, 3)
    model[2].weight.data *= 0.05
    model[2].bias.data = torch.tensor([5.0, 0.0, -5.0])
    ours = copy.deepcopy(model)
    ours[2].weight.data = (ours[2].weight.data * 60).round() / 60
    found = diagnose(ours, drawn(64, 16, seed=3), model)
    assert found.sqnr is not None and found.sqnr > 30


def test_what_a_relu_cuts_is_a_loss_to_another_reader() -> None:
    class Both(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.quant, self.layer, self.rest = old.QuantStub(), nn.Linear(8, 8), old.DeQuantStub()
            self.plus = torch.ao.nn.quantized.FloatFunctional()

        def forward(self, x: Tensor) -> Tensor:
            y = self.layer(self.quant(x))
            return self.rest(self.plus.add(torch.relu(y), y))  # type: ignore[return-value]

    model, x = Both().eval(), drawn(64, 8, seed=3)
    quantized = made_static(model, x, FOR_X86)
    quantized.layer.zero_point, quantized.layer.scale = 0, quantized.layer.scale / 2
    assert 'At "layer"' in said(diagnose(quantized, x, model))


def test_columns_of_one_row_are_zeros_by_chance() -> None:
    model = linear(16, 64, 1)
    ours = copy.deepcopy(model)
    ours[2].weight.data = (ours[2].weight.data * 8).round() / 8
    ours[0].bias.data += 1
    assert "columns of" not in said(diagnose(ours, drawn(64, 16, seed=3), model))


def test_a_norm_that_is_still_there_was_not_folded() -> None:
    model = normed()
    ours = copy.deepcopy(model)
    ours[0].weight.data = (ours[0].weight.data * 400).round() / 400 + 0.002
    assert "was folded" not in said(diagnose(ours, drawn(8, 3, 8, 8, seed=3), model))


def test_numbers_that_float_puts_out_in_steps_are_not_rounded_here() -> None:
    class Stepped(nn.Module):
        def __init__(self, model: nn.Module) -> None:
            super().__init__()
            self.model = model

        def forward(self, x: Tensor) -> Tensor:
            return (self.model(x) * 2).round() / 2

    model = nn.Sequential(old.QuantStub(), nn.Linear(4, 1), old.DeQuantStub()).eval()
    x = drawn(64, 4, seed=3).abs()
    model[1].weight.data = torch.tensor([[2.0, 3.0, 1.0, 2.0]])
    ours = Stepped(prices(model, x)).eval()
    assert "steps of" not in said(diagnose(ours, x, Stepped(model).eval()))


def test_weights_that_moved_are_named_beside_one_that_is_another() -> None:
    model = linear(32, 32, 32, 32, 32, 4)
    trained = copy.deepcopy(model)
    trained[0].weight.data = drawn(32, 32, seed=40)
    trained[2].weight.data += 0.1 * drawn(32, 32, seed=41)  # a cosine of 0.87
    found = said(diagnose(trained, drawn(64, 32, seed=3), model))
    assert 'those of the float model: "0.weight", "2.weight". Were they loaded?' in found


@pytest.mark.parametrize("few_bits", [False, True])
def test_weights_that_are_meant_to_stand_at_the_ends_did_not_grow(few_bits: bool) -> None:
    model = nn.Sequential(old.QuantStub(), *linear(16, 32, 4), old.DeQuantStub()).eval()
    quantized, x = copy.deepcopy(model), drawn(64, 16, seed=3)
    if few_bits:  # -1, 0 and 1 times a scale
        quantized[1].weight.data = (model[1].weight.data * 4).round().clamp(-1, 1)
    else:
        model[1].weight.data = model[1].weight.data.sign()
        quantized[1].weight.data = model[1].weight.data
    found = diagnose(made_static(quantized, x / 20, BY_ROW), x, model)
    assert found.faults and "stand at the ends" not in said(found)


def test_a_norm_on_codes_hinders_nothing() -> None:
    model = nn.Sequential(
        old.QuantStub(), nn.Conv2d(2, 4, 1), nn.GroupNorm(2, 4), old.DeQuantStub()
    )
    x = drawn(8, 2, 6, 6, seed=3)
    assert not diagnose(made_static(model.eval(), x, FOR_X86), x, model).left_out


class Cached(nn.Module):
    """A model whose own code needs float32: it counts positions."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(16, 16)
        self.register_buffer("speed", 2.0 ** -torch.arange(16))

    def forward(self, x: Tensor) -> Tensor:
        places = torch.arange(x.shape[1], dtype=self.speed.dtype)[:, None] * self.speed
        return self.layer(x) + places.sin() * 3


def test_bfloat16_that_counts_positions_is_not_sent_to_bfloat16() -> None:
    model, x = Cached().eval(), drawn(4, 900, 16, seed=3)
    ours = copy.deepcopy(model)
    quantize_(ours, Int8WeightOnlyConfig())
    found = diagnose(ours.bfloat16(), x.bfloat16(), model)
    assert symptoms.LENGTH in [each.symptom for each in found]
    assert "Take bfloat16" not in said(found)


def test_own_code_is_not_the_reason_where_float_code_around_the_layers_does_the_same() -> None:
    class Sums(nn.Module):
        """Takes the difference of two layers that are nearly the same."""

        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(linear(8, 8)[0] for _ in range(2))
            self.layers[1].weight.data += 0.003 * drawn(8, 8, seed=7)

        def forward(self, x: Tensor) -> Tensor:
            return self.layers[0](x) - self.layers[1](x)

    model = Sums().eval()
    ours: Any = copy.deepcopy(model)
    ours.layers = nn.ModuleList(Codes(layer) for layer in model.layers)
    assert "Look at its own code" not in said(diagnose(ours, drawn(64, 8, seed=3), model))


class Joined(nn.Module):
    """A convolution of colours and coordinates, and what is made of it."""

    def __init__(self) -> None:
        super().__init__()
        self.enter, self.stem = old.QuantStub(), nn.Conv2d(5, 8, 1)
        self.leave, self.head = old.DeQuantStub(), nn.Conv2d(8, 2, 1)
        self.stem.weight.data = drawn(8, 5, 1, 1, seed=1)
        self.stem.weight.data[:, 3:] /= 250

    def forward(self, x: Tensor) -> Tensor:
        return self.leave(self.head(self.stem(self.enter(x)).relu()))


def by_xnnpack(model: nn.Module, x: Tensor) -> nn.Module:
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(model, (x,)).module(), quantizer)
    prepared(x)
    return convert_pt2e(prepared)


@pytest.mark.parametrize("joined", [True, False])
@pytest.mark.parametrize(
    "way",
    [
        lambda model, x: made_static(model, x, BY_ROW),
        lambda model, x: convert_fx(observed_by_fx(model, x)),
        by_xnnpack,
    ],
    ids=["eager", "FX", "PT2E"],
)
def test_channels_of_an_input_that_are_lost_behind_their_mean(
    way: Callable[..., nn.Module], joined: bool
) -> None:
    model, x = Joined().eval(), torch.rand(8, 5, 6, 6)
    x[:, 3:] *= 250 if joined else 1
    found = diagnose(way(copy.deepcopy(model), x), x, model)
    assert ("60% of the channels have less than 6 dB" in said(found)) is joined
    if joined:
        assert found.faults[0].symptom == symptoms.SMALL


def test_channels_inside_may_vary_little() -> None:
    model = nn.Sequential(old.QuantStub(), *linear(16, 32, 4), old.DeQuantStub()).eval()
    model[1].weight.data[:20] /= 1000
    model[1].bias.data[:20] += 2
    x = drawn(64, 16, seed=3)
    assert "of the channels" not in said(diagnose(made_static(model, x, BY_ROW), x, linear(16, 4)))


def test_rows_beside_a_large_one_lead_to_a_scale_for_each() -> None:
    model, x = linear(16, 32, 4), drawn(64, 16, seed=3)
    x[0] *= 1000
    found = diagnose(old.quantize_dynamic(copy.deepcopy(model), {nn.Linear}), x, model)
    [lost] = [each for each in found if "of the rows have less than 6 dB" in each.text]
    assert lost.symptom == symptoms.BATCH


class Filled(nn.Module):
    """An embedding of sixteen levels from the smallest number to the largest."""

    def __init__(self, weight: Tensor, *, whole: bool) -> None:
        super().__init__()
        scale = (weight.max() - weight.min()) / 15
        low = (weight.min() / scale).round() * scale if whole else weight.min()
        codes = ((weight - low) / scale).round().clamp(0, 15)
        self.register_buffer("rows", codes * scale + low)

    def forward(self, indices: Tensor) -> Tensor:
        return self.rows[indices]


class Summed(nn.Module):
    """Sums the rows of words, and of the padding behind them."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.head = nn.Embedding(50, 16, padding_idx=0), nn.Linear(16, 4, bias=False)
        self.words.weight.data[1:] = drawn(49, 16, seed=1)
        self.head.weight.data = drawn(4, 16, seed=2)

    def forward(self, words: Tensor) -> Tensor:
        return self.head(self.words(words).sum(1))


@pytest.mark.parametrize("whole", [True, False])
def test_a_row_of_padding_that_is_no_longer_zero(whole: bool) -> None:
    model, words = Summed().eval(), torch.zeros(32, 200, dtype=torch.long)
    words[:, :6] = torch.arange(32 * 6).reshape(32, 6) % 49 + 1
    ours: Any = copy.deepcopy(model)
    ours.words = Filled(model.words.weight.detach(), whole=whole)
    found = diagnose(ours, words, model)
    assert ('are not 0 any more: "words"' in said(found)) is not whole
    if not whole:
        assert found.faults[0].symptom == symptoms.BATCH


@pytest.mark.parametrize("own", [True, False])
def test_rows_with_factors_of_their_own_are_no_missing_scale(own: bool) -> None:
    model = linear(16, 32, 4)
    ours: Any = copy.deepcopy(model)
    factors = torch.linspace(1, 4, 32) if own else torch.full((32,), 3.0)
    ours[0].weight.data *= factors[:, None]
    ours[0] = Codes(ours[0])
    found = said(diagnose(ours, drawn(64, 16, seed=3), model))
    assert ("the largest 4 times the smallest: has each row its own scale?" in found) is own
    assert ("times as large as the float one" in found) is not own


@pytest.mark.parametrize("moved", [True, False])
def test_weights_that_no_training_has_moved_are_the_float_ones_rounded(moved: bool) -> None:
    ternary = old.FakeQuantize.with_args(
        observer=old.PerChannelMinMaxObserver,
        qscheme=torch.per_channel_symmetric,
        **{"quant_min": -1, "quant_max": 1, "dtype": torch.qint8},
    )
    model = nn.Sequential(old.QuantStub(), *linear(16, 32, 4), old.DeQuantStub()).eval()
    trained, x = copy.deepcopy(model).train(), drawn(64, 16, seed=3)
    if moved:
        trained[1].weight.data += 0.1 * drawn(32, 16, seed=7)
    trained.qconfig = old.QConfig(old.default_fake_quant, ternary)  # type: ignore[assignment]
    prepared = old.prepare_qat(trained)
    prepared(x)
    found = diagnose(old.convert(prepared.eval()), x, model)
    assert found.sqnr is not None and found.sqnr < 15
    assert ("no training has moved them" in said(found)) is not moved


@pytest.mark.parametrize("qconfig", [BY_ROW, BY_TENSOR], ids=["rows", "tensor"])
def test_codes_are_those_of_a_weight_by_their_own_scales(qconfig: old.QConfig) -> None:
    model = nn.Sequential(old.QuantStub(), *linear(16, 32, 4), old.DeQuantStub()).eval()
    x, quantized = drawn(64, 16, seed=3), made_static(copy.deepcopy(model), drawn(64, 16), qconfig)
    assert are_rounded(Case(quantized, x, model))
    model[3].weight.data[0] += 0.1
    assert not are_rounded(Case(quantized, x, model))
