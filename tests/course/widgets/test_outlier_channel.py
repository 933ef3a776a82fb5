"""The loud channel: its codes and outputs against qlearn, its view and changes, its Python side."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, expect
from torch import Tensor

from qlearn import hadamard, linear_llm_int8, smooth_scales, sqnr
from qlearn.course import normal
from qlearn.course.widgets import OutlierChannel
from qlearn.course.widgets.outlier_channel import REMEDIES
from qlearn.language.llm_int8 import vectorwise
from tests.course.widgets.figures import call, markup, with_other
from tests.course.widgets.page import opener, write_page
from tests.course.widgets.refusal import assert_refused
from tests.course.widgets.shared.test_matrix import shades

ENTRY = OutlierChannel.entry()
REMEDY = ENTRY.with_name("remedies.js")
DRAW = torch.Generator().manual_seed(0)
X, WEIGHT = normal(6, 8, generator=DRAW), normal(5, 8, generator=DRAW)


def shown(**start: Any) -> OutlierChannel:
    return OutlierChannel(X, WEIGHT, **{"channel": 3, "factor": 30} | start)


def given(widget: OutlierChannel) -> list[Any]:
    """Return the arguments of `outcome`."""
    return [[x.tolist() for x in widget.enlarged(1)], widget.state() | {"values": None}]


# ------------------------------------------------------------------ the arithmetic

SETTINGS = [
    {"scales": scales, "factor": factor, "remedy": remedy, "threshold": 2.0, "alpha": 0.6}
    for scales, factor, remedy in itertools.product(("tensor", "token"), (1, 30, 100), REMEDIES)
]


def layers_that_differ(node: str, module: Path) -> list[str]:
    """Return the remedies of the layers that come out otherwise than in qlearn."""
    widgets = [shown(**setting) for setting in SETTINGS]
    found = call(node, module, [["outcome", *given(widget)] for widget in widgets])
    differing = []
    for widget, got in zip(widgets, found, strict=True):
        right = got["sqnr"] == pytest.approx(widget.sqnr_by(widget.remedy), abs=0.01)
        loose, wanted = codes_of(widget)
        right &= got["float"] == loose.tolist()
        for codes, each in zip(got["codes"], wanted, strict=True):
            # A remedy's float32 powers and sums differ from one machine to another by a last bit.
            most = 1 if widget.remedy in ("smooth", "hadamard") else 0
            right &= bool(((torch.tensor(codes) - each).abs() <= most).all())
        if not right:
            differing.append(widget.remedy)
    return differing


def codes_of(widget: OutlierChannel) -> tuple[Tensor, list[Tensor]]:
    """Return which columns stay float, and by qlearn the codes of inputs and weight; 0 there."""
    x, weight = widget.enlarged(widget.factor)
    if widget.remedy == "smooth":
        scales = smooth_scales(weight, x, alpha=widget.alpha)
        x, weight = x / scales, weight * scales
    if widget.remedy == "hadamard":
        x, weight = x @ hadamard(8), weight @ hadamard(8)
    outliers = (x.abs() >= widget.threshold) & (widget.remedy == "llm_int8")
    loose, x = outliers.any(0), x.masked_fill(outliers, 0)
    rows = x.flatten()[None] if widget.scales == "tensor" else x
    codes = [vectorwise(rows)[0].reshape(x.shape), vectorwise(weight)[0]]
    return loose, [each.masked_fill(loose, 0) for each in codes]


def test_layers_come_out_as_in_qlearn(node: str) -> None:
    assert layers_that_differ(node, REMEDY) == []


def test_another_threshold_is_seen(node: str, tmp_path: Path) -> None:
    other = """(layer, { threshold, ...state }) =>
      right.outcome(layer, { ...state, threshold: 100 * threshold })"""
    broken = layers_that_differ(node, with_other(tmp_path, REMEDY, "outcome", other))
    assert set(broken) == {"llm_int8"}


@pytest.mark.parametrize("threshold", [2.0, math.inf])
def test_the_layer_is_that_of_llm_int8(threshold: float) -> None:
    """It is where the weight is one that int8 holds exactly, so no column loses in its codes."""
    codes, largest = vectorwise(WEIGHT)
    exact = codes.float() * largest / 127
    widget = OutlierChannel(X, exact, channel=3, threshold=min(threshold, 20))
    wanted = linear_llm_int8(X, exact, threshold=threshold).double()
    ratio = sqnr(X.double() @ exact.T.double(), wanted)
    remedy = "llm_int8" if threshold < math.inf else "none"
    assert widget.sqnr_by(remedy) == pytest.approx(ratio, abs=0.01)


def test_a_loud_channel_leaves_the_float_outputs() -> None:
    exact = X @ WEIGHT.T
    for factor in (2, 30, 100):
        x, weight = shown().enlarged(factor)
        assert x[:, 3].abs().max() == pytest.approx(factor * X[:, 3].abs().max().item())
        torch.testing.assert_close(x @ weight.T, exact, rtol=1e-5, atol=1e-5)


def test_each_remedy_saves_something() -> None:
    widget = shown(factor=100, scales="tensor")
    none, *others = map(widget.sqnr_by, REMEDIES)
    assert none < 8 and all(ratio > none + 6 for ratio in others)


# ------------------------------------------------------------------ view and changes


def test_the_task_is_done_by_the_remedy_that_needs_least(node: str) -> None:
    half = torch.linspace(-1, 1, 64)
    rows = torch.stack([half, half.flip(0), half.roll(9), half.roll(30)])
    start = OutlierChannel(rows, rows[:2], channel=5, factor=100).state()
    whole = {"scales": "tensor"}
    changes = [{}, whole, *({"remedy": remedy} | whole for remedy in REMEDIES[1:])]
    changes += [{"remedy": "smooth"}, {"factor": 1} | whole]
    done = ["✓ Done:" in text for text in markup(node, ENTRY, *(start | each for each in changes))]
    assert done == [False, False, False, True, False, False, False]


def test_the_view_says_what_each_remedy_saves(node: str) -> None:
    widget = shown(remedy="llm_int8")
    loose, smooth = markup(node, ENTRY, widget.state(), shown(remedy="smooth").state())
    ratios = [f"{widget.sqnr_by(remedy):.1f} dB".replace("-", "−") for remedy in REMEDIES]
    names = ["nothing", "LLM.int8()", "SmoothQuant", "Hadamard"]
    said = "; ".join(map(" ".join, zip(names, ratios, strict=True)))
    assert f'aria-label="SQNR of the outputs in dB: {said}."' in loose
    assert f"SQNR of the outputs <b>{ratios[1]}</b>" in loose
    assert loose.count('data-area="column"') == 2 and loose.count('data-tap="bar"') == 1
    assert "Channels in float <b>1 of 8</b>" in loose and "Threshold <b>6</b>" in loose
    assert "Channels in float <b>0 of 8</b>" in smooth and "Alpha <b>0.5</b>" in smooth
    assert f"at ×1 with nothing <b>{shown(factor=1).sqnr_by('none'):.1f} dB</b>" in loose


def test_the_maps_are_what_is_rounded_and_its_codes(node: str) -> None:
    widget = shown(remedy="llm_int8")
    (drawn,) = markup(node, ENTRY, widget.state())
    maps = drawn.split("<svg")[1:7]
    before, weight = widget.enlarged(30)
    loose, (of_x, of_weight) = codes_of(widget)
    full = [before, before.masked_fill(loose, 0), weight, weight.masked_fill(loose, 0)]
    shares = [each / each.abs().max() for each in full]
    wanted = [*shares[:2], of_x / 127, *shares[2:], of_weight / 127]
    for svg, share, is_codes in zip(maps, wanted, [False, False, True] * 2, strict=True):
        assert ("--qb-code" in svg) == is_codes
        assert torch.allclose(shades(svg, *share.shape), share, atol=0.5 / 24 + 0.01)


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("factor", 8, {"factor": 100}),
        ("remedy", 2, {"remedy": "smooth"}),
        ("scales", "tensor", {"scales": "tensor"}),
        ("threshold", 3.5, {"threshold": 3.5}),
        ("alpha", 1, {"alpha": 1}),
        ("channel", 7, {"channel": 7}),
        ("column", [0.99, 0.2], {"channel": 7}),
        ("column", [1.1, 0.2], {"channel": 7}),
        ("bar", [0.3, 0.8], {"remedy": "hadamard"}),
    ],
)
def test_what_an_input_changes(node: str, name: str, value: object, change: dict) -> None:
    state = shown().state() | {"values": None}
    assert call(node, ENTRY, [["changed", state, name, value]]) == [change]


def test_a_finger_chooses_a_remedy_anywhere_in_its_row(browser: Browser, tmp_path: Path) -> None:
    titles = ["nothing", "LLM.int8()", "SmoothQuant", "Hadamard"]
    with opener(browser) as open_page:
        page = open_page(write_page(tmp_path, shown()), width=390, has_touch=True)
        chosen = page.locator("select[name=remedy] option:checked")
        widget, svg = page.locator(".qb-outlier-channel"), page.locator(".qb-stage svg")

        def corner() -> tuple[float, float]:
            rows, whole = svg.bounding_box(), widget.bounding_box()
            assert rows and whole
            return rows["x"] - whole["x"], round(rows["y"] - whole["y"])

        left, top = corner()
        # On its label, on its bar, beside it, and beyond the axis, 2 pixels from the next row.
        for x, row in itertools.product((-80, 2, 150, 250), (3, 1, 2, 0)):
            widget.tap(position={"x": left + x, "y": top + 24 * row + 22})
            expect(chosen).to_have_text(titles[row])
            assert corner() == (left, top)  # nothing leaps under the finger


# ------------------------------------------------------------------ Python


def test_the_line_says_what_is_shown() -> None:
    widget = shown(scales="tensor", remedy="hadamard")
    ratio = widget.sqnr_by("hadamard")
    line = f"(channel 3 ×30, a scale for each tensor, hadamard): SQNR {ratio:.2f} dB"
    assert repr(widget) == f"OutlierChannel{line}"
    widget.set_state({"factor": 1, "remedy": "none"})
    assert widget.sqnr_by("none") > ratio + 10


@pytest.mark.parametrize(
    ("x", "weight", "error", "message"),
    [
        (X.double(), WEIGHT, TypeError, "inputs has dtype torch.float64"),
        (X, WEIGHT[:, :4], ValueError, "inputs"),
        (X[None], WEIGHT, ValueError, r"x has shape \(1, 6, 8\), but each row is a token"),
        (X[:, :6], WEIGHT[:, :6], ValueError, "n is 6, but Sylvester's"),
        (X * math.nan, WEIGHT, ValueError, "NaN"),
    ],
    ids=["dtype", "another width", "three axes", "six channels", "NaN"],
)
def test_what_is_no_layer_is_refused(
    x: Tensor, weight: Tensor, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        OutlierChannel(x, weight)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("channel", 8, "channel is 8, but there are 0 … 7"),
        ("factor", 4, "factor"),
        ("remedy", "clip", "remedy"),
        ("threshold", 0.0, "not be less than 0.5"),
        ("alpha", math.nan, "not the float nan"),
    ],
)
def test_what_is_no_setting_is_refused(name: str, value: object, message: str) -> None:
    assert_refused(shown, name, value, message)
