"""The layers' widget: its counts against qlearn's, its view and changes, its Python side."""

from __future__ import annotations

from html import escape
from pathlib import Path

import pytest
import torch
from traitlets import TraitError

from qlearn.course.layer_costs import KINDS, Call, layer_cost
from qlearn.course.widgets import SwappedLayers
from qlearn.course.widgets.swapped_layers import CALLS, MAX_CALL, MAX_SIZE
from tests.course.widgets.figures import call, markup, with_other
from tests.course.widgets.stored import task

ENTRY = SwappedLayers.entry()
COSTS = ENTRY.with_name("layer_cost.js")
CASES = 40
STATE = {
    "layers": [["embedding", 10, 4], ["lstm", 256, 512], ["linear", 512, 5000]],
    "spec": "",
    "batch": 1,
    "steps": 32,
}


# ------------------------------------------------------------------ the counts


def sizes() -> list[list[int]]:
    """Return two sizes, a batch and steps, small and large ones alike, and the largest."""
    largest = torch.tensor([MAX_SIZE, MAX_SIZE, MAX_CALL, MAX_CALL])
    draw = torch.Generator().manual_seed(0)
    drawn = (2 ** (largest.log2() * torch.rand(CASES, 4, generator=draw))).int()
    return [*drawn.tolist(), largest.tolist()]


def costs_that_differ(node: str, module: Path) -> int:
    """Return how many layers the module counts otherwise than qlearn, which counts as torch."""
    given = [(kind, spec, *size) for kind in KINDS for spec in CALLS for size in sizes()]
    calls = [["layerCost", [kind, i, o], spec, b, s] for kind, spec, i, o, b, s in given]
    wanted = [
        layer_cost(kind, i, o, CALLS[spec], batch=b, steps=s) for kind, spec, i, o, b, s in given
    ]
    found = call(node, module, calls)
    return sum(tuple(cost.values()) != right for cost, right in zip(found, wanted, strict=True))


def test_every_count_equals_qlearns(node: str) -> None:
    assert costs_that_differ(node, COSTS) == 0


def test_an_lstm_that_fetches_its_weights_once_is_seen(node: str, tmp_path: Path) -> None:
    one_step = """(layer, spec, batch, steps) => {
      const { fetchedBefore } = right.layerCost(layer, spec, batch, 1);
      return { ...right.layerCost(layer, spec, batch, steps), fetchedBefore };
    }"""
    assert costs_that_differ(node, with_other(tmp_path, COSTS, "layerCost", one_step)) > 0


# ------------------------------------------------------------------ view and changes


def test_the_view_says_what_is_swapped_and_saved(node: str) -> None:
    first = [["embedding", 5000, 128], ["conv1d", 128, 256]]
    (shown,) = markup(node, ENTRY, STATE | {"layers": [*first, *STATE["layers"][1:]]})
    for call_ in Call:
        arguments = call_.source.removeprefix("quantize_dynamic(").removesuffix(")")
        assert f">{escape(arguments)}</option>" in shown
    assert "Swapped: <b>layer 3 (LSTM), 4 (Linear)</b>" in shown
    assert "Bytes in the file: <b>19,522,080 → 7,123,500, 36.5 % of it</b>" in shown
    assert "per byte: <b>layer 2, 8; layer 3, 0.369 → 1.48; layer 4, 8 → 32</b>" in shown
    assert "<b>stays float32</b>, 394 kB in the file" in shown


def test_a_float16_file_has_no_codes(node: str) -> None:
    int8, float16, nothing = markup(
        node,
        ENTRY,
        STATE,
        STATE | {"spec": "dtype=torch.float16"},
        STATE | {"layers": [["embedding", 2, 3]]},
    )
    assert 'fill="var(--qb-code)"' in int8 and 'fill="var(--qb-code)"' not in float16
    assert "<b>swapped</b>, 6.31 MB → 6.31 MB in the file" in float16
    assert "Swapped: <b>nothing</b>" in nothing and "per byte:" not in nothing


def test_the_task_is_done_by_the_batch_and_not_by_the_steps(node: str) -> None:
    sizes = [(1, 32), (1, 256), (256, 32), (1, 1), (100, 1), (256, 1)]
    calls = [{"batch": batch, "steps": steps} for batch, steps in sizes]
    no_lstm = {"layers": STATE["layers"][::2]} | calls[-1]
    shown = markup(node, ENTRY, *(STATE | each for each in [*calls, no_lstm]))
    assert ["✓ Done:" in text for text in shown] == [*[False] * 4, True, False, False]


def test_a_number_that_does_not_count_is_said_in_place_of_results(node: str) -> None:
    done = STATE | {"batch": 100, "steps": 1}
    wrong = {"label": "Batch", "text": "0", "counts": "100", "range": [1, 256], "isWhole": True}
    right, shown = markup(node, ENTRY, done, done | {"wrong": wrong})
    assert task(right)[0] and not task(shown)[0]
    assert "Batch is 0, but has to be a whole number from 1 to 256." in shown
    assert "Bytes in the file:" in right and "Bytes in the file:" not in shown


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("spec", "{nn.LSTM}", {"spec": "{nn.LSTM}"}),
        ("batch", 7, {"batch": 7}),
        ("layers.0.0", "conv1d", {"layers": [["conv1d", 10, 4], *STATE["layers"][1:]]}),
        ("layers.2.1", 9, {"layers": [*STATE["layers"][:2], ["linear", 9, 5000]]}),
    ],
    ids=["the call", "the batch", "a kind", "a size"],
)
def test_what_an_input_changes(node: str, name: str, value: object, change: dict) -> None:
    assert call(node, ENTRY, [["changed", STATE, name, value]]) == [change]


# ------------------------------------------------------------------ Python


@pytest.fixture
def widget() -> SwappedLayers:
    return SwappedLayers(("embedding", 10, 4), ("lstm", 4, 8), ("linear", 8, 3), steps=5)


def test_says_what_is_swapped_and_saved(widget: SwappedLayers) -> None:
    before, after = 160 + 4 * (384 + 64) + 4 * 27, 160 + 384 + 256 + 24 + 12 + 12
    assert repr(widget) == (
        f"SwappedLayers(quantize_dynamic(model)): layer 2, 3 swapped; {before:,} to {after} bytes"
    )
    widget.spec = "dtype=torch.quint8"
    assert "(model, dtype=torch.quint8)): layer 1 swapped" in repr(widget)


def test_the_costs_are_those_of_the_formulas(widget: SwappedLayers) -> None:
    widget.batch = 7
    assert widget.costs[1] == layer_cost("lstm", 4, 8, batch=7, steps=5)


def test_layers_from_the_browser_are_lists(widget: SwappedLayers) -> None:
    widget.set_state({"layers": [["conv1d", 1, 1]]})
    assert repr(widget).endswith("nothing swapped; 16 to 16 bytes")


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([], "must be of length 1 <= L <= 6"),
        ([("linear", 1, 1)] * 7, "must be of length 1 <= L <= 6"),
        ([("gru", 1, 1)], "'linear'.*not the str 'gru'"),
        ([("linear", 0, 1)], "not be less than 1, but a value of 0"),
        ([("linear", 1, 65537)], "not be greater than 65536, but a value of 65537"),
        ([("linear", 1.5, 1)], "int"),
        ([("linear", 1)], "layers"),
    ],
    ids=["none", "too many", "kind", "small", "large", "fraction", "short"],
)
def test_layers_that_cannot_be_shown_are_refused(
    widget: SwappedLayers, layers: list, message: str
) -> None:
    before = repr(widget)
    with pytest.raises(TraitError, match=message):
        widget.layers = layers
    assert repr(widget) == before
    with pytest.raises(TraitError, match=message):
        SwappedLayers(*layers)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("batch", 257, "not be greater than 256, but a value of 257"),
        ("steps", 0, "not be less than 1, but a value of 0"),
        ("spec", "all", "'spec' trait.*not the str 'all'"),
    ],
)
def test_a_call_that_cannot_be_made_is_refused(
    widget: SwappedLayers, name: str, value: object, message: str
) -> None:
    with pytest.raises(TraitError, match=message):
        setattr(widget, name, value)
    with pytest.raises(TraitError, match=message):
        SwappedLayers(("linear", 1, 1), **{name: value})
