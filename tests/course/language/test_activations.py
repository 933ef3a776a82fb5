"""What stands out in inputs, and SmoothQuant on the model: factors, and where they stand."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from qlearn import smooth_scales
from qlearn.course.language.activations import (
    kept_in_float,
    largest_over_median,
    smoothed,
    smoothed_norms,
    span,
)
from qlearn.course.language.layers import calibration_text, layer_inputs, linear_layers
from qlearn.course.language.recorded import recorded


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
