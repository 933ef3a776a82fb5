"""The requantizer: the sums that it marks against qlearn, its view and changes, its Python."""

from __future__ import annotations

import math
import re
from functools import partial
from pathlib import Path

import pytest
import torch

from proofs.draw import Draw
from qlearn.course.widgets import Requantizer
from qlearn.course.widgets.requantizer import RULES
from tests.course.widgets.figures import call, markup, with_other
from tests.course.widgets.refusal import assert_refused
from tests.course.widgets.shared.test_requantization import all_codes, drawn_layer

ENTRY = Requantizer.entry()
MODULE = ENTRY.with_name("differences.js")
LAYER = {"x_scale": 0.02, "weight_scale": 0.01, "output_scale": 0.25}
STATE = Requantizer(101_875, **LAYER, zero_point=40).state()
DIFFERING = "({ rule, ...traits }) => right.differences(rule, right.prepare(traits))"


# ------------------------------------------------------------------ the differences


def layers_marked_otherwise(node: str, folder: Path, module: Path) -> int:
    """Return for how many layers the module marks other sums than those that differ in qlearn."""
    draw, calls, wanted = Draw(0), [], []
    for i in range(30):
        small = {"x_scale": 0.02, "weight_scale": 0.01, "output_scale": 0.05 + 0.02 * (i % 7)}
        layer = drawn_layer(i, draw) | small | {"bias": 0.013 * (i % 2), "bits": 4 + i % 28}
        limit = math.ceil(600 * layer["output_scale"] / 0.0002)
        codes = all_codes(torch.arange(-limit, limit, dtype=torch.int32), layer)
        rule = RULES[i % 3]
        differ = torch.nn.functional.pad((codes[rule] != codes["fbgemm"]).int(), (1, 1)).diff()
        starts, ends = (differ == 1).nonzero() - limit, (differ == -1).nonzero() - limit
        calls.append(["differing", {**layer, "rule": rule}])
        wanted.append(torch.cat([starts, ends], 1).tolist())
    assert sum(map(len, wanted)) > 1000
    found = call(node, with_other(folder, module, "differing", DIFFERING), calls)
    return sum(marked != right for marked, right in zip(found, wanted, strict=True))


def test_the_marked_sums_are_those_that_differ(node: str, tmp_path: Path) -> None:
    assert layers_marked_otherwise(node, tmp_path, MODULE) == 0


def test_a_bias_that_is_left_out_is_seen(node: str, tmp_path: Path) -> None:
    without = "(traits) => right.prepare({ ...traits, bias: 0 })"
    broken = with_other(tmp_path, MODULE, "prepare", without)
    assert layers_marked_otherwise(node, tmp_path, broken) > 0


# ------------------------------------------------------------------ view and changes


def test_the_view_says_how_the_rules_part(node: str) -> None:
    tie, relu = markup(node, ENTRY, STATE, STATE | {"rule": "onednn", "relu": True})
    assert "fbgemm <b>81.5 steps, code 122</b>" in tie
    assert "fixed point <b>81.4999979 steps, code 121</b>" in tie
    assert "This sum <b>another code</b>" in tie
    assert "Sums with another code, of those not clipped <b>127 of 320,000</b>" in tie
    assert "by fixed point 121; 127 red stretches where the codes differ" in tie
    assert "This sum <b>the same code</b>" in relu and "ReLU: codes from <b>40</b>" in relu


def test_a_field_takes_what_its_trait_takes(node: str) -> None:
    (picture,) = markup(node, ENTRY, STATE)
    fields = dict(re.findall(r'type="number" name="(\w+)" .*?(min="\S+" max="\S+")', picture))
    assert len(fields) == 5
    for name, bounds in fields.items():
        trait = Requantizer.class_traits()[name]
        assert bounds == f'min="{trait.min:.12g}" max="{trait.max:.12g}"'


def test_the_zero_point_is_dragged_from_code_to_code(node: str) -> None:
    (picture,) = markup(node, ENTRY, STATE)
    assert re.search(r'type="range"[^>]*name="zero_point" min="0" max="255"', picture)


def done(node: str, *states: dict) -> list[bool]:
    """Return in which states the task is done."""
    return ["✓ Done:" in shown for shown in markup(node, ENTRY, *states)]


def test_the_sum_between_two_differences_is_a_tie_of_one_code(node: str) -> None:
    beside = [{}, {"rule": "qnnpack"}, {"bits": 15}, {"total": 104_375}, {"total": 103_126}]
    assert not any(done(node, *(STATE | each for each in beside)))
    assert done(node, *(STATE | {"total": total} for total in (103_125, 100_625))) == [True, True]


def test_a_relu_leaves_all_codes_to_a_ruler_that_begins_at_0(node: str) -> None:
    bias = {"bias": 0.1, "x_scale": 0.05, "weight_scale": 0.01, "output_scale": 0.05}
    layer = Requantizer(-3210, **bias, zero_point=60, goal="all_codes").state()
    changes = [{}, {"relu": True}, {"zero_point": 0}, {"relu": True, "zero_point": 0}]
    assert done(node, *(layer | change for change in changes)) == [False] * 3 + [True]


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("total", -7, {"total": -7}),
        ("zero_point", 3, {"zero_point": 3}),
        ("bias", 0.5, {"bias": 0.5}),
        ("rule", "onednn", {"rule": "onednn"}),
        ("relu", True, {"relu": True}),
        ("next", "", {"total": 104_375}),
    ],
    ids=["the sum", "the zero point", "the bias", "the rule", "ReLU", "the button"],
)
def test_what_an_input_changes(node: str, name: str, value: object, change: dict) -> None:
    assert call(node, ENTRY, [["changed", STATE, name, value]]) == [change]


def test_after_the_last_difference_comes_the_first(node: str) -> None:
    far = STATE | {"total": 2**29}
    ((first,), *_) = [call(node, ENTRY, [["changed", far, "next", ""]])]
    assert first == {"total": -49_375}


# ------------------------------------------------------------------ Python


def test_a_tie_that_only_float32_sees() -> None:
    # 101875 · 0.0008 is 81.5, but the float32 nearest to 0.0008 is smaller
    widget = Requantizer(101_875, **LAYER)
    assert repr(widget) == "Requantizer(sum 101875, multiplier 0.0008): fbgemm 82, fixed 81"
    assert [widget.code(rule) for rule in RULES] == [82, 82, 81]


def test_each_change_moves_the_code() -> None:
    widget = Requantizer(-10_000, zero_point=100, **LAYER)
    assert widget.code("fbgemm") == 92
    widget.relu = True
    assert [widget.code(rule) for rule in ("fbgemm", *RULES)] == [100] * 4
    widget.set_state({"total": 0, "bias": 1, "bits": 4, "rule": "qnnpack"})
    assert repr(widget) == "Requantizer(sum 0, multiplier 0.0008): fbgemm 104, qnnpack 104"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("total", 2**30, "'total'.*not be greater than 536870912, but a value of 1073741824"),
        ("x_scale", 0.0, "'x_scale'.*not be less than 0.001, but a value of 0.0"),
        ("weight_scale", 0.2, "not be greater than 0.05, but a value of 0.2"),
        ("output_scale", math.inf, "not be greater than 1.0, but a value of inf"),
        ("zero_point", 256, "not be greater than 255, but a value of 256"),
        ("bias", math.nan, "'bias' trait.*not the float nan"),
        ("bits", 3, "not be less than 4, but a value of 3"),
        ("rule", "fbgemm", "'rule'.*'fixed'.*'fbgemm'"),
    ],
)
def test_what_the_page_has_no_room_for_is_refused(name: str, value: object, message: str) -> None:
    assert_refused(partial(Requantizer, total=1000, **LAYER), name, value, message)


def test_an_unknown_rule_has_no_code() -> None:
    with pytest.raises(ValueError, match="'fixed', not 'x86'"):
        Requantizer(1000, **LAYER).code("x86")
