"""The widget of the network's layers: its Python side, and its JavaScript against qlearn."""

import json
import math

import pytest
import torch

from proofs.draw import Draw
from qlearn.course.digits.layers import (
    LAYERS,
    OBSERVED,
    WEIGHTED,
    Folded,
    float_outputs,
    folded_layers,
    integer_outputs,
    layer_errors,
)
from qlearn.course.digits.net import split_digits, trained_digits_net
from qlearn.course.widgets import NetworkLayers
from qlearn.course.widgets.bundle import STATIC
from qlearn.course.widgets.network_layers import own_bits
from tests.course.widgets.javascript import broken, compare, wrong

RANGES = {"input": (0.0, 1.0), "conv1": (0.0, 3.7), "conv2": (0.0, 6.85), "fc": (-14.5, 12.0)}
IMAGES = split_digits().test_images[:3]
LABELS = split_digits().test_labels[:3]


def drawn_case(i: int, draw: Draw, layers: dict, images: torch.Tensor) -> dict:
    """Return an image, ranges and bits, with all that qlearn computes from them."""
    image = images[i : i + 1]
    ranges = {
        name: (
            low * (0.5 + draw.normal(1).abs().item()),
            high * (0.5 + draw.normal(1).abs().item()),
        )
        for name, (low, high) in RANGES.items()
    }
    if i % 3 == 1:  # a signed range behind a ReLU: its zero point is then no code of 0
        ranges["conv1"] = (-1.0, ranges["conv1"][1])
    if i % 5 == 2:  # ties, as scales that are powers of two make them
        ranges |= {"input": (0.0, 127 / 128), "conv1": (0.0, 127 / 32)}
    bits = {name: 7 if i % 2 else draw.integer(2, 8) for name in OBSERVED}
    weight_bits = {name: 8 if i % 4 else draw.integer(2, 8) for name in WEIGHTED}
    codes = integer_outputs(
        layers,
        image,
        ranges,
        activation_bits=own_bits(list(bits.values())),
        weight_bits=weight_bits,
    )
    exact = float_outputs(layers, image)
    errors = layer_errors(layers, exact, codes)
    return {
        "pixels": image.flatten().tolist(),
        "ranges": [ranges[name] for name in OBSERVED],
        "activationBits": list(bits.values()),
        "weightBits": list(weight_bits.values()),
        "expected": {
            name: {
                "codes": codes[name].values.flatten().tolist(),
                "scale": codes[name].qparams.scale.item(),
                "zeroPoint": codes[name].qparams.zero_point.item(),
                "exact": exact[name].flatten().tolist(),
                "sqnr": finite(errors[name][0]),
                "own": finite(errors[name][1]),
            }
            for name in LAYERS
        },
    }


def finite(decibels: float) -> float | None:
    """Return None for no error at all, since JSON has no infinity."""
    return decibels if math.isfinite(decibels) else None


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    """Sixty images with ranges and bits of their own, some in a network of huge logits."""
    draw, images = Draw(0), split_digits().test_images
    usual = folded_layers(trained_digits_net())
    huge = usual | {"fc": Folded(usual["fc"].weight * 1e10, usual["fc"].bias)}
    cases = [
        {"network": int(i % 10 == 9)} | drawn_case(i, draw, huge if i % 10 == 9 else usual, images)
        for i in range(60)
    ]
    numbers = [
        torch.cat([part.flatten() for pair in layers.values() for part in pair]).tolist()
        for layers in (usual, huge)
    ]
    path = tmp_path_factory.mktemp("network") / "vectors.json"
    path.write_text(json.dumps({"networks": numbers, "cases": cases}, allow_nan=False))
    return path


def test_the_javascript_equals_qlearn(node, vectors):
    report = compare(node, "compare_network.mjs", STATIC / "network_layers_math.js", vectors)
    assert report["compared"] > 200_000
    assert wrong(report) == {}


@pytest.mark.parametrize(
    ("right", "replacement", "seen_in"),
    [
        ("Math.fround(Math.fround(totals[i]) + biases[n])", "totals[i]", "conv1 codes"),
        ("Math.abs(whole) < 2 ** 31", "true", "fc codes"),
        ("code - before.qparams.zeroPoint", "code", "conv2 codes"),
        ('name === "fc" ? 0 : output.zeroPoint', "0", "conv1 codes"),
        ("bits >= REDUCED_BITS ? 255", "bits > REDUCED_BITS ? 255", "conv2 codes"),
        ("x[at + 8], x[at + 9]", "x[at + 8], x[at + 8]", "pool codes"),
        ("(row + 1) * PADDED + column + 1", "row * PADDED + column + 1", "exact"),
        ("layer.bias[channelOf(name, i)]", "0", "sqnr"),
        ("layers[name], before.restored)", "layers[name], before.exact)", "own"),
        ("signed: true, bits, symmetric", "signed: true, bits: 8, symmetric", "conv1 codes"),
        ("numbers[i] > numbers[best]", "numbers[i] >= numbers[best]", "largest"),
    ],
)
def test_broken_arithmetic_is_seen(node, tmp_path, vectors, right, replacement, seen_in):
    module = broken(tmp_path, "network_layers_math.js", right, replacement)
    assert seen_in in wrong(compare(node, "compare_network.mjs", module, vectors))


# ------------------------------------------------------------------------------ in Python


@pytest.fixture
def widget():
    narrow = {name: (low / 4, high / 4) for name, (low, high) in RANGES.items()}
    return NetworkLayers(trained_digits_net(), IMAGES, LABELS, {"narrow": narrow, "full": RANGES})


def test_the_state_holds_the_network_and_stays_small(widget):
    layers = folded_layers(trained_digits_net())
    for name, layer in widget._layers().items():
        assert torch.equal(layer.weight, layers[name].weight)
        assert torch.equal(layer.bias, layers[name].bias)
    assert len(widget.parameters) == 4 * 5050
    assert torch.equal(widget._image(), IMAGES[:1])


def test_a_change_moves_the_codes_and_the_error(widget):
    expected = integer_outputs(folded_layers(trained_digits_net()), IMAGES[:1], RANGES)
    for name in LAYERS:
        assert torch.equal(widget.codes[name].values, expected[name].values)
    before = widget.errors
    assert repr(widget).startswith(f"NetworkLayers(image 0 of 3, full): digit {LABELS[0]}, ")
    widget.set_state({"weight_bits": [8, 3, 8], "layer": "fc"})
    assert widget.errors["conv1"] == before["conv1"]
    assert widget.errors["conv2"][1] < before["conv2"][1] - 15
    assert "most error enters at conv2" in repr(widget)
    widget.set_state({"weight_bits": [8, 8, 8], "calibration": "narrow"})
    assert widget.errors["fc"][0] < before["fc"][0] - 10
    widget.image = 2
    assert repr(widget).startswith("NetworkLayers(image 2 of 3, narrow)")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("image", 3, "image is 3: pass a number from 0 to 2"),
        ("image", -1, "image is -1"),
        ("layer", "conv3", "layer is 'conv3'.*'conv1'"),
        ("calibration", "none", "calibration is 'none'.*'narrow'"),
        ("activation_bits", [7, 7, 7], r"activation_bits is \[7, 7, 7\].*each of input, conv1"),
        ("weight_bits", [8, 1, 8], r"weight_bits is \[8, 1, 8\]: pass an integer from 2 to 8"),
        ("weight_bits", [8, 8.0, 8], r"weight_bits is \[8, 8.0, 8\]"),
    ],
)
def test_bad_assignments_change_nothing(widget, name, value, message):
    before = repr(widget)
    with pytest.raises(ValueError, match=message):
        setattr(widget, name, value)
    assert repr(widget) == before


@pytest.mark.parametrize(
    ("images", "labels", "calibrations", "error", "message"),
    [
        (IMAGES.double(), LABELS, {"a": RANGES}, TypeError, "images has dtype torch.float64"),
        (IMAGES[0], LABELS, {"a": RANGES}, ValueError, r"images has shape \(1, 8, 8\)"),
        (IMAGES, LABELS[:2], {"a": RANGES}, ValueError, r"labels \(2,\)"),
        (IMAGES[:0], LABELS[:0], {"a": RANGES}, ValueError, "there are 0 images: pass 1 to 20"),
        (IMAGES * 1.1, LABELS, {"a": RANGES}, ValueError, "pixels other than 0, 1/16"),
        (IMAGES, LABELS, {}, ValueError, "calibrations is empty"),
        (IMAGES, LABELS, {"a": {"fc": (0, 1)}}, ValueError, "'a' has ranges for fc: pass one"),
        (IMAGES, LABELS, {"a": RANGES | {"fc": (0, math.inf)}}, ValueError, "'a'.*not finite"),
    ],
)
def test_what_the_page_cannot_show_is_refused(images, labels, calibrations, error, message):
    with pytest.raises(error, match=message):
        NetworkLayers(trained_digits_net(), images, labels, calibrations)
