"""The widget of the network's layers: its codes against qlearn's, its view, its Python side."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
import torch
from traitlets import TraitError

from qlearn.course.digits.layers import (
    LAYERS,
    float_outputs,
    folded_layers,
    integer_outputs,
)
from qlearn.course.digits.net import split_digits, trained_digits_net
from qlearn.course.widgets import NetworkLayers
from qlearn.course.widgets.network_layers import USUAL
from tests.course.widgets.figures import call, markup
from tests.course.widgets.shared.test_matrix import shades
from tests.course.widgets.stored import opening, task

ENTRY = NetworkLayers.entry()
RANGES = {"input": (0.0, 1.0), "conv1": (0.0, 3.7), "conv2": (0.0, 6.85), "fc": (-14.5, 12.0)}
NARROW = {name: (low / 4, high / 4) for name, (low, high) in RANGES.items()}
IMAGES, LABELS = split_digits().test_images, split_digits().test_labels


# ------------------------------------------------------------------ view and changes


@pytest.fixture
def widget() -> NetworkLayers:
    calibrations = {"narrow": NARROW, "full": RANGES}
    return NetworkLayers(trained_digits_net(), IMAGES[:3], LABELS[:3], calibrations)


def codes_of(shown: str) -> tuple[str, str]:
    """Return of which layer the first control is, and what it says of the codes."""
    found = re.search("Codes of (\\w+) <b[^>]*>([^<]*)", shown)
    assert found is not None
    return found[1], found[2]


def test_the_view_says_where_the_error_enters(node: str, widget: NetworkLayers) -> None:
    state = widget.state()
    usual, coarse, pool = markup(
        node,
        ENTRY,
        state,
        state | {"layer": "conv1", "weight_bits": USUAL["weight_bits"] | {"conv1": 3}},
        state | {"layer": "pool"},
    )
    digit, ratio = LABELS[0].item(), f"{widget.errors['conv2'][0]:.1f} dB"
    reduced = ("conv2", "8\u00a0bits, reduced")
    assert f"Digit <b>{digit} in real numbers, {digit} in codes, drawn: {digit}</b>" in usual
    assert f"conv2: SQNR <b>{ratio}</b>" in usual and codes_of(usual) == reduced
    assert "Most error enters at <b>conv1</b>" in coarse
    assert "Weights of conv1 <b>3\u00a0bits</b>" in coarse
    assert codes_of(pool) == ("pool", "as in conv2") and "Weights of pool <b>none</b>" in pool
    assert "by its own error alone <b>no error</b>" in pool


def test_seven_bits_are_what_they_are(node: str, widget: NetworkLayers) -> None:
    """Those of weights are seven; those of activations are eight, with a scale for 127."""
    bits: dict[str, Any] = {"weight_bits": USUAL["weight_bits"] | {"conv2": 7}}
    six = {"activation_bits": USUAL["activation_bits"] | {"conv2": 6}}
    pool = {"layer": "pool", "calibration": "narrow"}
    states = [widget.state() | each for each in (bits, six, pool)]
    reduced, real, below = markup(node, ENTRY, *states)
    past = "; reduced range chose the scale for 127, and codes may pass that</b>"
    assert "Weights of conv2 <b>7\u00a0bits</b>" in reduced and past in reduced
    assert codes_of(real) == ("conv2", "6\u00a0bits") and past not in real
    widget.calibration = "narrow"
    largest = int(widget.codes["pool"].values.max())
    assert largest > 127 and f"largest code <b>{largest}{past}" in below


@pytest.mark.parametrize(("layer", "side"), [("input", 8), ("conv2", 35), ("pool", 19)])
def test_maps_have_a_shade_for_each_number(
    node: str, widget: NetworkLayers, layer: str, side: int
) -> None:
    (shown,) = markup(node, ENTRY, widget.state() | {"layer": layer})
    exact = float_outputs(folded_layers(trained_digits_net()), IMAGES[:1])[layer][0]
    restored = widget.codes[layer].dequantize()[0]
    numbers = torch.stack([exact, restored, restored - exact])
    reach = torch.stack([exact.max(), exact.max(), numbers[2].abs().max()]).reshape(3, 1, 1, 1)
    across = math.isqrt(exact.shape[0])  # the channels are a square, with a line between them
    lined = torch.nn.functional.pad((numbers / reach).clamp(-1, 1), (0, 1, 0, 1))
    rows = lined.unflatten(1, (across, across)).transpose(2, 3).flatten(3).flatten(1, 2)
    drawn = torch.stack([shades(svg, side, side) for svg in shown.split("<svg")[2:5]])
    assert torch.allclose(drawn, rows[:, :side, :side], atol=0.5 / 24 + 0.01)


def test_the_last_layer_is_a_table_of_logits(node: str, widget: NetworkLayers) -> None:
    (shown,) = markup(node, ENTRY, widget.state() | {"layer": "fc"})
    logits = widget.codes["fc"]
    code, number = logits.values.max().item(), logits.dequantize().max().item()
    assert f"<td><b>{number:.2f}</b></td><td><b>{code}</b></td>" in shown
    assert shown.count('<th scope="row">') == 10 and "full colour" not in shown


def test_the_layer_comes_before_what_depends_on_it(node: str, widget: NetworkLayers) -> None:
    (shown,) = markup(node, ENTRY, widget.state())
    names = re.findall('<(?:input|select|button)[^>]* name="([^"]*)"', shown)
    bits = ["activation_bits.conv2", "weight_bits.conv2"]
    assert names == ["layer", *bits, "calibration", "image", "again"]


def test_the_task_is_done_where_later_layers_even_the_error_out(node: str) -> None:
    page = ("models/static_quantization", "NetworkLayers")
    usual = opening(*page)["activation_bits"]
    with_four = [{"activation_bits": usual | {name: 4}} for name in usual]
    drawn = markup(node, ENTRY, opening(*page), *(opening(*page, **state) for state in with_four))
    found = dict(zip(usual, (task(each)[0] for each in drawn[1:]), strict=True))
    assert not task(drawn[0])[0]
    assert found == {"input": True, "conv1": False, "conv2": True, "fc": False}


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("calibration", 0, {"calibration": "narrow"}),
        ("image", 2, {"image": 2}),
        ("layer", 3, {"layer": "pool"}),
        ("column", [0.99, 0.5], {"layer": "fc"}),
        ("column", [1.2, 0.5], {"layer": "fc"}),
        ("activation_bits.fc", 4, {"activation_bits": USUAL["activation_bits"] | {"fc": 4}}),
        ("weight_bits.conv1", 2, {"weight_bits": USUAL["weight_bits"] | {"conv1": 2}}),
        ("again", "", {"image": 1}),
    ],
)
def test_what_an_input_changes(
    node: str, name: str, value: object, change: dict[str, object]
) -> None:
    state = {"calibrations": {"narrow": {}, "full": {}}, **USUAL}
    assert call(node, ENTRY, [["changed", state, name, value, {"image": 1}]]) == [change]


# ------------------------------------------------------------------ Python


def test_a_change_moves_the_codes_and_the_error(widget: NetworkLayers) -> None:
    right = integer_outputs(folded_layers(trained_digits_net()), IMAGES[:1], RANGES)
    for name in LAYERS:
        assert torch.equal(widget.codes[name].values, right[name].values)
    before = widget.errors
    assert repr(widget).startswith(f"NetworkLayers(image 0 of 3, full): digit {LABELS[0]}, ")
    widget.set_state({"weight_bits": {"conv2": 3}, "layer": "fc"})
    assert widget.weight_bits == {"conv1": 8, "conv2": 3, "fc": 8}
    assert widget.errors["conv1"] == before["conv1"]
    assert widget.errors["conv2"][1] < before["conv2"][1] - 15
    assert "most error enters at conv2" in repr(widget)
    widget.set_state({"weight_bits": {}, "calibration": "narrow"})
    assert widget.errors["fc"][0] < before["fc"][0] - 10
    widget.image = 2
    assert repr(widget).startswith("NetworkLayers(image 2 of 3, narrow)")


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("image", 3, TraitError, "image is 3, but there are 0 … 2"),
        ("image", -1, TraitError, "not be less than 0, but a value of -1"),
        ("layer", "conv3", TraitError, "'conv2'.*not the str 'conv3'"),
        ("calibration", "none", TraitError, "is 'none', but there are 'narrow', 'full'"),
        ("activation_bits", {"pool": 7}, TraitError, "activation_bits.*'conv2'.*'pool'"),
        ("weight_bits", {"conv1": 1}, TraitError, "any of .2, 3, .*, but a value of 1"),
        ("weight_bits", {"conv1": 7.5}, TraitError, "weight_bits.*, but a value of 7.5"),
    ],
)
def test_bad_assignments_change_nothing(
    widget: NetworkLayers, name: str, value: object, error: type[Exception], message: str
) -> None:
    before = repr(widget)
    with pytest.raises(error, match=message):
        setattr(widget, name, value)
    assert repr(widget) == before


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"images": IMAGES[:3].double()}, TypeError, "images has dtype torch.float64"),
        ({"images": IMAGES[0]}, ValueError, r"images has shape \(1, 8, 8\)"),
        ({"labels": LABELS[:2]}, ValueError, r"labels \(2,\): pass \(n, 1, 8, 8\)"),
        ({"images": IMAGES[:0], "labels": LABELS[:0]}, ValueError, "images have 0 values"),
        ({"images": IMAGES[:21], "labels": LABELS[:21]}, TraitError, "length 1 <= L <= 20"),
        ({"images": IMAGES[:3] * math.nan}, ValueError, "infinite, NaN"),
        ({"labels": LABELS[:3] + 10}, TraitError, "not be greater than 9"),
        ({"calibrations": {}}, ValueError, "calibrations is empty"),
        ({"calibrations": {"a": {"fc": (0, 1)}}}, ValueError, "ranges has fc: pass one for each"),
        ({"calibrations": {"a": RANGES | {"fc": (0, math.inf)}}}, ValueError, "max_val is inf"),
        ({"calibrations": {"a": RANGES | {"fc": (1, -1)}}}, ValueError, "exceeds .*: swap them"),
        ({"layers": "fc"}, TypeError, "takes no layers: it has .* layer,"),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, dict) else "",
)
def test_what_the_page_cannot_show_is_refused(
    given: dict[str, Any], error: type[Exception], message: str
) -> None:
    right = {"images": IMAGES[:3], "labels": LABELS[:3], "calibrations": {"a": RANGES}}
    with pytest.raises(error, match=message):
        NetworkLayers(trained_digits_net(), **right | given)
