"""The clipping threshold: its errors against qlearn's, its view and changes, its Python side."""

from __future__ import annotations

import math
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from traitlets import TraitError

from proofs.draw import Draw
from qlearn import choose_qparams, clipped_share, quant_range, split_mse
from qlearn.course.widgets import ClippingThreshold
from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call, markup, with_other
from tests.course.widgets.refusal import assert_refused
from tests.course.widgets.stored import opening, task

ENTRY = ClippingThreshold.entry()
TWO_ERRORS = SHARED / "two_errors.js"
PARTS = [i / 100 for i in range(3, 126)]  # of the largest number: the thresholds that are tried
EXTREME = [1e-60, 1e-7, 2e30]  # of which the first two have the smallest scale that there is
RESULT = re.compile(r"<b>(.*?)</b>")


@pytest.fixture
def tensors() -> dict[str, Tensor]:
    draw = Draw(0)
    return {"normal": draw.normal(300), "2": 5 * draw.normal(20, 4).t()}


# ------------------------------------------------------------------ the arithmetic


def hard_tensors() -> list[Tensor]:
    """Return smooth and long-tailed values, ties of many scales, a few outliers, and none."""
    draw = Draw(0)
    normal, ties = draw.normal(1000), draw.hard_values(0.125, 200)
    outliers = torch.cat([normal[:500], torch.tensor([17.0, -20.0])])
    tails = [normal, normal.sign() * normal**4, ties[ties.abs() < 100], outliers]
    return [*tails, 1e-3 * normal, 1e29 * normal, torch.zeros(3)]


def qparams_of(threshold: float, bits: int) -> Any:
    low, high = quant_range(torch.int8, bits=bits)
    return choose_qparams(-threshold, threshold, symmetric=True, quant_min=low, quant_max=high)


def measured(x: Tensor, threshold: float, bits: int) -> dict[str, float]:
    """Return what qlearn says of a threshold."""
    qparams = qparams_of(threshold, bits)
    rounding, clipping = split_mse(x, qparams)
    parts = {"rounding": rounding, "clipping": clipping, "sum": rounding + clipping}
    return {"threshold": threshold, **parts}


def curves_that_differ(node: str, module: Path) -> int:
    """Return how many of 49 curves, of 126 thresholds each, the module draws otherwise."""
    cases = [
        (x, [part * x.abs().max().item() or part for part in PARTS] + EXTREME, bits)
        for x in hard_tensors()
        for bits in range(2, 9)
    ]
    calls = [["errorCurve", x.tolist(), thresholds, bits] for x, thresholds, bits in cases]
    differing = 0
    for found, (x, thresholds, bits) in zip(call(node, module, calls), cases, strict=True):
        points = [measured(x, threshold, bits) for threshold in thresholds]
        best = min(points, key=lambda point: point["sum"])
        # Sums of float64 in another order differ by less than 1e-9 of them.
        same = all(
            ours == pytest.approx(theirs, rel=1e-9, abs=0)
            for ours, theirs in zip([*found["points"], found["best"]], [*points, best], strict=True)
        )
        differing += not same
    return differing


def test_the_errors_of_each_threshold_equal_qlearns(node: str) -> None:
    assert curves_that_differ(node, TWO_ERRORS) == 0


def test_a_clipped_value_that_counts_as_rounded_is_seen(node: str, tmp_path: Path) -> None:
    one_error = """(...given) => {
      const points = right.errorCurve(...given).points;
      return { points: points.map((each) => ({ ...each, rounding: each.sum })), best: points[0] };
    }"""
    module = with_other(tmp_path, TWO_ERRORS, "errorCurve", one_error)
    assert curves_that_differ(node, module) > 0


def test_the_qparams_are_those_of_an_observer(node: str) -> None:
    draw = Draw(1)
    cases = [(draw.scale(decades=60), 2 + i % 7) for i in range(2000)]
    found = call(node, TWO_ERRORS, [["qparamsFor", *case] for case in cases])
    for ours, case in zip(found, cases, strict=True):
        right = qparams_of(*case)
        codes = {"quantMin": right.quant_min, "quantMax": right.quant_max}
        assert float(ours.pop("scale")) == right.scale.item()
        assert ours == {"zeroPoint": 0, **codes}


# ------------------------------------------------------------------ view and changes


def numbers(text: str) -> list[float]:
    """Return the numbers of the results, in print, in their order."""
    shown = " ".join(RESULT.findall(text.split("qb-result")[1]))
    return [float(number.replace("−", "-")) for number in re.findall(r"−?\d[\d.e−+]*", shown)]


def test_the_view_says_what_qlearn_measures(node: str, tensors: dict[str, Tensor]) -> None:
    widgets = [
        ClippingThreshold(tensors, data=name, bits=bits, threshold=threshold)
        for name in tensors
        for bits in (2, 5, 8)
        for threshold in (None, 0.3, 2.0)
    ]
    texts = markup(node, ENTRY, *(widget.state() for widget in widgets))
    for widget, text in zip(widgets, texts, strict=True):
        x = tensors[widget.data]
        now = measured(x, widget.threshold or x.abs().max().item(), widget.bits)
        tried = [measured(x, part * x.abs().max().item(), widget.bits) for part in PARTS]
        best = min(tried, key=lambda point: point["sum"])
        threshold, scale, share, rounding, clipping, total, least, at = numbers(text)
        assert share == pytest.approx(100 * clipped_share(x, widget.qparams), abs=0.005)
        shown = [threshold, scale, rounding, clipping, total, least, at]
        right = [now["threshold"], widget.qparams.scale.item(), now["rounding"], now["clipping"]]
        right += [now["sum"], best["sum"], best["threshold"]]
        assert shown == pytest.approx(right, rel=5e-3)  # three or four digits are in print


def test_the_threshold_is_held_in_three_places(node: str, tensors: dict[str, Tensor]) -> None:
    widget = ClippingThreshold(tensors, data="2", threshold=2.0)
    (shown,) = markup(node, ENTRY, widget.state())
    handles = re.findall(r'<input[^>]*name="threshold"[^>]*>', shown)
    labels = [re.search(r'aria-label="(.*?)"', handle)[1] for handle in handles]
    assert labels == ["Threshold on the left", "Threshold on the right", "Threshold"]
    assert all('value="2"' in handle and 'aria-valuetext="2"' in handle for handle in handles)
    assert ["direction: rtl" in handle for handle in handles] == [True, False, False]
    assert '<option value="1" selected>2</option>' in shown


def test_the_task_takes_fewer_bits_and_a_move(node: str) -> None:
    page = ("numbers/rounding_and_clipping", "ClippingThreshold")
    far = {"data": "with outliers"}
    moves: list[dict[str, Any]] = [{}, {"threshold": 2.432}, {"bits": 3}, {"threshold": 1.776}]
    moves += [far | {"bits": 8}, far | {"bits": 2, "threshold": 42.0}]
    moves += [{"bits": 3, "data": "normal", "threshold": 2.156}, {"bits": 2, "threshold": 1.312}]
    drawn = markup(node, ENTRY, *(opening(*page, **move) for move in moves))
    assert [task(each)[0] for each in drawn] == [False] * 6 + [True] * 2


@pytest.mark.parametrize(
    "x",
    [torch.zeros(3), torch.ones(2), torch.tensor([2.0**-23]), torch.tensor([1e-45, -1e30])],
    ids=["zeros", "always exact", "below the smallest scale", "far apart"],
)
def test_data_without_an_error_are_drawn(node: str, x: Tensor) -> None:
    states = [ClippingThreshold({"x": x}, bits=bits).state() for bits in range(2, 9)]
    for shown in markup(node, ENTRY, *states):
        assert "NaN" not in shown and "Infinity" not in shown


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("data", 1, {"data": "2", "own": [], "typed": None, "threshold": None}),
        ("data", 2, {}),
        ("typed", "1 -4", {"typed": "1 -4", "own": [1, -4], "threshold": None}),
        ("bits", 2, {"bits": 2}),
        ("threshold", 0.75, {"threshold": 0.75}),
    ],
)
def test_what_an_input_changes(
    node: str, tensors: dict[str, Tensor], name: str, value: object, change: dict
) -> None:
    state = ClippingThreshold(tensors, threshold=2.0).state()
    assert call(node, ENTRY, [["changed", state, name, value]]) == [change]


def test_own_numbers_take_the_place_of_the_data(node: str, tensors: dict[str, Tensor]) -> None:
    widget = ClippingThreshold(tensors, own=[0.5, -4.0, 1.0], bits=2)
    assert widget.x.tolist() == [0.5, -4.0, 1.0]
    assert repr(widget).startswith("ClippingThreshold(own numbers, 3 values, 2 bits): threshold 4,")
    (shown,) = markup(node, ENTRY, widget.state())
    assert '<option value="2" selected>your own</option>' in shown
    assert numbers(shown)[0] == 4.0 and "0.5, -4, 1" in shown


def test_the_button_goes_to_the_smallest_sum(node: str, tensors: dict[str, Tensor]) -> None:
    widget = ClippingThreshold(tensors)
    ((change),) = call(node, ENTRY, [["changed", widget.state(), "best", ""]])
    widget.set_state(change)
    least = sum(widget.errors)
    x = tensors["normal"]
    tried = [part * x.abs().max().item() for part in PARTS]
    assert least == min(sum(split_mse(x, qparams_of(each, 4))) for each in tried)
    assert least < sum(ClippingThreshold(tensors).errors)


# ------------------------------------------------------------------ Python


def test_starts_at_the_largest_value(tensors: dict[str, Tensor]) -> None:
    widget = ClippingThreshold(tensors)
    x = tensors["normal"]
    assert (widget.data, widget.bits, widget.reach) == ("normal", 4, x.abs().max().item())
    assert widget.qparams == qparams_of(widget.reach, 4)
    assert widget.errors == split_mse(x, widget.qparams)


def test_starts_where_it_is_told_to(tensors: dict[str, Tensor]) -> None:
    widget = ClippingThreshold(tensors, data="2", bits=8, threshold=2.0)
    assert torch.equal(widget.x, tensors["2"].flatten())
    assert widget.qparams == choose_qparams(-2.0, 2.0, symmetric=True)
    assert widget.errors == split_mse(tensors["2"], widget.qparams)
    assert widget.errors[1] > 0


def test_a_move_is_measured_anew(tensors: dict[str, Tensor]) -> None:
    widget = ClippingThreshold(tensors)
    widget.bits, widget.threshold = 2, 1.5
    assert repr(widget) == repr(ClippingThreshold(tensors, bits=2, threshold=1.5))
    widget.set_state({"data": "2", "threshold": None})
    assert repr(widget) == repr(ClippingThreshold(tensors, data="2", bits=2))


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("threshold", 0.0, TraitError, "threshold.*not be less than"),
        ("threshold", math.nan, TraitError, "threshold.*not the float nan"),
        ("threshold", 1e37, TraitError, "threshold.*not be greater than"),
        ("bits", 9, TraitError, "not be greater than 8"),
        ("data", "weights", ValueError, "data must be 'normal' or '2', not 'weights'"),
    ],
)
def test_a_bad_assignment_changes_nothing(
    tensors: dict[str, Tensor], name: str, value: object, error: type[Exception], message: str
) -> None:
    assert_refused(partial(ClippingThreshold, tensors), name, value, message, error)


@pytest.mark.parametrize(
    ("tensors", "error", "message"),
    [
        ({}, TraitError, "places.*length 1"),
        ({"x": torch.zeros(0)}, ValueError, "x have 0 values"),
        ({"x": torch.ones(9_000), "y": torch.ones(1_001)}, ValueError, "9000 and 1001 values"),
        ({"x": torch.tensor([1.0, math.inf])}, ValueError, "1 values that are infinite"),
        ({"x": torch.zeros(3, dtype=torch.float64)}, TypeError, "float64"),
    ],
    ids=["none", "empty", "many", "infinite", "float64"],
)
def test_bad_tensors_are_named(
    tensors: dict[str, Tensor], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ClippingThreshold(tensors)
