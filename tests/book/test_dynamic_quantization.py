"""What the chapter on dynamic quantization says beside its outputs."""

from __future__ import annotations

import copy
import platform

import pytest
import torch
from torch import nn
from torch.ao import quantization as tq
from torchao.quantization import Int8DynamicActivationInt8WeightConfig, quantize_

from qlearn.course import number_bytes, split_digits, trained_digits_lstm
from qlearn.course.exercises.chapters.dynamic_quantization import (
    BYTES_AFTER,
    NOT_LAST,
    bytes_after,
    chosen_bytes,
)
from qlearn.course.exercises.exercise import Case
from qlearn.course.linear_lstm import with_linear_lstms
from qlearn.machine import use_engine

CONFIG = Int8DynamicActivationInt8WeightConfig()


def reached(model: nn.Module) -> list[str]:
    """Return the names of the integer weights, after quantizing a copy."""
    model = copy.deepcopy(model)
    quantize_(model, CONFIG)
    named = model.named_parameters()
    return [name for name, weight in named if type(weight).__name__ == "Int8Tensor"]


def test_linear_layers_are_reached_and_what_the_table_names_is_not() -> None:
    encoder = nn.TransformerEncoderLayer(8, 2, 16)
    assert reached(encoder) == ["linear1.weight", "linear2.weight"]
    model = nn.Sequential(nn.LSTM(3, 4), nn.Conv1d(2, 2, 3), nn.Conv2d(2, 2, 3), nn.Embedding(4, 4))
    assert reached(model) == []


@pytest.mark.parametrize("layer", [nn.Conv1d(8, 4, 3), nn.Conv2d(8, 4, 3)], ids=["1d", "2d"])
def test_a_named_convolution_fails_when_it_is_called(layer: nn.Conv1d | nn.Conv2d) -> None:
    kind = type(layer)
    model = nn.Sequential(layer)
    quantize_(model, CONFIG, filter_fn=lambda module, _: isinstance(module, kind))
    sizes = [8] * (1 + len(layer.kernel_size))
    with pytest.raises(NotImplementedError, match="convolution"), torch.no_grad():
        model(torch.zeros(1, *sizes))


@pytest.mark.parametrize(("inputs", "outputs"), [(64, 10), (2, 3), (300, 7)])
def test_a_quantized_linear_layer_has_the_bytes_of_the_formula(inputs: int, outputs: int) -> None:
    model = nn.Sequential(nn.Linear(inputs, outputs))
    assert number_bytes(model) == 4 * inputs * outputs + 4 * outputs
    quantize_(model, CONFIG)
    assert number_bytes(model) == inputs * outputs + 9 * outputs


@pytest.mark.parametrize("case", BYTES_AFTER.tried(), ids=lambda case: case.about)
def test_the_exercise_counts_as_many_bytes_as_torchao_leaves(case: Case) -> None:
    model = copy.deepcopy(case.args[0])
    quantize_(model, CONFIG)
    assert number_bytes(model) == bytes_after(case.args[0])


def test_the_unmended_filter_leaves_as_many_bytes_as_the_exercise_says() -> None:
    model = with_linear_lstms(trained_digits_lstm())
    for answer in (False, True):
        mended = copy.deepcopy(model)
        quantize_(mended, CONFIG, lambda m, name, answer=answer: answer and NOT_LAST.right(m, name))
        filtered = chosen_bytes(lambda m, name, a=answer: a and NOT_LAST.right(m, name), model)
        assert number_bytes(mended) == filtered["model's bytes"]


def test_the_linear_layer_has_three_percent_of_the_bytes() -> None:
    model = trained_digits_lstm()
    assert round(100 * number_bytes(model.fc) / number_bytes(model)) == 3
    assert round(number_bytes(model.lstm) / 1000) == 84


def test_a_loud_row_is_ten_times_the_largest_feature() -> None:
    model = trained_digits_lstm().requires_grad_(False)
    features = model.conv(split_digits().test_images[:1].squeeze(1).transpose(1, 2)).relu()
    assert 9.5 < 20 / features.max().item() < 11


def test_a_filter_gets_the_names_of_modules() -> None:
    seen: list[str] = []

    def note(_: nn.Module, name: str) -> bool:
        seen.append(name)
        return False

    quantize_(trained_digits_lstm(), CONFIG, filter_fn=note)
    assert "lstm" in seen
    assert not any("weight" in name for name in seen)


@pytest.mark.filterwarnings("ignore")
def test_the_class_of_a_layer_beats_the_name_of_its_parent() -> None:
    model = nn.Sequential(nn.Sequential(nn.Linear(4, 4)))
    recipe = tq.default_dynamic_qconfig
    use_engine()
    found = {}
    for of_parent, of_class in ((None, recipe), (recipe, None)):
        spec = {"0": of_parent, nn.Linear: of_class}
        layer = tq.quantize_dynamic(model, spec).get_submodule("0.0")
        found[of_class is not None] = type(layer) is not nn.Linear
    assert found == {True: True, False: False}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("batch_first", [True, False])
def test_a_swapped_transformer_layer_with_batches_first_fails(batch_first: bool) -> None:
    use_engine()
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=batch_first)
    swapped = tq.quantize_dynamic(nn.Sequential(layer).eval())
    if not batch_first:
        assert swapped(torch.ones(3, 2, 8)).shape == (3, 2, 8)
        return
    with pytest.raises(AttributeError, match="'function' object has no attribute 'device'"):
        swapped(torch.ones(3, 2, 8))


@pytest.mark.filterwarnings("ignore")
def test_a_weight_beyond_half_precision_is_clipped() -> None:
    if use_engine() not in ("fbgemm", "x86") or platform.machine() == "aarch64":
        pytest.skip("this processor's engines keep no weights in half precision")
    layer = nn.Linear(2, 1)
    nn.init.constant_(layer.weight, 1e5)
    swapped = tq.quantize_dynamic(nn.Sequential(layer), dtype=torch.float16)
    assert swapped[0].weight().tolist() == [[65504.0, 65504.0]]
