"""The row in groups: its arithmetic against qlearn, its view and changes, its Python side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from qlearn.course import normal
from qlearn.course.widgets import GroupedRow
from tests.course.widgets.figures import call, markup, with_other
from tests.course.widgets.refusal import assert_refused
from tests.course.widgets.stored import opening, task

ENTRY = GroupedRow.entry()
GROUPS = ENTRY.with_name("groups.js")
ROW = normal(64, generator=torch.Generator().manual_seed(0)) / 2
STATE = {"outlier": 6.0, "group_size": 32, "bits": 4, "scheme": "affine"}
ROWS = [ROW, ROW.abs(), torch.zeros(64), 1e-39 * ROW, torch.arange(64) / 8 - 4]
SETTINGS = [
    *((size, 4, scheme) for size in (8, 64) for scheme in ("affine", "nf4")),
    *((size, bits, "symmetric") for size in (16, 32) for bits in (2, 5, 8)),
]


def shown(row: torch.Tensor = ROW, **traits: Any) -> GroupedRow:
    return GroupedRow(row, **traits)


# ------------------------------------------------------------------ the arithmetic


def rows_that_differ(node: str, folder: Path, module: Path) -> int:
    """Return how many rows come back otherwise than from qlearn, or cost something else."""
    both = (
        "(row, setting, without) => { const all = Float32Array.from(row); "
        "const back = right.groups(all, setting).flatMap((group) => group.restored); "
        "return [back, right.bitsPerWeight(setting), right.error(all, back, without)]; }"
    )
    calls, wanted = [], []
    for widget in map(shown, ROWS):
        for widget.group_size, widget.bits, widget.scheme in SETTINGS:
            setting = {"groupSize": widget.group_size, "bits": widget.bits, "scheme": widget.scheme}
            calls.append(["both", widget.row.tolist(), setting, 20])
            wanted.append((widget.quantized, widget.error))
    found = call(node, with_other(folder, module, "both", both), calls)
    differing = 0
    for (quantized, error), (back, bits, share) in zip(wanted, found, strict=True):
        same = torch.equal(torch.tensor(back), quantized.dequantize())
        differing += not (
            same and bits == quantized.bits_per_weight and share == pytest.approx(error)
        )
    return differing


def test_rows_come_back_as_from_qlearn(node: str, tmp_path: Path) -> None:
    assert rows_that_differ(node, tmp_path, GROUPS) == 0


def test_groups_of_another_size_are_seen(node: str, tmp_path: Path) -> None:
    whole = "(row, setting) => right.groups(row, { ...setting, groupSize: 64 })"
    assert rows_that_differ(node, tmp_path, with_other(tmp_path, GROUPS, "groups", whole)) > 20


def test_marks_are_all_that_can_come_back(node: str) -> None:
    weights = torch.linspace(-9, 9, 400)
    for function, setting in (("inIntegers", {"bits": 4, "symmetric": False}), ("inLevels", {})):
        (found,) = call(node, GROUPS, [[function, weights.tolist(), setting]])
        assert sorted(set(found["restored"])) == sorted(found["marks"])
        assert len(found["marks"]) == 16


# ------------------------------------------------------------------ view and changes


def test_the_view_says_what_is_lost(node: str) -> None:
    widget = shown()
    whole, small = markup(node, ENTRY, widget.state(), shown(group_size=8).state())
    erased = int((widget.quantized.dequantize() == 0).sum())
    assert f"Became 0 <b>{erased} of 64</b>" in whole and erased > 30
    assert f"Error of the other 63 <b>{100 * widget.error:.1f} %</b>" in whole
    assert "Bits for each weight <b>4.25</b>" in whole and "Bits for each weight <b>6</b>" in small
    assert whole.count('stroke="var(--qb-lost)"') == erased
    assert whole.count('fill="var(--qb-lost)"') == erased  # a form beside the colour
    assert 'aria-label="Large weight"' in whole and 'aria-label="64 weights in one group' in whole


def test_nf4_has_its_own_four_bits(node: str) -> None:
    (drawn,) = markup(node, ENTRY, shown(scheme="nf4", bits=7).state())
    assert "Bits for each weight <b>4.5</b>" in drawn
    assert 'aria-valuetext="4" min="2" max="8" step="1" value="4" disabled' in drawn


def test_the_task_is_open_until_the_marks_are_affine_in_groups_of_32(node: str) -> None:
    affine = {"scheme": "affine"}
    states: list[dict[str, Any]] = [
        {},
        {"group_size": 32},
        affine,
        affine | {"group_size": 16},
        affine | {"group_size": 32, "outlier": 1.0},
        affine | {"group_size": 32},
    ]
    drawn = markup(node, ENTRY, *(opening("formats/four_bits", "GroupedRow", **s) for s in states))
    assert [task(each)[0] for each in drawn] == [False] * 5 + [True]


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("size", 1, {"group_size": 16}),
        ("border", [0.02, 0.5], {"group_size": 8}),
        ("border", [0.24, 0.5], {"group_size": 16}),
        ("border", [0.55, 0.9], {"group_size": 32}),
        ("border", [1.0, 0.0], {"group_size": 64}),
        ("bits", 3, {"bits": 3}),
        ("scheme", "nf4", {"scheme": "nf4"}),
        ("outlier", 2.5, {"outlier": 2.5}),
    ],
)
def test_what_an_input_changes(node: str, name: str, value: object, change: dict) -> None:
    assert call(node, ENTRY, [["changed", STATE, name, value]]) == [change]


# ------------------------------------------------------------------ Python


def test_the_task_of_the_chapter_has_one_answer() -> None:
    """An error below 20 % with at most five bits: affine, in groups of 32."""
    widget, good = shown(), set()
    schemes = [("symmetric", 3), ("symmetric", 4), ("affine", 3), ("affine", 4), ("nf4", 4)]
    settings = [(size, *scheme) for size in (8, 16, 32, 64) for scheme in schemes]
    for widget.group_size, widget.scheme, widget.bits in settings:
        if widget.quantized.bits_per_weight <= 5 and widget.error < 0.2:
            good.add((widget.group_size, widget.bits, widget.scheme))
    assert good == {(32, 4, "affine")}


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match=r"x has shape \(8,\), but the row has 64 weights"):
        GroupedRow(torch.zeros(8))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("group_size", 7, "group_size"),
        ("bits", 1, "not be less than 2"),
        ("scheme", "fp4", "scheme"),
        ("outlier", 8.5, "not be greater than 8"),
        ("outlier", float("nan"), "not the float nan"),
    ],
)
def test_what_is_no_setting_is_refused(name: str, value: object, message: str) -> None:
    assert_refused(shown, name, value, message)
