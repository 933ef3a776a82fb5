"""Fields: what a choice, a slider over a list and a number take, and the change of a name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.examples import EXAMPLES
from tests.course.widgets.figures import call, markup, with_other

FIELDS = SHARED / "fields.js"
FIGURE = SHARED / "figure.js"
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
    room = 'L <b style="display: inline-block; min-width: 3ch">'
    assert 'aria-valuetext="0.5"' in shown and f"{room}0.5</b>" in shown
    other = drawn(node, tmp_path, "slider", stops=[0.1, 0.2, 0.5], value=2, text="0.3")
    assert 'aria-valuetext="0.3"' in other and f"{room}0.3</b>" in other
    roomy = drawn(node, tmp_path, "slider", max=9, value=2, text="two", texts=["a thousand"])
    assert 'L <b style="display: inline-block; min-width: 10ch">two</b>' in roomy


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"text": "0", "range": [1, 65536]}, "is 0, but has to be a number from 1 to 65,536."),
        ({"text": "-7", "range": [1e-6, 1]}, "is −7, but has to be a number from 0.000001 to 1."),
        ({"text": "empty", "range": []}, "is empty, but has to be a number."),
        ({"text": "1.5", "range": [], "isWhole": True}, "is 1.5, but has to be a whole number."),
    ],
    ids=["too small", "a sign", "no bounds", "a fraction"],
)
def test_what_does_not_count_stands_in_place_of_the_results(
    node: str, tmp_path: Path, wrong: dict, sentence: str
) -> None:
    results = with_other(
        tmp_path, FIELDS, "alone", '{ opening: (given) => right.results([["a", 1]], given) }'
    )
    results.write_text(f"{results.read_text()}export default alone;\n")
    given = {"label": "Batch", "counts": "-2", "isWhole": False} | wrong
    right, said = markup(node, results, {}, {"wrong": given})
    assert "a <b>1</b>" in right
    assert f">Batch {sentence} Until you type one, −2 counts.<" in said and "<b>" not in said


WRONG = {"label": "This", "text": "empty", "counts": "1", "range": [], "isWhole": False}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_each_widget_with_a_number_says_what_is_wrong_with_it(node: str, kind: str) -> None:
    widget = EXAMPLES[kind]()
    entry, state = widget.entry(), widget.state()
    assert entry
    right, shown = markup(node, entry, state, state | {"wrong": WRONG})
    assert ("This is empty" in shown) is ('type="number"' in right)


@pytest.mark.parametrize("done", [True, False])
def test_no_task_is_done_while_a_number_is_wrong(node: str, tmp_path: Path, done: bool) -> None:
    reached = str(done).lower()
    drawing = f'{{ opening: ({{ wrong }}) => right.task({reached}, "a.", wrong) }}'
    task = with_other(tmp_path, FIELDS, "alone", drawing)
    task.write_text(f"{task.read_text()}export default alone;\n")
    right, wrong = markup(node, task, {}, {"wrong": WRONG})
    assert ("✓ Done:" in right) is done and "Your task:" in wrong


@pytest.mark.parametrize(
    ("text", "whole", "number"),
    [
        ("−5", False, "-5"),
        ("0,5", False, "0.5"),
        (",", False, "."),
        (",", True, ""),
        ("1,5", True, "1.5"),
        (" −1,234,567.5 ", False, "-1234567.5"),
        ("5,000", True, "5000"),
        ("0,125", False, "0.125"),
        ("−0,125", True, "-0.125"),
        ("1.234,5", False, "1234.5"),
        ("−1.234.567,", False, "-1234567."),
        ("1.234", False, "1.234"),
    ],
)
def test_signs_and_commas_of_pages_become_those_of_fields(
    node: str, text: str, whole: bool, number: str
) -> None:
    assert call(node, FIGURE, [["plainNumber", text, whole]]) == [number]


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
