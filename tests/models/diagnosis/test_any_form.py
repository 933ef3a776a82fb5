"""Inputs, outputs and models of whatever form: they are looked at, or what cannot be is said."""

from __future__ import annotations

import copy
import pickle
from collections import UserDict
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch.ao.quantization as old
from torch import Tensor, nn
from torch.ao.quantization.quantize_fx import convert_fx

from qlearn import diagnose
from qlearn.models.diagnosis import symptoms
from qlearn.models.diagnosis.case import Case
from qlearn.models.diagnosis.roundings import rounding
from tests.book.provoked import UNANNOUNCED, dynamic, observed_by_fx
from tests.models.diagnosis.test_diagnose import never_called
from tests.models.diagnosis.test_seldom_met import drawn, linear

pytestmark = UNANNOUNCED
NOT_COMPARED = "comparing the outputs"


@dataclass(slots=True)
class Answer:
    """What a model may put out."""

    tokens: Tensor
    logits: Tensor


class Wrapped(nn.Module):
    """Does something before and after the layers in it."""

    def __init__(self, layers: nn.Module, after: Any = None, before: Any = None) -> None:
        super().__init__()
        self.layers, self.after, self.before = layers, after, before

    def forward(self, x: Tensor) -> Any:
        y = self.layers(self.before(x) if self.before else x)
        return self.after(y) if self.after else y


def pair(after: Any = None, before: Any = None) -> tuple[nn.Module, nn.Module]:
    """Return a healthy quantized model and its float model, both wrapped."""
    model = linear(8, 8, 4)
    return Wrapped(dynamic(model), after, before).eval(), Wrapped(model, after, before).eval()


@pytest.mark.parametrize(
    "after",
    [
        lambda y: Answer(y.argmax(1), y),
        lambda y: [{"found": (Answer(y.argmax(1), y),)}],
        lambda y: UserDict(logits=y),
        lambda y: y.half(),
        lambda y: torch.cat([y, torch.full_like(y, -torch.inf)], 1),
    ],
    ids=["dataclass", "nested", "mapping", "half", "infinities"],
)
def test_what_a_model_puts_out_is_found(after: Any) -> None:
    quantized, model = pair(after)
    found = diagnose(quantized, drawn(9, 8), model)
    assert found.sqnr is not None and found.sqnr > 20
    assert not found.left_out


@pytest.mark.parametrize(
    "after",
    [lambda y: y.argmax(1), lambda y: y.to_sparse(), lambda y: y.sum()],
    ids=["answers", "sparse", "a number"],
)
def test_what_cannot_be_compared_is_said(after: Any) -> None:
    quantized, model = pair(after)
    found = diagnose(quantized, drawn(9, 8), model)
    assert NOT_COMPARED in found.left_out
    assert "No fault was found by the checks that were made." in str(found)


def test_outputs_of_another_shape_are_not_compared() -> None:
    quantized, model = pair()
    quantized.after = lambda y: y[:, :3]
    assert NOT_COMPARED in diagnose(quantized, drawn(9, 8), model).left_out


@pytest.mark.parametrize("kind", [dict, UserDict])
def test_a_mapping_that_the_model_writes_into_stays(kind: Any) -> None:
    quantized, model = pair(before=lambda x: x.mul_(2))
    batch = kind(x=torch.ones(9, 8))
    assert not diagnose(quantized, batch, model).faults
    assert batch["x"].eq(1).all()


def test_nan_is_found_beside_an_infinity_that_belongs_there() -> None:
    quantized, model = pair(lambda y: torch.cat([y, torch.full_like(y, -torch.inf)], 1))
    quantized.after = lambda y: y * torch.nan
    [found] = diagnose(quantized, drawn(20, 8), model).faults
    assert found.symptom == symptoms.NAN


def test_outputs_that_are_always_equal_stand_beside_others() -> None:
    quantized, model = pair(lambda y: (torch.ones_like(y), y))
    assert not diagnose(quantized, drawn(9, 8)).faults
    quantized.after = lambda y: (torch.ones_like(y), y * 0)
    *_, equal = diagnose(quantized, drawn(9, 8), model).faults
    assert equal.text == "All 9 rows of the output are equal."


def test_rows_that_are_alike_lose_no_column() -> None:
    quantized, model = pair(lambda y: 40 * torch.arange(1, 5) + y)
    x = drawn(1, 8).expand(20, 8) + drawn(20, 8, seed=1) / 500
    assert not diagnose(quantized, x, model)


def test_a_graph_within_a_model_is_looked_at() -> None:
    graph, x, model = never_called()
    alone, inside = (
        {each.text for each in diagnose(quantized, x, exact).faults}
        for quantized, exact in ((graph, model), (Wrapped(graph), Wrapped(model)))
    )
    scales = {text for text in alone if text.startswith("All scales of weights are 1")}
    assert scales and scales < inside


def test_a_hook_of_a_graph_within_a_model_counts() -> None:
    model = linear(8, 8, 4)
    graph = convert_fx(observed_by_fx(model, drawn(9, 8)))
    graph.register_forward_hook(lambda _, given, y: 3 * y)
    found = diagnose(Wrapped(graph), drawn(9, 8), Wrapped(model))
    assert found.sqnr is not None and found.sqnr < 0


def test_a_function_of_a_graph_is_found_at_its_own_node() -> None:
    class Skip(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(8, 8)

        def forward(self, x: Tensor) -> Tensor:
            return (self.layer(x) + x) * x

    graph = convert_fx(observed_by_fx(Skip().eval(), drawn(9, 8)))
    found = Case(graph, drawn(9, 8), None).seen.kernels
    assert [each.place for each in found] == ["layer", "add_1", "mul_1"]


def test_a_layer_called_weighting_is_no_weight() -> None:
    found = {
        name: diagnose(prepared(name), drawn(9, 8)).looked_at["rounding"]
        for name in ("net", "weighting")
    }
    assert found["net"] == found["weighting"] > 2


def prepared(name: str) -> nn.Module:
    layers = nn.Sequential()
    layers.add_module("quant", old.QuantStub())
    layers.add_module(name, linear(8, 8, 4))
    layers.train().qconfig = old.get_default_qat_qconfig("x86")
    result = old.prepare_qat(layers)
    result(drawn(9, 8))
    return result.eval()


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_large_and_small_numbers_are_measured_alike(dtype: torch.dtype) -> None:
    x = torch.tensor([[1000.0, 1e-3, -800.0]], dtype=dtype)
    seen = rounding("layer", x, x.clamp(-1, 1), 2 / 255, 0, (-128, 127))
    assert seen is not None and seen.is_short


def test_a_dropout_of_nothing_draws_nothing() -> None:
    model = nn.Sequential(*linear(8, 4), nn.Dropout(0.0)).train()
    graph = torch.export.export(model, (drawn(9, 8),)).module()
    assert symptoms.EACH_TIME not in {each.symptom for each in diagnose(graph, drawn(9, 8))}


def test_a_mask_is_no_code() -> None:
    model = linear(8, 8, 4)
    model.register_buffer("mask", torch.ones(8, 8, dtype=torch.uint8).tril())
    [found] = diagnose(model, drawn(9, 8)).faults
    assert found.symptom == symptoms.NOTHING


@pytest.mark.parametrize(("dtype", "left"), [(torch.float32, 71), (torch.bfloat16, 80)])
def test_bytes_are_counted_against_those_of_the_same_type(dtype: torch.dtype, left: int) -> None:
    layers = nn.Sequential(nn.Conv1d(8, 8, 3), nn.Flatten(), nn.Linear(8, 4)).eval()
    model = Wrapped(layers.to(dtype))
    model.register_buffer("codes", torch.full((12, 12), 7, dtype=torch.int8))
    [found] = diagnose(model, drawn(9, 8, 3).to(dtype)).faults
    assert found.text.startswith(f"{left}% of the weights' bytes are left.")


def test_what_was_compiled_in_place_gets_no_note_of_graphs() -> None:
    graph = Wrapped(linear(8, 4))
    graph.compile()
    assert Case(graph, drawn(9, 8), None).is_compiled is False
    assert not [e for e in diagnose(graph, drawn(9, 8)) if e.symptom == symptoms.SLOWER]


def test_a_diagnosis_can_be_kept() -> None:
    quantized, model = pair()
    found = diagnose(quantized, drawn(9, 8), model)
    for kept in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert (kept, kept.sqnr, repr(kept)) == (found, found.sqnr, str(found))


def test_another_device_is_refused() -> None:
    with pytest.raises(ValueError, match=r'"0.weight" of quantized is on meta, .* quantized.cpu'):
        diagnose(nn.Sequential(nn.Linear(8, 4, device="meta")), drawn(9, 8))
