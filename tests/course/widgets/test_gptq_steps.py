"""GPTQ in steps: its view and changes, its Python side."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from traitlets import TraitError

from qlearn import quantize_groups
from qlearn.course import normal
from qlearn.course.widgets import GPTQSteps
from tests.course.widgets.figures import call, markup
from tests.course.widgets.stored import opening, task

ENTRY = GPTQSteps.entry()
DRAW = torch.Generator().manual_seed(0)
WEIGHT = normal(3, 6, generator=DRAW)
# Neighbours that are alike, as GPTQ needs them.
INPUTS = normal(40, 6, generator=DRAW).cumsum(1)


# ------------------------------------------------------------------ view and changes


def test_the_view_says_what_each_step_loses(node: str) -> None:
    widgets = [GPTQSteps(WEIGHT, INPUTS, step=step) for step in (0, 1, 6)]
    none, first, last = markup(node, ENTRY, *(widget.state() for widget in widgets))
    assert "Rounded <b>0 of 6 columns</b>" in none and "by GPTQ <b>0.0 %</b>" in none
    assert "Codes that differ <b>0 of 3</b>" in first
    errors = {name: f"{100 * error:.1f} %" for name, error in widgets[0].errors.items()}
    assert f"Output error by GPTQ <b>{errors['gptq']}</b>" in last
    assert f"to nearest <b>{errors['nearest']}</b>" in last
    by_gptq, to_nearest = (each.codes for each in widgets[0].rounded.values())
    assert f"Codes that differ <b>{int((by_gptq != to_nearest).sum())} of 18</b>" in last
    moving = "; the error of the last moves those after it"
    labels = [
        f'"{step} of 6 columns {"is" if step == 1 else "are"} rounded{moving * (step == 1)}."'
        for step in (0, 1, 6)
    ]
    assert all(label in drawn for label, drawn in zip(labels, (none, first, last), strict=True))
    assert "Next column" in first and 'aria-disabled="true">Next column' in last


def test_the_picture_shows_the_error_and_what_it_moves(node: str) -> None:
    widget = GPTQSteps(WEIGHT, INPUTS, bits=4)
    states = [widget.state() | {"step": step} for step in (0, 1, 5)]
    start, first, fifth = markup(node, ENTRY, *states)
    # A red stroke for each weight of the column and of those behind it.
    assert [drawn.count('stroke="var(--qb-lost)"') for drawn in (start, first, fifth)] == [0, 18, 6]
    scale = WEIGHT.abs().amax(dim=1) / 7.5
    error = (quantize_groups(WEIGHT, group_size=6).dequantize() - WEIGHT)[:, 0] / scale
    assert "−0.00" not in first + fifth and "+0.00" not in first + fifth
    drawn = re.findall(r">([+−]?\d\.\d\d)<", first.split("<output")[0])
    shown = [float(text.replace("−", "-")) for text in drawn]
    assert shown[::6] == [round(steps, 2) for steps in error.tolist()]


def test_the_read_out_has_the_numbers_to_compare(node: str) -> None:
    """They stand in the picture, too, which a screen reader takes as one image."""
    states = [opening("language/weights", "GPTQSteps", step=step) for step in range(9)]
    for step, drawn in enumerate(markup(node, ENTRY, *states)):
        found = re.findall(r">([+−]?\d\.\d\d)<", drawn.split("<output")[0])
        sizes = [abs(float(text.replace("−", "-"))) for text in found]
        left = 9 - step  # columns with a number: the last that was rounded, and those behind it
        columns = [max(sizes[i::left]) for i in range(left)] if step else []
        name, own = re.findall(r"(Largest error[^<]*) <b>([^<]*)", drawn)[0]
        assert name == (f"Largest error of column {step}" if step else "Largest error")
        assert own == (f"{columns[0]:.2f}" if step else "none")
        [move] = re.findall("Largest move by it <b>([^<]*)", drawn)
        if len(columns) > 1:
            size, place = max((size, step + i) for i, size in enumerate(columns[1:], 1))
            assert move == f"{size:.2f}, column {place}"
        else:
            assert move == "none"


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("go", 1, {"step": 3, "playing": False}),
        ("go", -1, {"step": 1, "playing": False}),
        ("play", "", {"step": 3, "playing": True}),
        ("speed", 4, {"speed": 4}),
        ("step", 6, {"step": 6, "playing": False}),
        ("bits", 2, {"bits": 2}),
    ],
)
def test_what_an_input_changes(node: str, name: str, value: object, change: dict) -> None:
    state = {"step": 2, "columns": 6, "bits": 3, "playing": False}
    assert call(node, ENTRY, [["changed", state, name, value]]) == [change]
    (again,) = call(node, ENTRY, [["changed", state | {"step": 6}, "play", ""]])
    assert again == {"step": 0, "playing": True}


def test_the_task_is_done_behind_the_column_that_has_a_large_share(node: str) -> None:
    page = ("language/weights", "GPTQSteps")
    states = [opening(*page), *(opening(*page, step=step) for step in range(9))]
    states += [opening(*page, step=2, bits=bits) for bits in (2, 4)]
    found = [task(drawn)[0] for drawn in markup(node, ENTRY, *states)]
    assert found == [False, *(step == 2 for step in range(9)), True, True]


# ------------------------------------------------------------------ Python


def test_its_line_says_both_errors() -> None:
    widget = GPTQSteps(WEIGHT, INPUTS, bits=4)
    by_gptq, to_nearest = (f"{100 * error:.1f} %" for error in widget.errors.values())
    widget.set_state({"step": 4})
    assert repr(widget) == (
        "GPTQSteps(4 of 6 columns, 4 bits): output error in the end "
        f"{by_gptq} by GPTQ, {to_nearest} to nearest"
    )
    assert widget.errors["gptq"] < widget.errors["nearest"]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"weight": WEIGHT[0]}, ValueError, r"weight has shape \(6,\)"),
        ({"weight": torch.zeros(5, 6)}, ValueError, "weight is 5 × 6: .* from 1 × 2 to 4 × 8"),
        ({"weight": torch.zeros(2, 9)}, ValueError, "weight is 2 × 9"),
        ({"weight": WEIGHT.double()}, TypeError, "float64"),
        ({"inputs": INPUTS[:, :5]}, ValueError, "inputs has 5 features and the weight takes 6"),
        ({"inputs": INPUTS / 0}, ValueError, "inputs"),
        ({"bits": 5}, TraitError, "not be greater than 4"),
        ({"step": 7}, TraitError, "step is 7, but there are 0 … 6"),
        ({"step": -1}, TraitError, "not be less than 0"),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, dict) else "",
)
def test_what_the_page_cannot_show_is_refused(
    given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        GPTQSteps(**{"weight": WEIGHT, "inputs": INPUTS, **given})
