"""The stream of batches: its arithmetic against qlearn, its view and changes, its Python side."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from traitlets import TraitError

from qlearn import (
    HistogramObserver,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    fake_quantize,
    sqnr,
)
from qlearn.course.widgets import ObserverStream
from tests.course.widgets.figures import call, markup, with_other
from tests.course.widgets.refusal import assert_refused
from tests.course.widgets.stored import opening, task

ENTRY = ObserverStream.entry()
STREAM = ENTRY.with_name("stream.js")
BATCHES = torch.randn(8, 30, generator=torch.Generator().manual_seed(0))
TYPICAL = torch.randn(50, generator=torch.Generator().manual_seed(1))
STATE = {"seen": 3, "count": 8, "outliers": [5], "playing": False, "speed": 1}


def stream(**settings: Any) -> ObserverStream:
    return ObserverStream(BATCHES, TYPICAL, **{"outlier": 9.5, **settings})


# ------------------------------------------------------------------ the arithmetic


def points_that_differ(node: str, folder: Path, module: Path) -> int:
    """Return how many points differ from what qlearn makes of the batches seen."""
    points = "(seen, values, ...all) => right.watch(Float32Array.from(values))(...all)(seen)"
    with_points = with_other(folder, module, "points", points)
    values, differing = [*BATCHES.flatten().tolist(), *TYPICAL.tolist()], 0
    for observer in ("minmax", "moving_average", "histogram"):
        widget = stream(observer=observer, averaging_constant=0.1, outliers=[2])
        setting = {k: v for k, v in widget.state().items() if k != "values"}
        (found,) = call(node, with_points, [["points", 8, values, setting]])
        for widget.seen, point in enumerate(found, 1):
            exact = (point["range"], point["qparams"]["scale"])
            same = exact == (list(widget.range), widget.qparams.scale.item())
            differing += not (same and point["sqnr"] == pytest.approx(widget.sqnr))
    return differing


def test_each_point_is_what_qlearn_makes_of_the_batches(node: str, tmp_path: Path) -> None:
    assert points_that_differ(node, tmp_path, STREAM) == 0


def test_a_lost_outlier_is_seen(node: str, tmp_path: Path) -> None:
    without = "(values) => (all) => right.watch(values)({ ...all, outliers: [] })"
    assert points_that_differ(node, tmp_path, with_other(tmp_path, STREAM, "watch", without)) > 10


@pytest.mark.parametrize(
    ("name", "twin"),
    [
        ("minmax", MinMaxObserver()),
        ("moving_average", MovingAverageMinMaxObserver(averaging_constant=0.1)),
        ("histogram", HistogramObserver()),
    ],
)
def test_python_shows_what_the_observer_makes(name: str, twin: MinMaxObserver) -> None:
    widget = stream(observer=name, averaging_constant=0.1, outliers=(2,), seen=5)
    hit = BATCHES.clone()
    hit[2, 0] = 9.5
    for batch in hit[:5]:
        twin(batch)
    assert widget.qparams == twin.qparams()
    assert widget.sqnr == sqnr(TYPICAL, fake_quantize(TYPICAL, twin.qparams()))


# ------------------------------------------------------------------ view and changes


def test_the_view_tells_what_the_range_is_worth(node: str) -> None:
    widget = stream(seen=5, outliers=[2])
    quiet, thrown = markup(node, ENTRY, stream(seen=5).state(), widget.state())
    low, high = (f"{end:.4g}".replace("-", "−") for end in widget.range)
    assert f"Range of MinMax <b>{low} … {high}</b>" in thrown
    assert f"SQNR of typical values <b>{widget.sqnr:.2f} dB</b>" in thrown
    assert "Outliers so far <b>1</b>" in thrown and 'aria-valuetext="5 of 8"' in thrown
    assert re.search(r'name="seen" min="1" max="8"', thrown)
    assert '<button type="button" name="go" value="1">Next batch</button>' in thrown
    assert 'aria-label="Outlier"' in thrown and 'aria-label="Outlier"' not in quiet
    assert "--qb-lost" in thrown and "--qb-lost" not in quiet  # a good ratio is no loss
    (one,) = markup(node, ENTRY, stream(seen=1).state())
    assert "The extremes of 5 batches, the" in thrown and "The extremes of 1 batch, the" in one


def test_typical_values_without_an_error_have_no_place(node: str) -> None:
    widget = ObserverStream(BATCHES, torch.zeros(3))
    (drawn,) = markup(node, ENTRY, widget.state())
    assert "<b>no error</b>" in drawn and "Infinity" not in drawn and "NaN" not in drawn
    assert "no error" in repr(widget)


def test_the_task_asks_for_an_average_that_follows(node: str) -> None:
    ended = {"seen": 60, "observer": "moving_average"}
    states = [
        {},
        {"seen": 60},
        ended,
        ended | {"averaging_constant": 0.1, "outliers": []},
        ended | {"averaging_constant": 0.1, "seen": 59},
        ended | {"averaging_constant": 0.1},
    ]
    page = ("calibration/observers", "ObserverStream")
    drawn = markup(node, ENTRY, *(opening(*page, **state) for state in states))
    assert [task(each)[0] for each in drawn] == [False] * 5 + [True]


@pytest.mark.parametrize(
    ("state", "name", "value", "change"),
    [
        ({}, "seen", 4, {"seen": 4}),
        ({}, "go", 1, {"seen": 4}),
        ({"playing": True}, "go", -1, {"seen": 2}),
        ({}, "thrown", "", {"seen": 4, "outliers": [5, 3]}),
        ({"outliers": [3]}, "thrown", "", {"seen": 4, "outliers": [3]}),
        ({}, "play", "", {"seen": 4, "playing": True}),
        ({"playing": True}, "play", "", {"seen": 3}),
        ({"playing": True}, "tick", None, {"seen": 4, "playing": True}),
        ({"playing": True, "seen": 7}, "tick", None, {"seen": 8}),
        ({"playing": True}, "speed", 4, {"speed": 4, "playing": True}),
        ({"playing": True}, "restart", "", {"seen": 1, "outliers": []}),
        ({"playing": True}, "seen", 8, {"seen": 8}),
        ({}, "outlier", -2.5, {"outlier": -2.5}),
        ({}, "constant", 2, {"averaging_constant": 0.05}),
        ({}, "observer", "histogram", {"observer": "histogram"}),
    ],
)
def test_what_an_input_changes(
    node: str, state: dict, name: str, value: object, change: dict
) -> None:
    assert call(node, ENTRY, [["changed", STATE | state, name, value]]) == [
        {"playing": False, **change}
    ]


# ------------------------------------------------------------------ Python


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("seen", 0, TraitError, "not be less than 1"),
        ("seen", 9, TraitError, "seen is 9, but there are 1 … 8"),
        ("outliers", [8], TraitError, r"outliers is \[8\], but there are 0 … 7"),
        ("outliers", [-1], TraitError, "not be less than 0"),
        ("averaging_constant", 0.0, TraitError, "not be less than 1e-06"),
        ("observer", "percentile", TraitError, "percentile"),
        ("outlier", 1e31, TraitError, r"1e\+30"),
        ("outlier", math.nan, TraitError, "not the float nan"),
    ],
)
def test_what_the_stream_has_no_answer_to_changes_nothing(
    name: str, value: object, error: type, message: str
) -> None:
    assert_refused(stream, name, value, message, error)


@pytest.mark.parametrize(
    ("batches", "message"),
    [
        (torch.zeros(3), r"batches has shape \(3,\)"),
        (torch.zeros(3, 0), "batches and typical have 0 and 50 values"),
        (torch.tensor([[1.0, math.inf]]), "batches holds 1 values"),
    ],
)
def test_bad_batches_are_named(batches: Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ObserverStream(batches, TYPICAL)


def test_a_misspelt_setting_is_refused() -> None:
    with pytest.raises(TypeError, match="ObserverStream takes no seem: it has .*outlier.*seen"):
        stream(seem=3)
