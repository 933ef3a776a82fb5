"""What quantize_ reaches, against torchao itself, and what does not fit."""

from __future__ import annotations

import copy
import logging

import pytest
import torch
from torch import nn

from qlearn.course import trained_digits_net
from qlearn.course.digits.vit import DigitsViT
from qlearn.course.quantizable import linear_layers, quantizable

logging.disable(logging.WARNING)
from torchao.quantization import (  # noqa: E402 - its import logs
    Int8WeightOnlyConfig,
    IntxWeightOnlyConfig,
    PerGroup,
    quantize_,
)

logging.disable(logging.NOTSET)


def changed_by_torchao(model: nn.Module) -> set[str]:
    """Return the names of the modules whose weight quantize_ replaces."""
    model = copy.deepcopy(model)
    quantize_(model, Int8WeightOnlyConfig())
    return {
        name
        for name, module in model.named_modules()
        if type(module._parameters.get("weight")).__name__ == "Int8Tensor"
    }


def shared_embedding() -> nn.Module:
    """Return a model whose head has the weight of its embedding, as language models do."""
    model = nn.Sequential(nn.Embedding(10, 32), nn.Linear(32, 10))
    model[1].weight = model[0].weight
    return model


MODELS = {
    "digits": trained_digits_net(),
    "vit": DigitsViT(),
    "one layer": nn.Linear(4, 3),
    "torch's transformer": nn.TransformerEncoderLayer(64, 4),
    "bfloat16": nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4)).bfloat16(),
    "shared": shared_embedding(),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_layers_are_those_that_torchao_changes(name: str) -> None:
    reach = quantizable(MODELS[name])
    assert set(reach.layers) == changed_by_torchao(MODELS[name]) == set(linear_layers(MODELS[name]))


def test_it_counts() -> None:
    reach = quantizable(trained_digits_net())
    assert (reach.layers, reach.weights, reach.parameters) == (("fc",), 2560, 5082)
    assert str(reach) == "DigitsNet: 1 linear layer with 50% of 5,082 parameters"
    assert str(quantizable(DigitsViT())).startswith("DigitsViT: 13 linear layers with 97% of")


def test_a_shared_weight_is_told_because_the_file_will_hold_it_twice() -> None:
    assert quantizable(shared_embedding()).shared == ("1",)
    assert "1: shared with another module" in str(quantizable(shared_embedding()))
    model = shared_embedding()
    quantize_(model, Int8WeightOnlyConfig())
    assert type(model[0].weight) is nn.Parameter


def test_what_is_no_module_is_refused() -> None:
    with pytest.raises(TypeError, match="model is a Tensor: pass a torch.nn.Module"):
        quantizable(torch.zeros(3))


@pytest.mark.parametrize(
    ("model", "owners"),
    [
        (nn.LSTM(4, 4), "its parameters are in LSTM"),
        (nn.MultiheadAttention(8, 2), "MultiheadAttention, NonDynamicallyQuantizableLinear"),
        (nn.ReLU(), "it has none"),
    ],
    ids=["lstm", "attention", "relu"],
)
def test_no_linear_layers(model: nn.Module, owners: str) -> None:
    with pytest.raises(ValueError, match=f"has no nn.Linear.*{owners}.*filter_fn"):
        quantizable(model)
    assert changed_by_torchao(model) == set()  # without a word


def weight_of(value: float) -> nn.Linear:
    """Return a layer with this number among its weights."""
    layer = nn.Linear(4, 3)
    with torch.no_grad():
        layer.weight[1, 2] = value
    return layer


def quantized_already() -> nn.Module:
    """Return a layer that quantize_ has changed."""
    model = nn.Sequential(nn.Linear(32, 4))
    quantize_(model, Int8WeightOnlyConfig())
    return model


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (nn.Linear(4, 3).double(), "the weight of the model is torch.float64.*model.float"),
        (nn.Sequential(nn.Linear(4, 3, device="meta")), "of 0 has a shape and no numbers yet"),
        (
            nn.Linear(4, 3, dtype=torch.cfloat),
            r"complex64, .*: put \.real and \.imag into lay",
        ),
        (nn.Sequential(nn.LazyLinear(3)), "the weight of 0 has no shape yet: call the model once"),
        (
            weight_of(float("nan")),
            r"holds infinities or NaN, as at index \(1, 2\), .*: look for",
        ),
        (weight_of(float("-inf")), "holds infinities or NaN"),
        (quantized_already(), "of 0 is a Int8Tensor already.*copy of the float model"),
        (
            nn.utils.parametrizations.weight_norm(nn.Linear(4, 3)),
            "computed from other parameters.*remove the parametrization",
        ),
    ],
    ids=[
        "float64",
        "not loaded",
        "complex",
        "lazy",
        "NaN",
        "infinite",
        "quantized",
        "parametrized",
    ],
)
def test_a_weight_that_does_not_fit(model: nn.Module, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        quantizable(model)


def test_a_weight_that_is_not_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    # There need be no such device here: a weight says where it is.
    monkeypatch.setattr(nn.Parameter, "device", torch.device("cuda:0"))
    with pytest.raises(ValueError, match="of the model is on cuda:0, .* pass model.cpu"):
        quantizable(nn.Linear(4, 3))


def test_groups_that_do_not_divide_a_width() -> None:
    model = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 10))
    assert quantizable(model, group_size=16)
    with pytest.raises(ValueError, match="layer '2' has 48 inputs.*: 16 and its divisors fit"):
        quantizable(model, group_size=32)
    with pytest.raises(AssertionError):  # torchao agrees
        quantize_(model, IntxWeightOnlyConfig(torch.int4, PerGroup(32)))


def test_no_groups_fit() -> None:
    with pytest.raises(ValueError, match="no size fits all layers, or leave the layer out"):
        quantizable(nn.Sequential(nn.Linear(64, 9), nn.Linear(9, 4)), group_size=2)


@pytest.mark.parametrize("group_size", [0, -32])
def test_a_group_has_a_weight(group_size: int) -> None:
    with pytest.raises(ValueError, match=f"group_size is {group_size}: a group has"):
        quantizable(nn.Linear(4, 3), group_size=group_size)


@pytest.mark.parametrize("dtype", [torch.float64])
def test_torchao_refuses_the_dtypes_that_are_refused_here(dtype: torch.dtype) -> None:
    with pytest.raises(AssertionError):
        quantize_(nn.Sequential(nn.Linear(4, 3, dtype=dtype)), Int8WeightOnlyConfig())
