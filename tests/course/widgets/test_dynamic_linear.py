"""The dynamic layer's widget: its arithmetic against qlearn, its view and changes, its Python."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, expect
from traitlets import TraitError

from qlearn import dynamic_qparams, linear_dynamic, quantize
from qlearn.course.widgets import DynamicLinear
from tests.course.widgets.figures import call, markup
from tests.course.widgets.page import opener, write_page
from tests.course.widgets.shared.test_dynamic_linear_stages import quantized
from tests.course.widgets.stored import opening, task

ENTRY = DynamicLinear.entry()
X = torch.tensor([[1.0, -0.5, 2.0, 0.25], [0.5, 3.0, -1.0, 0.0]])
WEIGHT = torch.tensor([[0.25, 1.0, -0.5, 0.1], [1.5, 0.0, 0.75, -2.0], [0.3, -0.3, 0.6, 0.9]])
BIAS = torch.tensor([0.1, 0.0, -1.0])
ROWS = WEIGHT.tolist()
LOCAL = {"followed": [0, 0], "room": None, "pointing": False}
STATE = DynamicLinear(X, WEIGHT, BIAS).state() | LOCAL


# ------------------------------------------------------------------ view and changes


def test_the_view_follows_one_output(node: str) -> None:
    first, last = markup(node, ENTRY, STATE, STATE | {"followed": [1, 2], "engine": "qnnpack"})
    widget = DynamicLinear(X, WEIGHT, BIAS)
    assert f"output <b>{widget.output[0, 0].item():.6g}</b>" in first.replace("−", "-")
    assert f"zero point {widget.qparams.zero_point.item()}<" in first
    assert "rounded once" in first and "each rounded" in last
    assert "Row 2, output 3: accumulator <b>" in last


@pytest.mark.parametrize(
    ("change", "taken"),
    [
        ({}, "fbgemm, 0…127"),
        ({"reduce_range": False}, "fbgemm, 0…255"),
        ({"engine": "qnnpack"}, "qnnpack, 0…255"),
        ({"engine": "qnnpack", "reduce_range": False}, "qnnpack, 0…255"),
    ],
    ids=["fbgemm", "all codes", "qnnpack ignores the range", "qnnpack"],
)
def test_the_view_names_the_kernel(node: str, change: dict[str, Any], taken: str) -> None:
    (shown,) = markup(node, ENTRY, STATE | change)
    (kernel,) = re.findall('<select name="kernel".*?</select>', shown)
    assert re.findall("selected[^>]*>([^<]*)<", kernel) == [taken]


def test_the_codes_stand_below_their_numbers(node: str) -> None:
    (shown,) = markup(node, ENTRY, STATE)
    rows = quantized(WEIGHT).values.tolist()
    inputs = quantize(X, dynamic_qparams(X), rounding="fma").flatten().tolist()
    wanted = [*inputs, *(code for row in rows for code in (*row, sum(row)))]
    codes = re.findall('<div class="qb-code">([^<]*)<', shown)
    assert [int(code.replace("−", "-")) for code in codes] == wanted


def test_a_row_that_is_gone_is_not_followed(node: str) -> None:
    (shown,) = markup(node, ENTRY, STATE | {"x": [[1.0] * 4], "followed": [1, 2]})
    assert "Row 1, output 3: accumulator <b>" in shown


def test_a_field_shows_the_shortest_decimal(node: str) -> None:
    assert STATE["bias"][0] != 0.1  # but the float32 next to it
    (shown,) = markup(node, ENTRY, STATE)
    assert re.search('name="bias.0"[^>]* value="0.1"', shown)


def test_the_task_is_done_by_a_number_of_another_row(node: str) -> None:
    row_1, row_2 = X.tolist()
    states = [
        {},
        {"x": [row_1, [*row_2[:3], 30.0]]},  # as the chapter asks before
        {"x": [[*row_1[:3], 1000.0], row_2]},
        {"x": [[2.0] * 4, row_2]},
        {"x": [row_1, [*row_2[:3], -1000.0]]},
    ]
    page = ("integers/dynamic_linear", "DynamicLinear")
    drawn = markup(node, ENTRY, *(opening(*page, **LOCAL, **state) for state in states))
    assert [task(each)[0] for each in drawn] == [False] * 4 + [True]


def test_a_number_that_does_not_count_is_said_and_the_task_open(node: str) -> None:
    done = STATE | {"x": [X[0].tolist(), [0.5, 3.0, -1.0, -1000.0]]}
    field = {"label": "x, row 1, number 1", "text": "empty", "counts": "1", "range": [-1e6, 1e6]}
    right, shown = markup(node, ENTRY, done, done | {"wrong": field})
    assert task(right)[0] and not task(shown)[0]
    assert "x, row 1, number 1 is empty, but has to be a number from −1,000,000 to" in shown


def test_each_table_has_a_name(node: str) -> None:
    (shown,) = markup(node, ENTRY, STATE)
    names = re.findall('<table[^>]* aria-label="([^"]*)"', shown)
    assert names == ["x, code", "w, code", "Steps", "output, exact"]


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("x.1.3", 30, {"x": [X[0].tolist(), [0.5, 3.0, -1.0, 30]], "followed": [1, 2]}),
        ("weight.1.0", 4, {"weight": [ROWS[0], [4, *ROWS[1][1:]], ROWS[2]], "followed": [0, 1]}),
        ("bias.2", 5, {"bias": [*STATE["bias"][:2], 5], "followed": [0, 2]}),
        ("kernel", 2, {"engine": "qnnpack", "reduce_range": False}),
        ("followed", "1,2", {"followed": [1, 2]}),
        ("again", "", STATE),
    ],
    ids=["a number of x", "a weight", "a bias", "the kernel", "another output", "the button"],
)
def test_what_an_input_changes(node: str, name: str, value: object, change: dict[str, Any]) -> None:
    now = STATE | {"followed": [0, 2]}
    number = {"room": None} if "." in name else {}
    assert call(node, ENTRY, [["changed", now, name, value, STATE]]) == [change | number]


def test_the_picture_holds_still_under_a_hand(node: str) -> None:
    moves = [["changed", STATE | {"pointing": True}, "x.1.1", value, STATE] for value in (4, 4.9)]
    first, second = call(node, ENTRY, moves)
    assert first["room"] == second["room"] == {"domain": [-2, 4], "step": 0.1}
    (kept,) = call(
        node, ENTRY, [["changed", STATE | second | {"pointing": True}, "x.0.0", 2, STATE]]
    )
    assert kept["room"] == first["room"]
    (keyed,) = call(node, ENTRY, [["changed", STATE | second, "x.0.0", 2, STATE]])
    assert keyed["room"] is None


def test_no_dot_is_dragged_beyond_what_its_trait_takes(node: str) -> None:
    layer = STATE | {"x": [[0.0, 9e5, 0.5], [1e6, 0.0, -1e6]]}
    (shown,) = markup(node, ENTRY, layer)
    ends = set(
        re.findall(r'name="x\.[^>]*?type="range"|type="range"[^>]*?min="(\S+)" max="(\S+)"', shown)
    )
    assert ends == {("-1000000", "1000000")}
    (change,) = call(node, ENTRY, [["changed", layer | {"pointing": True}, "x.0.1", 1e6, layer]])
    assert change["room"]["domain"] == [-1e6, 1e6]


def test_a_dot_is_dragged_and_moved_by_keys(browser: Browser, tmp_path: Path) -> None:
    address = write_page(tmp_path, DynamicLinear(X, WEIGHT, BIAS))
    with opener(browser) as open_page:
        page = open_page(address, width=390)
        dot = page.get_by_role("slider", name="Dot of row 2, number 2")
        box = dot.bounding_box()
        assert box
        per = (box["width"] - 26) / 6  # pixels for 1, from −2 to 4
        x, y = box["x"] + 13 + 5 * per, box["y"] + 13
        page.mouse.move(x, y)
        page.mouse.down()
        for value in (3.5, 3.9):
            page.mouse.move(x + (value - 3) * per, y)
            expect(page.get_by_label("x, row 2, number 2")).to_have_value(f"{value}")
        page.mouse.up()
        expect(dot).to_have_attribute("aria-valuetext", "3.9, code 127")
        link = page.get_by_role("link", name="Link to this state").get_attribute("href") or ""
        page.keyboard.press("ArrowRight")
        expect(dot).to_have_attribute("aria-valuetext", "4, code 127")
        page = open_page(address + link)
        expect(page.locator("output")).to_contain_text("Row 2, output 1: accumulator")
        expect(page.locator("output")).to_contain_text("x −1 … 3.9")


# ------------------------------------------------------------------ Python


def test_the_output_is_the_layers() -> None:
    weight = quantized(WEIGHT)
    for engine in ("fbgemm", "qnnpack"):
        widget = DynamicLinear(X, WEIGHT, BIAS, engine=engine)
        assert torch.equal(widget.output, linear_dynamic(X, weight, BIAS, engine=engine))
        assert widget.qparams == dynamic_qparams(X, reduce_range=engine == "fbgemm")


def test_an_edit_moves_everything() -> None:
    widget = DynamicLinear(X, WEIGHT, BIAS)
    assert repr(widget).startswith("DynamicLinear(2 × 4 numbers, 3 outputs, fbgemm): scale")
    edited = X.clone()
    edited[1, 3] = 30.0
    widget.x = edited.tolist()
    assert repr(widget) == repr(DynamicLinear(edited, WEIGHT, BIAS))
    assert torch.equal(widget.output, DynamicLinear(edited, WEIGHT, BIAS).output)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((X.double(), WEIGHT, BIAS), TypeError, "x has dtype torch.float64"),
        ((X, WEIGHT, [0.1]), TypeError, "bias is a list"),
        ((X[0], WEIGHT, BIAS), TraitError, "'x' trait .* expected a list, not the float 1.0"),
        ((X, WEIGHT[:, :2], BIAS), TraitError, "x and weight have {2, 4} numbers"),
        ((X, WEIGHT, BIAS[:1]), TraitError, "3 outputs have 1 biases, but .* shapes"),
        (
            (torch.zeros(7, 4), WEIGHT, BIAS),
            TraitError,
            "'x' trait .* must be of length 1 <= L <= 6",
        ),
        ((X * math.nan, WEIGHT, BIAS), TraitError, "not the float nan"),
        ((X, WEIGHT * 1e7, BIAS), TraitError, "not be greater than 1000000.0"),
    ],
)
def test_bad_layers_are_named(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        DynamicLinear(*arguments)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("engine", "onednn", "'engine'.*'qnnpack'.*'onednn'"),
        ("x", [[1.0, 2.0]], "have {2, 4} numbers"),
        ("bias", [0.0, 0.0, math.inf], "not be greater than 1000000.0, but a value of inf"),
    ],
)
def test_bad_assignments_change_nothing(name: str, value: object, message: str) -> None:
    widget = DynamicLinear(X, WEIGHT, BIAS)
    before = repr(widget)
    with pytest.raises(TraitError, match=message):
        setattr(widget, name, value)
    assert repr(widget) == before
