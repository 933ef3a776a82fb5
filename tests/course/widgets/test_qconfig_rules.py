"""The rules' widget: its view, its changes, its Python. Its precedence: shared/."""

from __future__ import annotations

from typing import Any

import pytest
from torch import nn
from traitlets import TraitError

from qlearn import Rule, module_entries
from qlearn.course.widgets import QConfigRules
from tests.course.widgets.figures import call, markup
from tests.course.widgets.stored import opening, task

ENTRY = QConfigRules.entry()
ORDER = "module_name_object_type_order"


def rule(kind: str, key: Any = "", gives: str = "qconfig") -> dict:
    return {"kind": kind, "key": key, "gives": gives}


MODULES = [
    entry._asdict()
    for entry in module_entries(
        nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.GELU(), nn.Linear(1, 1)))
    )
]
RULES = [
    rule("object_type", "Linear"),
    rule("module_name_regex", "1"),
    rule("module_name", "1.0", "none"),
    rule(ORDER, ["1", "Linear", 0], "off"),
]
STATE = {"modules": MODULES, "rules": RULES, "reader": "fx"}


# ------------------------------------------------------------------ view and changes


def test_the_view_says_what_each_rule_decides(node: str) -> None:
    fx, eager = markup(node, ENTRY, STATE, STATE | {"reader": "eager"})
    for place, said in enumerate(["QConfig A to 0", "QConfig B to 1.1", "None to 1.0"]):
        assert f"{'ABC'[place]} gives <b>{said}</b>" in fx
    assert "D gives <b>nothing: it is left out</b>" in fx
    assert "B gives <b>QConfig B to none, since eager mode has no such rule</b>" in eager
    assert "<s>.set_module_name_regex(</s>" in eager and "<s>.set_module_name_regex(" not in fx


def test_the_view_names_modules_that_no_rule_is_for(node: str) -> None:
    (shown,) = markup(node, ENTRY, STATE | {"rules": RULES[:1]})
    assert "No rule for <b>1.0</b>" in shown and "<td>nothing</td>" in shown


def test_the_task_is_done_once_the_pattern_decides_about_most(node: str) -> None:
    every = rule("module_name_regex", "")
    name, class_ = rule("module_name", "1"), rule("object_type", "Linear")
    rules = [[every, name, class_], [name, class_], [class_, every, rule("global")]]
    states = [STATE | {"rules": each} for each in rules]
    states += [
        states[-1] | {"reader": "eager"},
        states[0] | {"rules": [every, name | {"gives": "off"}]},
    ]
    done = ["✓ Done:" in shown for shown in markup(node, ENTRY, STATE, *states)]
    assert done == [False, False, False, True, False, True]


def test_the_task_says_how_many_layers_are_most_and_whose_pattern(node: str) -> None:
    no_pattern = STATE | {"rules": RULES[:1]}
    page = opening("today/qconfig", "QConfigRules")
    three, eight, without = markup(node, ENTRY, STATE, page, no_pattern)
    assert task(three)[1] == "let the pattern of rule B decide about 2 or more of the 3 layers."
    assert task(eight)[1] == "let the pattern of rule C decide about 5 or more of the 8 layers."
    assert "qb-task" not in without


def test_a_pattern_that_cannot_be_read_is_said(node: str) -> None:
    (shown,) = markup(node, ENTRY, STATE | {"draft": {"place": 1, "text": "(a"}})
    assert (
        "“(a” is no pattern that the browser can read: “1” counts" in shown
        and 'value="(a"' in shown
    )
    assert 'aria-invalid="true"' in shown
    done = STATE | {"rules": [rule("module_name_regex", ""), rule("object_type", "Linear")]}
    right, draft = markup(node, ENTRY, done, done | {"draft": {"place": 0, "text": "(a"}})
    assert task(right)[0] and not task(draft)[0]
    python_alone = STATE | {"rules": [rule("module_name_regex", "(?i)0")]}
    (neither,) = markup(node, ENTRY, python_alone | {"draft": {"place": 0, "text": "(a"}})
    assert "nor is “(?i)0”, so the rule gives nothing" in neither


def test_a_pattern_beside_a_rule_that_gives_nothing_counts_nowhere(node: str) -> None:
    draft = {"draft": {"place": 1, "text": "(a"}}
    off = [RULES[0], RULES[1] | {"gives": "off"}, *RULES[2:]]
    left_out, eager = markup(
        node, ENTRY, STATE | {"rules": off} | draft, STATE | {"reader": "eager"} | draft
    )
    matter = "“(a” is no pattern that the browser can read. B gives "
    assert f"{matter}nothing: it is left out" in left_out
    assert f"{matter}QConfig B to none, since eager mode has no such rule" in eager
    assert "counts" not in left_out + eager


def test_a_pattern_that_python_alone_reads_is_said(node: str, model: nn.Module) -> None:
    widget = QConfigRules(model, Rule("module_name_regex", "(?i)0"), Rule("global"))
    (shown,) = markup(node, ENTRY, widget.state())
    assert "A gives <b>QConfig A to none: the browser cannot read it</b>" in shown
    assert 'value="(?i)0"' in shown and 'aria-invalid="true"' in shown


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("reader", "eager", {"reader": "eager", "draft": None}),
        ("rules.0.gives", "none", {"rules": [rule("object_type", "Linear", "none"), *RULES[1:]]}),
        ("rules.1.key", "(a", {"draft": {"place": 1, "text": "(a"}}),
        ("rules.1.key", "a", {"rules": [RULES[0], rule("module_name_regex", "a"), *RULES[2:]]}),
        ("rules.2.key", '"1"', {"rules": [*RULES[:2], rule("module_name", "1", "none"), RULES[3]]}),
        (
            "rules.3.key",
            '["","Linear",0]',
            {"rules": [*RULES[:3], rule(ORDER, ["", "Linear", 0], "off")]},
        ),
    ],
    ids=["the reader", "what it gives", "half a pattern", "a pattern", "a name", "a place"],
)
def test_what_an_input_changes(node: str, name: str, value: str, change: dict) -> None:
    assert call(node, ENTRY, [["changed", STATE, name, value]]) == [{"draft": None} | change]


# ------------------------------------------------------------------ Python


@pytest.fixture
def model() -> nn.Module:
    return nn.Sequential(nn.Linear(1, 1), nn.GELU(), nn.Linear(1, 1))


@pytest.fixture
def widget(model: nn.Module) -> QConfigRules:
    return QConfigRules(model, Rule("global"), Rule("object_type", "Linear"))


def test_says_what_each_module_gets(widget: QConfigRules) -> None:
    assert widget.reached == {"0": "B", "1": "A", "2": "B"}
    assert repr(widget) == "QConfigRules(fx): 0 B, 1 A, 2 B"
    assert widget.modules[3] == {"name": "2", "type": "Linear", "order": 1, "is_leaf": True}


@pytest.mark.parametrize(("gives", "reached"), [("none", None), ("off", "A")])
def test_a_rule_may_give_none_or_be_left_out(
    widget: QConfigRules, gives: str, reached: str | None
) -> None:
    widget.rules = [widget.rules[0], widget.rules[1] | {"gives": gives}]
    assert widget.reached == {"0": reached, "1": "A", "2": reached}


def test_a_key_from_the_browser_is_a_list(widget: QConfigRules) -> None:
    widget.set_state({"rules": [*widget.rules, rule(ORDER, ["", "Linear", 1])]})
    assert widget.reached == {"0": "B", "1": "A", "2": "C"}


def test_eager_mode_knows_no_patterns(model: nn.Module) -> None:
    rules = Rule("global"), Rule("module_name_regex", "[01]")
    assert QConfigRules(model, *rules).reached == {"0": "B", "1": "B", "2": "A"}
    assert QConfigRules(model, *rules, reader="eager").reached == {"0": "A", "1": "A", "2": "A"}


def test_the_later_of_two_rules_for_all_decides(model: nn.Module) -> None:
    assert QConfigRules(model, Rule("global"), Rule("global")).reached["1"] == "B"


def test_what_is_too_much_to_show_is_refused(model: nn.Module) -> None:
    with pytest.raises(TraitError, match="'modules' trait.*length 0 <= L <= 40"):
        QConfigRules(nn.Sequential(*[nn.GELU() for _ in range(41)]))
    with pytest.raises(TraitError, match="'rules' trait.*length 0 <= L <= 8"):
        QConfigRules(model, *[Rule("object_type", "Linear")] * 9)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"kind": "regex"}, ValueError, "kind .*'regex'"),
        ({"kind": "module_name_regex", "key": "a("}, ValueError, "'a\\(' is not a regular"),
        ({"kind": ORDER}, TypeError, "the key 'Linear' does not fit the kind"),
        ({"key": 1}, TypeError, "the key 1 does not fit the kind object_type: pass a text"),
        ({"gives": "maybe"}, ValueError, "gives must be 'qconfig', .*'maybe'"),
    ],
    ids=["kind", "pattern", "no triple", "key", "gives"],
)
def test_an_assignment_that_means_nothing_changes_nothing(
    widget: QConfigRules, change: dict, error: type, message: str
) -> None:
    with pytest.raises(error, match=message):
        widget.rules = [widget.rules[0], widget.rules[1] | change]
    assert widget.reached == {"0": "B", "1": "A", "2": "B"}
