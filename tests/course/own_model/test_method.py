"""Which layers a method takes, which it leaves in float, and why."""

import copy

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations
from torchao.quantization import (
    Int8WeightOnlyConfig,
    IntxWeightOnlyConfig,
    PerAxis,
    PerGroup,
    quantize_,
)

from qlearn.course.own_model import Method, OwnModel, look_at, quantized, timed, trials
from qlearn.course.own_model.method import fitting, why_not

INT8 = Method("int8 weights", Int8WeightOnlyConfig())
FOUR = Method("four bits", IntxWeightOnlyConfig(torch.int4, PerGroup(32)))
ROWS = Method("rows", IntxWeightOnlyConfig(torch.int8, PerAxis(0)), (nn.Linear, nn.Conv2d))


def tied() -> nn.Module:
    model = nn.Sequential(nn.Embedding(20, 32), nn.Linear(32, 20, bias=False))
    model[1].weight = model[0].weight
    return model


@pytest.mark.parametrize(
    ("model", "method", "said"),
    [
        (nn.Sequential(nn.Linear(20, 4)), FOUR, "20 inputs, and groups of 32"),
        (nn.Sequential(nn.Conv2d(1, 4, 3)), INT8, "PT2E takes them"),
        (nn.Sequential(nn.Conv2d(1, 4, 3)), ROWS, "one input channel"),
        (nn.Sequential(nn.Conv2d(4, 4, 3, groups=4)), ROWS, "one input channel"),
        (nn.Sequential(nn.GRU(4, 4)), INT8, "recurrent"),
        (nn.Sequential(nn.LSTMCell(4, 4)), INT8, "recurrent"),
        (nn.Sequential(nn.Bilinear(4, 4, 4)), INT8, "three axes"),
        (nn.Sequential(nn.EmbeddingBag(4, 4)), INT8, "cannot add them up"),
        (nn.Sequential(nn.Embedding(4, 4)), ROWS, "not for nn.Embedding"),
        (nn.Sequential(parametrizations.weight_norm(nn.Linear(4, 4))), INT8, "computed from"),
        (nn.Sequential(nn.Linear(4, 4)), INT8.without("0"), "left in float by you"),
        (tied(), INT8, "its weight is 1.weight as well"),
    ],
)
def test_each_layer_that_is_left_out_has_its_reason(model, method, said):
    assert said in why_not(model, "0", method)
    assert "0" not in fitting(model, method)


def test_attention_is_left_out_in_both_parts():
    model = nn.Sequential(nn.MultiheadAttention(32, 2))
    assert "in_proj_weight" in why_not(model, "0", INT8)
    assert "reads this weight itself" in why_not(model, "0.out_proj", INT8)
    assert fitting(model, INT8) == []


# What is said of a kind of layer is what torchao does with it.
@pytest.mark.parametrize(
    ("layer", "x"),
    [
        (nn.Bilinear(4, 4, 4), (torch.ones(1, 4), torch.ones(1, 4))),
        (nn.GRU(4, 4), (torch.ones(1, 1, 4),)),
        (nn.EmbeddingBag(4, 4), (torch.ones(1, 2, dtype=torch.int64),)),
        (nn.Conv1d(4, 4, 1), (torch.ones(1, 4, 4),)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_torchao_has_no_kernel_for_what_is_left_out(layer, x):
    assert why_not(nn.Sequential(layer), "0", INT8)
    for method in (INT8, ROWS):
        changed = copy.deepcopy(layer)
        with pytest.raises((AssertionError, RuntimeError, ValueError)):
            quantize_(changed, method.config, filter_fn=lambda module, name: True)
            changed(*x)


@pytest.mark.parametrize(
    ("layer", "x", "method"),
    [
        (nn.Linear(32, 8), torch.linspace(-1, 1, 64).view(2, 32), INT8),
        (nn.Linear(32, 8), torch.linspace(-1, 1, 64).view(2, 32), FOUR),
        (nn.Embedding(8, 32), torch.arange(8), INT8),
        (nn.Embedding(8, 32), torch.arange(8), FOUR),
        (nn.Conv2d(2, 4, 3), torch.linspace(-1, 1, 128).view(1, 2, 8, 8), ROWS),
    ],
    ids=["linear", "linear, four bits", "table", "table, four bits", "convolution"],
)
def test_what_is_taken_runs_and_has_fewer_bytes(layer, x, method):
    own = OwnModel(nn.Sequential(layer).eval(), [x], lambda model: 1.0)
    (trial,) = trials(own, [method])[1:]
    assert (trial.error, trial.layers) == ("", 1)
    assert (8 if method is FOUR else 30) < trial.sqnr < 70
    full = layer.weight.numel()
    assert trial.size - trial.packed == (full // 2 if method is FOUR else 0)


def test_the_model_stays_as_it_is_and_only_some_layers_may_be_taken():
    model = nn.Sequential(nn.Linear(32, 32), nn.Linear(32, 32))
    changed = quantized(model, INT8, only=["1"])
    kinds = [type(each.weight).__name__ for each in (*model, *changed)]
    assert kinds == ["Parameter", "Parameter", "Parameter", "Int8Tensor"]


def test_a_model_that_is_one_linear_layer_is_taken():
    own = OwnModel(nn.Linear(32, 4).eval(), [torch.ones(2, 32)], lambda model: 1.0)
    assert trials(own, [INT8])[1].layers == 1
    assert look_at(own, [INT8])[0].name == "the model"


def test_a_layer_under_two_names_is_one():
    layer = nn.Linear(32, 32)
    own = OwnModel(nn.Sequential(layer, layer).eval(), [torch.ones(2, 32)], lambda model: 1.0)
    layers = look_at(own, [INT8])
    assert [each.rows for each in layers if each.kind == "Linear"] == [4]
    assert layers.size == 4 * (32 * 32 + 32)
    assert trials(own, [INT8])[1].layers == 1


def test_a_config_that_stops_gets_a_line_and_the_others_go_on():
    wrong = Method("wrong", INT8.config, kinds=(nn.Conv2d,))
    model = nn.Sequential(nn.Conv2d(2, 32, 8), nn.Flatten(), nn.Linear(32, 4)).eval()
    own = OwnModel(model, [torch.ones(2, 2, 8, 8)], lambda model: 1.0)
    found = trials(own, [wrong, INT8])
    assert found[1].error.startswith("NotImplementedError")
    assert found[2].layers == 1
    assert "wrong stops: NotImplementedError" in repr(found)
    assert "wrong stops: NotImplementedError" in found._repr_html_()


def test_times_are_said_with_the_machine():
    own = OwnModel(nn.Linear(32, 4).eval(), [torch.ones(2, 32)], lambda model: 1.0)
    told = timed(own, {"float32": own.model, "int8": quantized(own.model, INT8)}, runs=1)
    assert told.startswith("One batch on ") and told.count(" ms") == 2 and "thread" in told
