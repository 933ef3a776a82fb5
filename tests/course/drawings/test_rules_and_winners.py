"""The drawing of rules that meet: the boxes of a module are its rules, the filled one has won."""

from __future__ import annotations

from collections import OrderedDict

import pytest
from torch import nn

from qlearn import Rule, module_entries
from qlearn.course.drawings.rules_and_winners import ROW, rules_and_winners
from qlearn.course.drawings.svg import CODE
from tests.course.drawings.drawn import svg_of

BLOCK = nn.Sequential(OrderedDict(fc1=nn.Linear(1, 1), act=nn.GELU(), fc2=nn.Linear(1, 1)))
MODULES = module_entries(nn.Sequential(OrderedDict(stem=nn.Linear(1, 1), block=BLOCK)))
RULES = [
    Rule("global"),
    Rule("object_type", "Linear"),
    Rule("module_name_regex", ".*fc2"),
    Rule("module_name", "block"),
    Rule("module_name_object_type_order", ("block", "Linear", 1)),
]


def rows(mode: str) -> list[str]:
    """Return the letters of each module's boxes, the filled one in brackets."""
    root = svg_of(rules_and_winners(MODULES, RULES, mode=mode))
    boxes = list(root.iter("rect"))
    letters = [words.text for words in root.iter("text") if words.get("text-anchor") == "middle"]
    top = int(boxes[0].get("y", ""))
    found = [""] * 4
    for box, letter in zip(boxes, letters, strict=True):
        wins = box.get("fill") == CODE
        found[(int(box.get("y", "")) - top) // ROW] += f"[{letter}]" if wins else str(letter)
    return found


def test_by_fx_the_box_farthest_right_wins() -> None:
    assert rows("fx") == ["A[B]", "AB[D]", "A[D]", "ABCD[E]"]


def test_in_eager_mode_a_class_wins_over_the_name_of_a_parent() -> None:
    assert rows("eager") == ["A[B]", "A[B]D", "A[D]", "A[B]D"]


def test_its_words_say_the_same() -> None:
    label = rules_and_winners(MODULES, RULES[1:3]).label
    assert label == (
        "stem: A matches, A wins; block.fc1: A matches, A wins; block.act: no rule matches; "
        "block.fc2: A and B match, B wins."
    )


def test_the_legend_says_what_each_rule_is_about() -> None:
    root = svg_of(rules_and_winners(MODULES, RULES))
    words = {words.text for words in root.iter("text")}
    assert {
        "all modules",
        "class Linear",
        "pattern .*fc2",
        "name block",
        "name block, class Linear, number 1",
    } <= words


def test_it_says_which_rules_eager_mode_does_not_have() -> None:
    markup = rules_and_winners(MODULES, RULES, mode="eager")._repr_html_()
    assert markup.count("not in eager mode") == 2
    assert "pattern" not in markup and "number" not in markup


@pytest.mark.parametrize("rules", [[], [Rule("global")] * 9], ids=["none", "nine"])
def test_too_few_and_too_many_rules_are_refused(rules: list[Rule]) -> None:
    with pytest.raises(ValueError, match="draw one to 8"):
        rules_and_winners(MODULES, rules)
