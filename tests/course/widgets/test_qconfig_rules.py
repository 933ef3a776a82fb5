"""The rules' Python side: what it stores, what it says, what it refuses."""

import pytest
from torch import nn

from qlearn.calibration.qconfig import Rule
from qlearn.course.widgets import QConfigRules


@pytest.fixture
def model():
    return nn.Sequential(nn.Linear(1, 1), nn.GELU(), nn.Linear(1, 1))


@pytest.fixture
def widget(model):
    return QConfigRules(model, Rule("global"), Rule("object_type", "Linear"))


def test_says_what_each_module_gets(widget):
    assert widget.reached == {"0": "B", "1": "A", "2": "B"}
    assert repr(widget) == "QConfigRules(fx): 0 B, 1 A, 2 B"


def test_the_page_gets_the_modules(widget):
    assert widget.modules[3] == {"name": "2", "type": "Linear", "order": 1, "is_leaf": True}


@pytest.mark.parametrize(("gives", "reached"), [("none", None), ("off", "A")])
def test_a_rule_may_give_none_or_be_left_out(widget, gives, reached):
    widget.rules = [widget.rules[0], widget.rules[1] | {"gives": gives}]
    assert widget.reached == {"0": reached, "1": "A", "2": reached}


def test_a_key_from_the_browser_is_a_list(widget):
    order = {"kind": "module_name_object_type_order", "key": ["", "Linear", 1], "gives": "qconfig"}
    widget.rules = [*widget.rules, order]
    assert widget.reached == {"0": "B", "1": "A", "2": "C"}


def test_eager_mode_knows_no_patterns(model):
    rules = Rule("global"), Rule("module_name_regex", "[01]")
    assert QConfigRules(model, *rules).reached == {"0": "B", "1": "B", "2": "A"}
    assert QConfigRules(model, *rules, reader="eager").reached == {"0": "A", "1": "A", "2": "A"}


def test_refuses_what_cannot_be_shown(model):
    with pytest.raises(ValueError, match="42 modules, too many.*at most 40"):
        QConfigRules(nn.Sequential(*[nn.GELU() for _ in range(41)]))
    with pytest.raises(ValueError, match="9 rules, too many.*at most 8"):
        QConfigRules(model, *[Rule("object_type", "Linear")] * 9)
    with pytest.raises(ValueError, match="2 rules are of the kind 'global'.*keep one"):
        QConfigRules(model, Rule("global"), Rule("global"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "regex"}, "kind is 'regex'"),
        ({"kind": "module_name_regex", "key": "a("}, "is no regular expression"),
        ({"gives": "maybe"}, "gives is 'maybe'.*pass 'qconfig', 'none', 'off'"),
    ],
)
def test_an_assignment_that_means_nothing_changes_nothing(widget, change, message):
    with pytest.raises(ValueError, match=message):
        widget.rules = [widget.rules[0], widget.rules[1] | change]
    assert widget.reached == {"0": "B", "1": "A", "2": "B"}
