"""The layers' Python side: what it stores, what it says, what it refuses."""

import pytest

from qlearn.course.layer_costs import layer_cost
from qlearn.course.widgets import SwappedLayers


@pytest.fixture
def widget():
    return SwappedLayers(("embedding", 10, 4), ("lstm", 4, 8), ("linear", 8, 3), steps=5)


def test_says_what_is_swapped_and_saved(widget):
    before, after = 160 + 4 * (384 + 64) + 4 * 27, 160 + 384 + 256 + 24 + 12 + 12
    assert repr(widget) == (
        f"SwappedLayers(quantize_dynamic(model)): layer 2, 3 swapped; {before:,} to {after} bytes"
    )
    widget.spec = "dtype=torch.quint8"
    assert "(model, dtype=torch.quint8)): layer 1 swapped" in repr(widget)
    widget.layers = [{"kind": "conv1d", "inputs": 1, "outputs": 1}]
    assert repr(widget).endswith("nothing swapped; 16 to 16 bytes")


def test_the_costs_are_those_of_the_formulas(widget):
    assert widget.costs[1] == layer_cost("lstm", 4, 8, batch=1, steps=5)
    widget.batch = 7
    assert widget.costs[1] == layer_cost("lstm", 4, 8, batch=7, steps=5)


def test_refuses_what_cannot_be_shown():
    with pytest.raises(ValueError, match="there are 0 layers: pass 1 to 6"):
        SwappedLayers()
    with pytest.raises(ValueError, match="there are 7 layers"):
        SwappedLayers(*[("linear", 1, 1)] * 7)
    with pytest.raises(ValueError, match=r"spec is 'all'.*pass '', '\{nn.Linear\}'"):
        SwappedLayers(("linear", 1, 1), spec="all")


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (("gru", 1, 1), "kind is 'gru'"),
        (("linear", 0, 1), "inputs is 0: pass a whole number from 1 to 65536"),
        (("linear", 1, 65537), "outputs is 65537"),
        (("linear", 1.5, 1), "inputs is 1.5"),
        (("linear", True, 1), "inputs is True"),
    ],
)
def test_refuses_a_layer_that_means_nothing(widget, layer, message):
    with pytest.raises(ValueError, match=message):
        SwappedLayers(layer)
    before = widget.layers
    with pytest.raises(ValueError, match=message):
        widget.layers = [dict(zip(("kind", "inputs", "outputs"), layer, strict=True))]
    assert widget.layers == before


@pytest.mark.parametrize("name", ["batch", "steps"])
def test_refuses_a_call_that_is_too_large(widget, name):
    with pytest.raises(ValueError, match=f"{name} is 257: pass a whole number from 1 to 256"):
        setattr(widget, name, 257)
