"""The stream's Python side: what it stores, what it says, what it refuses."""

import math

import pytest
import torch
import traitlets

from qlearn import (
    HistogramObserver,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    fake_quantize,
    sqnr,
)
from qlearn.course.widgets import ObserverStream

TYPICAL = torch.randn(50, generator=torch.Generator().manual_seed(1))


@pytest.fixture
def batches():
    return torch.randn(8, 30, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    ("name", "twin"),
    [
        ("minmax", MinMaxObserver()),
        ("moving_average", MovingAverageMinMaxObserver(averaging_constant=0.1)),
        ("histogram", HistogramObserver()),
    ],
)
def test_shows_what_the_observer_makes_of_the_batches_seen(batches, name, twin):
    widget = ObserverStream(
        batches, TYPICAL, observer=name, averaging_constant=0.1, outlier=9.5, outliers=(2,), seen=5
    )
    hit = batches.clone()
    hit[2, 0] = 9.5
    for batch in hit[:5]:
        twin(batch)
    assert widget.qparams == twin.qparams()
    assert widget.sqnr == sqnr(TYPICAL, fake_quantize(TYPICAL, twin.qparams()))
    best = twin.best_range() if name == "histogram" else (twin.min_val, twin.max_val)
    assert (widget.min_val, widget.max_val) == tuple(end.item() for end in best)


def test_the_page_gets_the_values_as_little_endian_float32(batches):
    widget = ObserverStream(batches.t(), TYPICAL, outlier=0.1)
    stored = torch.frombuffer(bytearray(widget.values), dtype=torch.float32)
    assert torch.equal(stored.reshape(30, 8), batches.t()) and widget.batch_size == 8
    assert torch.equal(torch.frombuffer(bytearray(widget.typical), dtype=torch.float32), TYPICAL)
    assert widget.outlier == torch.tensor(0.1).item()


def test_another_setting_is_computed_anew(batches):
    widget = ObserverStream(batches, TYPICAL, seen=3)
    for name, value in {
        "observer": "moving_average",
        "averaging_constant": 0.5,
        "outliers": [1],
        "seen": 7,
    }.items():
        before = repr(widget)
        setattr(widget, name, value)
        settings = {n: getattr(widget, n) for n in ("observer", "averaging_constant", "seen")}
        fresh = ObserverStream(batches, TYPICAL, outliers=tuple(widget.outliers), **settings)
        assert repr(widget) == repr(fresh) != before or name == "observer"
        assert (widget.max_val, widget.sqnr) == (fresh.max_val, fresh.sqnr)


def test_without_an_error_there_is_no_ratio(batches):
    widget = ObserverStream(batches, torch.zeros(3))
    assert widget.sqnr is None and "no error" in repr(widget)


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("seen", 0, ValueError, "seen is 0, but there are 8 batches"),
        ("seen", 9, ValueError, "pass 1 to 8"),
        ("outliers", [8], ValueError, r"outliers is \[8\].*0 to 7"),
        ("averaging_constant", 0.0, ValueError, "averaging_constant is 0.0"),
        ("observer", "percentile", traitlets.TraitError, "percentile"),
    ],
)
def test_what_the_stream_has_no_answer_to_changes_nothing(batches, name, value, error, message):
    widget = ObserverStream(batches, TYPICAL)
    before = repr(widget)
    with pytest.raises(error, match=message):
        setattr(widget, name, value)
    assert repr(widget) == before
    with pytest.raises(error, match=message):
        ObserverStream(batches, TYPICAL, **{name: value})


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ({"batches": torch.zeros(3)}, ValueError, r"batches has shape \(3,\)"),
        ({"batches": torch.zeros(3, 0)}, ValueError, "at least one value"),
        ({"typical": torch.zeros(0)}, ValueError, r"typical \(0,\)"),
        ({"batches": torch.zeros(10, 1000)}, ValueError, "10050 values.*10,000"),
        ({"batches": torch.tensor([[1.0, math.inf]])}, ValueError, "batches holds 1 values"),
        ({"typical": torch.tensor([math.nan])}, ValueError, "typical holds 1 values"),
        ({"outlier": 1e31}, ValueError, "outlier holds 1 values.*1e\\+30"),
        ({"batches": torch.zeros(2, 2, dtype=torch.float64)}, TypeError, "float64"),
        ({"typical": torch.zeros(2, dtype=torch.int32)}, TypeError, "int32"),
    ],
)
def test_bad_values_are_named(batches, bad, error, message):
    with pytest.raises(error, match=message):
        ObserverStream(**{"batches": batches, "typical": TYPICAL, **bad})
