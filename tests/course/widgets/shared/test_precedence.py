"""The precedence of rules in JavaScript against qlearn's, and the patterns that Python reads."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from proofs.draw import Draw
from proofs.qconfig import draw_model_and_rules
from qlearn import module_entries, winning_rules
from qlearn.calibration.qconfig import MODES
from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.figures import call, with_other
from tests.course.widgets.test_qconfig_rules import MODULES, RULES, rule

PRECEDENCE = SHARED / "precedence.js"


@cache
def cases() -> list[tuple[list[Any], list[list[Any]]]]:
    """Return random models and rules as the browser gets them, and who wins for qlearn."""
    made = []
    for number in range(1000):
        model, rules = draw_model_and_rules(Draw(number))
        entries = module_entries(model)
        given = [[e._asdict() for e in entries], [r._asdict() for r in rules]]
        for mode in MODES:
            won = winning_rules(entries, rules, mode=mode)
            made.append(([*given, mode], [[name, place] for name, place in won.items()]))
    return made


def cases_that_differ(node: str, module: Path) -> int:
    """Return in how many cases another rule wins than for qlearn, which equals torch."""
    found = call(node, module, [["winningRules", *given] for given, _ in cases()])
    return sum(won != right for won, (_, right) in zip(found, cases(), strict=True))


def test_winners_equal_qlearns(node: str) -> None:
    assert cases_that_differ(node, PRECEDENCE) == 0


def test_rules_read_in_the_other_order_are_seen(node: str, tmp_path: Path) -> None:
    backwards = """(modules, rules, reader) => right
      .winningRules(modules, [...rules].reverse(), reader)
      .map(([name, place]) => [name, place === null ? null : rules.length - 1 - place])"""
    assert cases_that_differ(node, with_other(tmp_path, PRECEDENCE, "winningRules", backwards)) > 0


def test_a_rule_left_out_is_not_in_force(node: str) -> None:
    rules = [RULES[0], RULES[0] | {"gives": "off"}]
    (won,) = call(node, PRECEDENCE, [["winningRules", MODULES, rules, "fx"]])
    assert won == [["0", 0], ["1.0", None], ["1.1", 0]]


@pytest.mark.parametrize(("pattern", "wins"), [("undefined", False), ("1", True), (r"1\Z", False)])
def test_a_pattern_that_fits_nowhere_gives_nothing(node: str, pattern: str, wins: bool) -> None:
    rules = [rule("module_name_regex", pattern)]
    (won,) = call(node, PRECEDENCE, [["winningRules", MODULES, rules, "fx"]])
    assert any(place == 0 for _, place in won) == wins


def test_what_python_alone_reads_is_no_pattern_here(node: str) -> None:
    found = call(node, PRECEDENCE, [["patternOf", text] for text in (r"\A.*fc2", r"fc2\Z", "fc2")])
    assert [each is None for each in found] == [True, True, False]


ALIKE = [r"[\d]", r"\[\]", r"\\p", r".*(?<=fc)2", r".*(?<!\d)2", "(?:a|b)+", "[^a]+", r"\u0041"]
ELSE = [r"(?<n>.*fc2)", "[^]*fc2", "[]", ".*(?<=fc+)2", ".*(?<=a|bc)", r"\p{L}+.*", r"\P{L}"]
ELSE += [r"\u{66}c", r"\cA", r"(?<![fc]{1,2})2", r"[\p{L}]", r"\\\p{L}"]


def test_what_javascript_alone_reads_is_no_pattern_here(node: str) -> None:
    found = call(node, PRECEDENCE, [["patternOf", text] for text in ALIKE + ELSE])
    assert [each is None for each in found] == [False] * len(ALIKE) + [True] * len(ELSE)
    for text in ALIKE:
        re.compile(text)
    for text in ELSE:
        with pytest.raises(re.error):
            re.compile(text)
