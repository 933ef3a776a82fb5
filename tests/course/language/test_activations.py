"""Layers whose inputs are rounded, against the kernel of LLM.int8() and against float."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from qlearn import linear_llm_int8, smooth_scales, sqnr
from qlearn.course import normal
from qlearn.course.language.activations import (
    codes_and_step,
    decomposed_product,
    kept_in_float,
    largest_over_median,
    rounded_product,
    smoothed,
    smoothed_norms,
    span,
)
from qlearn.course.language.layers import calibration_text, layer_inputs, linear_layers
from qlearn.course.language.net import LanguageModel
from qlearn.course.language.recorded import recorded

GENERATOR = torch.Generator().manual_seed(0)
X, W = normal(24, 40, generator=GENERATOR), normal(16, 40, generator=GENERATOR)
LOUD = X.clone()
LOUD[:, [3, 30]] *= 50


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return LanguageModel().eval()


@pytest.mark.parametrize("x", [X, LOUD], ids=["plain", "loud"])
def test_a_scale_for_each_token_is_that_of_llm_int8_without_outliers(x: torch.Tensor) -> None:
    ours, theirs = rounded_product(8)(x, W), linear_llm_int8(x, W, threshold=math.inf)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=2e-6 * theirs.abs().max().item())


def test_one_scale_is_never_better() -> None:
    exact = LOUD.double() @ W.double().T
    token, tensor = (rounded_product(8, scales=s)(LOUD, W) for s in ("token", "tensor"))
    assert sqnr(exact, token) > sqnr(exact, tensor)
    assert sqnr(exact, rounded_product(16)(LOUD, W)) > 75


def test_sums_are_exact_up_to_the_stated_number_of_inputs() -> None:
    for inputs, exact in ((1040, True), (1041, False)):
        found = rounded_product(8)(torch.full((1, inputs), 127.0), torch.full((1, inputs), 127.0))
        assert (found.item() == 127**2 * inputs) == exact


def test_codes_reach_the_ends_and_no_farther() -> None:
    for bits in (2, 4, 8):
        codes, step = codes_and_step(X, bits, rows=True)
        assert (codes.abs().amax(1) == 2 ** (bits - 1) - 1).all()
        assert ((codes * step - X).abs() <= step / 2 * 1.0001).all()
    assert (codes_and_step(torch.zeros(2, 3), 8, rows=True)[0] == 0).all()


def test_codes_of_zeros_are_zeros_where_small_numbers_are_flushed() -> None:
    torch.set_flush_denormal(True)
    try:
        codes, step = codes_and_step(torch.zeros(2, 3), 8, rows=True)
    finally:
        torch.set_flush_denormal(False)
    assert (codes == 0).all()
    assert (step == torch.finfo(torch.float32).tiny).all()


def test_columns_set_apart_lose_nothing() -> None:
    exact = LOUD.double() @ W.double().T
    assert sqnr(exact, decomposed_product(6.0)(LOUD, W)) > sqnr(exact, rounded_product(8)(LOUD, W))
    assert sqnr(exact, decomposed_product(1e-9)(LOUD, W)) > 120  # all of it in float
    same = decomposed_product(math.inf)(LOUD, W), rounded_product(8)(LOUD, W)
    assert torch.equal(*same)


def test_a_batch_shares_the_columns_that_stay() -> None:
    rows = torch.zeros(4, 5)
    rows[0, 1] = rows[3, 2] = -6.0
    assert [kept_in_float(rows, 6.0, at_once=n) for n in (1, 2, 4)] == [0.5, 1.0, 2.0]
    assert kept_in_float(rows.view(2, 2, 5), 6.0, at_once=2) == 1.0
    with pytest.raises(ValueError, match="4 rows cannot be cut into batches of 3"):
        kept_in_float(rows, 6.0, at_once=3)
    with pytest.raises(ValueError, match="at_once must be an integer of at least 1, not 0"):
        kept_in_float(rows, 6.0, at_once=0)
    assert largest_over_median(torch.tensor([[1.0, 2.0, -8.0]])) == 4.0


def test_smoothed_layers_have_the_factors_of_their_inputs(model) -> None:
    text = calibration_text(0, windows=2)
    smooth: Any = smoothed(model, text, alpha=0.75)
    tokens = torch.tensor([list(text[:64])])
    with torch.no_grad():
        torch.testing.assert_close(smooth(tokens), model(tokens), rtol=0, atol=1e-4)
    divided = smooth.layers[1].mlp.up_proj[0].scales
    name = "layers.1.mlp.up_proj"
    weight = linear_layers(model)[name].weight
    assert torch.equal(divided, smooth_scales(weight, layer_inputs(model, text)[name], alpha=0.75))


def test_factors_before_some_layers_alone(model) -> None:
    text = calibration_text(2, windows=1)
    smooth = smoothed(model, text, only="down_proj")
    assert [n for n in linear_layers(smooth) if n.endswith(".1")] == [
        f"layers.{i}.mlp.down_proj.1" for i in range(4)
    ]


def test_a_name_that_no_layer_has_is_refused(model) -> None:
    said = "no layer has 'q_prj' in its name: their last parts are q_proj, k_proj, v_proj, o_proj,"
    with pytest.raises(ValueError, match=said):
        smoothed(model, bytes(256), only="q_prj")


def test_factors_behind_norms_leave_nothing_to_do(model) -> None:
    text = calibration_text(1, windows=2)
    smooth: Any = smoothed_norms(model, text, alpha=0.85)
    tokens = torch.tensor([list(text[:64])])
    with torch.no_grad():
        torch.testing.assert_close(smooth(tokens), model(tokens), rtol=0, atol=1e-4)
    assert {*linear_layers(smooth)} == {*linear_layers(model)}
    norm, readers = smooth.layers[2].post_attention_layernorm, smooth.layers[2].mlp
    undone = readers.up_proj.weight * norm.weight
    torch.testing.assert_close(undone, model.layers[2].mlp.up_proj.weight, rtol=1e-5, atol=0)
    assert torch.equal(readers.down_proj.weight, model.layers[2].mlp.down_proj.weight)


def test_figures_have_one_or_two_ends() -> None:
    assert span([1.64, 1.63, 1.635], 2) == "1.63–1.64"
    assert span([1.3]) == span(1.3) == "1.300"


@pytest.mark.parametrize("text", ["16,384 bytes", "short"])
def test_the_record_is_whole(text: str) -> None:
    whole = recorded("activations")
    found = whole["short"] if text == "short" else whole
    assert {
        "float",
        "factors",
        "int8",
        "four bits",
        "places",
        "rotations",
        "alphas",
        "thresholds",
    } == {*found} - {"short"}
    assert all(len(each["SmoothQuant"]) == 3 for each in found["int8"].values())
    assert found["int8"]["plain"]["token"] == found["factors"][0]["token"]
    for each in ("plain", "loud"):
        assert all({*row} == {"W4A4", "A4", "W4"} for row in found["places"][each].values())
        both = found["rotations"][each]["both"]
        assert all(both[w] == found["four bits"][each][w]["rotated"] for w in ("W4A4", "A4", "W4"))
