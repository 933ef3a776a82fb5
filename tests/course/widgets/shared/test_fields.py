"""Fields: what a choice and a slider over a list are told of, and the change that a name makes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call, markup, with_other

FIELDS = SHARED / "fields.js"
STATE = {"bits": 8, "rows": [[1, 2], [3, 4]], "layers": {"fc": 7, "conv1": 8}}


def drawn(node: str, folder: Path, field: str, **given: object) -> str:
    """Return the markup of a field."""
    alone = with_other(folder, FIELDS, "alone", f"{{ opening: (given) => right.{field}(given) }}")
    alone.write_text(f"{alone.read_text()}export default alone;\n")
    (shown,) = markup(node, alone, {"name": "n", "label": "L", **given})
    return shown


@pytest.mark.parametrize(
    ("options", "chosen", "values"),
    [
        ([[True, "on"], [False, "off"]], False, ["true", "false"]),
        ({"a": "on", "b": "off"}, "b", ["a", "b"]),
        (["on", "off"], 1, ["0", "1"]),
    ],
    ids=["pairs", "by keys", "by places"],
)
def test_a_choice_has_a_value_for_each_text(
    node: str, tmp_path: Path, options: object, chosen: object, values: list[str]
) -> None:
    shown = drawn(node, tmp_path, "select", options=options, value=chosen)
    found = re.findall(r'<option value="(\w+)"( selected)?[^>]*>(\w+)<', shown)
    assert found == [(values[0], "", "on"), (values[1], " selected", "off")]


def test_names_are_chosen_by_their_places(node: str) -> None:
    assert call(node, FIELDS, [["among", ["10", "true"], "true"]]) == [
        {"value": 1, "options": ["10", "true"]}
    ]


def test_a_slider_over_a_list_is_told_of_places(node: str, tmp_path: Path) -> None:
    shown = drawn(node, tmp_path, "slider", stops=[0.1, 0.2, 0.5], value=2)
    assert 'min="0" max="2" step="1" value="2"' in shown
    assert 'aria-valuetext="0.5"' in shown and "L <b>0.5</b>" in shown
    other = drawn(node, tmp_path, "slider", stops=[0.1, 0.2, 0.5], value=2, text="0.3")
    assert 'aria-valuetext="0.3"' in other and "L <b>0.3</b>" in other


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("bits", 4, {"bits": 4}),
        ("rows.1", 0, {"rows": [[1, 2], 0]}),
        ("rows.0.1", 9, {"rows": [[1, 9], [3, 4]]}),
        ("layers.fc", 2, {"layers": {"fc": 2, "conv1": 8}}),
    ],
)
def test_a_name_leads_to_what_changes(node: str, name: str, value: int, change: object) -> None:
    assert call(node, FIELDS, [["replaced", STATE, name, value]]) == [change]
