"""Old and new: both rules against qlearn on matrices, the view and changes, the Python side."""

from __future__ import annotations

import math
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from proofs.draw import Draw
from qlearn import QParams, dequantize, dynamic_qparams, quantize, sqnr, token_qparams
from qlearn.course.widgets import OldAndNew
from qlearn.course.widgets.shared.values import loaded, stored
from tests.course.widgets.figures import call, markup, with_other
from tests.course.widgets.refusal import assert_refused
from tests.course.widgets.stored import opening, task

ENTRY = OldAndNew.entry()
SCALES = ENTRY.with_name("token_scales.js")
RESULT = re.compile(r"<b>(.*?)</b>")
State = dict[str, Any]
X = torch.tensor([[1.0, -0.5, 0.3], [0.25, 0.1, -0.2]])


# ------------------------------------------------------------------ the arithmetic


def drawn(i: int, draw: Draw) -> State:
    """Return the state that shows a matrix; zero, one-sided and tiny rows are among those drawn."""
    rows, width = draw.integer(2, 8), draw.integer(1, 20)
    x = draw.normal(rows * width).reshape(rows, width) * 10.0 ** draw.integer(-7, 4)
    x = x.to(torch.float32)
    if i % 4 == 0:
        x[0] = 0.0
    if i % 3 == 0:
        x[1] = x[1].abs()
    token, octaves = draw.integer(0, rows - 1), draw.integer(0, 8)
    mapping = ("symmetric", "asymmetric")[draw.integer(0, 1)]
    rules = {"mapping": mapping, "reduce_range": bool(draw.integer(0, 1))}
    return {"values": stored(x=x), "rows": rows, "token": token, "octaves": octaves, **rules}


@pytest.fixture(scope="module")
def states() -> list[State]:
    draw = Draw(0)
    return [drawn(i, draw) for i in range(2000)]


def by_qlearn(state: State) -> list[list[float]]:
    """Return what qlearn makes of the tokens by the old and by the new rule."""
    x = loaded(state["values"]).reshape(state["rows"], -1)
    x[state["token"]] *= 2.0 ** state["octaves"]
    old = dynamic_qparams(x, reduce_range=state["reduce_range"])
    new = token_qparams(x, mapping=state["mapping"])
    return [
        numbers(x, qparams, dequantize(quantize(x, qparams, rounding=rounding), qparams))
        for qparams, rounding in ((old, "fma"), (new, "nearest"))
    ]


def numbers(x: Tensor, qparams: QParams, restored: Tensor) -> list[float]:
    """Return each row's scale, zero point, loss and SQNR, and last the SQNR of the whole."""
    scales = qparams.scale.expand(len(x)).tolist()
    zero_points = qparams.zero_point.expand(len(x)).tolist()
    ratios = [sqnr(row, again) for row, again in zip(x, restored, strict=True)]
    lost = ((x != 0).any(1) & (restored == 0).all(1)).tolist()
    return [*scales, *zero_points, *lost, *ratios, sqnr(x, restored)]


def of_javascript(rule: dict[str, Any]) -> list[float]:
    """Return the same numbers, in the same order, of what the module answers."""
    rows = rule["rows"]
    chosen = [row["qparams"][name] for name in ("scale", "zeroPoint") for row in rows]
    lost = [row["lost"] for row in rows]
    return [*chosen, *lost, *(float(each["sqnr"]) for each in (*rows, rule))]


def matrices_that_differ(node: str, module: Path, states: list[State]) -> int:
    """Return of how many matrices the module makes something else than qlearn, by either rule."""
    found = call(node, module, [["byBoth", state] for state in states])
    differing = 0
    for state, rules in zip(states, found, strict=True):
        for rule, wanted in zip(rules, by_qlearn(state), strict=True):
            shown = of_javascript(rule)
            exact = 3 * state["rows"]  # the ratios behind are sums, which have an order
            close = shown[exact:] == pytest.approx(wanted[exact:], rel=1e-9, abs=1e-9)
            differing += shown[:exact] != wanted[:exact] or not close
    return differing


def test_both_rules_are_qlearns(node: str, states: list[State]) -> None:
    assert matrices_that_differ(node, SCALES, states) == 0


def test_one_scale_for_both_rules_is_seen(node: str, tmp_path: Path, states: list[State]) -> None:
    twice = "(state) => [right.byBoth(state)[0], right.byBoth(state)[0]]"
    broken = with_other(tmp_path, SCALES, "byBoth", twice)
    assert matrices_that_differ(node, broken, states[:100]) > 50


# ------------------------------------------------------------------ view and changes


def test_the_view_says_what_python_measures(node: str) -> None:
    x = torch.randn(4, 32, generator=torch.Generator().manual_seed(0))
    shown = [OldAndNew(x, token=2, octaves=octaves) for octaves in range(9)]
    for widget, drawing in zip(
        shown, markup(node, ENTRY, *(widget.state() for widget in shown)), strict=True
    ):
        large, old, new, zeros = RESULT.findall(drawing.split("qb-result")[1].split("</output>")[0])
        assert large == f"{widget.old[2]:.1f} dB old, {widget.new[2]:.1f} dB new"
        assert (old, new) == (weakest(widget.old), weakest(widget.new))
        assert zeros == f"{sum(ratio == 0 for ratio in widget.old)} of 4"
        assert drawing.count(">all zeros<") == int(zeros[0])
        for ratio in (*widget.old, *widget.new):
            assert ratio == 0 or f">{ratio:.1f} dB<" in drawing


def weakest(ratios: list[float]) -> str:
    least = min(ratios)
    return f"token {ratios.index(least) + 1}, {least:.1f} dB"


def test_the_bars_grow_with_the_ratio(node: str) -> None:
    widget = OldAndNew(X, octaves=3)
    (drawing,) = markup(node, ENTRY, widget.state())
    widths = [float(width) for width in re.findall(r'<rect x="0%" width="([\d.]+)%"', drawing)]
    pairs = zip(widget.old, widget.new, strict=True)
    ratios = [ratio for pair in pairs for ratio in pair]
    assert widths[2:] == pytest.approx([ratio / 60 * 100 for ratio in ratios], abs=0.01)


def test_the_enlarged_token_is_chosen_on_the_picture(node: str) -> None:
    (drawing,) = markup(node, ENTRY, OldAndNew(X, token=1).state())
    (handle,) = re.findall(r'<input type="range" class="qb-upright" name="token"[^>]*>', drawing)
    assert 'min="0" max="1"' in handle and 'aria-valuetext="token 2"' in handle
    assert "direction: ltr" in handle  # downwards, as the tokens stand


def test_a_row_without_an_error_fills_the_picture(node: str) -> None:
    (drawing,) = markup(node, ENTRY, OldAndNew(torch.tensor([[0.0, 0.0], [1.0, -0.3]])).state())
    assert drawing.count(">no error<") == 2 and "NaN" not in drawing
    assert "All zeros by the old <b>0 of 2</b>" in drawing


STATE = {"rows": 8, "token": 3, "octaves": 2, "mapping": "symmetric", "reduce_range": True}


def test_the_task_is_done_by_the_bit_that_a_doubling_takes(node: str) -> None:
    states: list[State] = [
        {},
        {"octaves": 4},
        {"reduce_range": False},
        {"octaves": 5, "reduce_range": False},
        {"octaves": 4, "mapping": "asymmetric"},
        {"octaves": 4, "reduce_range": False},
    ]
    page = ("today/torchao_and_pt2e_to_the_bit", "OldAndNew")
    drawn = markup(node, ENTRY, *(opening(*page, **state) for state in states))
    assert [task(each)[0] for each in drawn] == [False] * 5 + [True]


@pytest.mark.parametrize("token", range(8))
def test_the_task_can_be_done_with_each_token_and_in_one_way(node: str, token: int) -> None:
    page, named = ("today/torchao_and_pt2e_to_the_bit", "OldAndNew"), ("octaves", "reduce_range")
    ways = [(4, True), (5, False), (4, False)]
    states = (dict(zip(named, way, strict=True), token=token) for way in ways)
    drawn = markup(node, ENTRY, *(opening(*page, **state) for state in states))
    assert [task(each)[0] for each in drawn] == [False, False, True]


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("octaves", 5, {"octaves": 5}),
        ("token", 7, {"token": 7}),
        ("mapping", "asymmetric", {"mapping": "asymmetric"}),
        ("reduce_range", False, {"reduce_range": False}),
        ("row", [0.3, 0.0], {"token": 0}),
        ("row", [0.9, 0.2], {"token": 1}),
        ("row", [0.5, 1.02], {"token": 7}),
    ],
    ids=str,
)
def test_what_an_input_changes(node: str, name: str, value: object, change: dict) -> None:
    assert call(node, ENTRY, [["changed", STATE, name, value]]) == [change]


# ------------------------------------------------------------------ Python


def test_a_large_token_hurts_the_others_under_the_old_rule_only() -> None:
    widget = OldAndNew(X)
    before = widget.old[1], widget.new[1]
    widget.octaves = 6
    assert widget.old[1] < before[0] - 20 and widget.new[1] == before[1]
    assert torch.equal(widget.x, torch.stack([64 * X[0], X[1]]))
    assert repr(widget) == repr(OldAndNew(X, octaves=6))
    widget.mapping, widget.reduce_range = "asymmetric", False
    assert repr(widget) != repr(OldAndNew(X, octaves=6))


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (X.double(), TypeError, "float64"),
        (X[0], ValueError, r"shape \(3,\).*pass a part"),
        (X[:1], ValueError, r"shape \(1, 3\)"),
        (torch.zeros(13, 2), ValueError, "2 to 12 rows"),
        (torch.zeros(2, 0), ValueError, "0 values"),
        (X * math.inf, ValueError, "infinite, NaN or beyond 1e.30"),
    ],
)
def test_bad_tokens_are_named(x: Tensor, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        OldAndNew(x)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("mapping", "affine", "any of .'symmetric', 'asymmetric'.*'affine'"),
        ("token", 2, "token is 2, but there are 0 … 1"),
        ("token", -1, "less than 0"),
        ("octaves", 9, "greater than 8"),
        ("reduce_range", "yes", "reduce_range.*boolean"),
    ],
)
def test_what_the_widget_has_not_is_refused(name: str, value: Any, message: str) -> None:
    assert_refused(partial(OldAndNew, X), name, value, message)
