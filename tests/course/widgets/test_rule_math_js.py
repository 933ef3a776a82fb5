"""The widget's JavaScript precedence against qlearn's, which equals torch's."""

import json
from pathlib import Path

import pytest

from qlearn.calibration.qconfig import module_entries, winning_rules
from qlearn.course.widgets.bundle import STATIC
from tests.calibration.test_qconfig import Net, random_rules
from tests.course.widgets.javascript import broken, compare

CASES = 1000


def write_cases(path: Path) -> None:
    """Write random rules and qlearn's answers where the Node script reads them."""
    entries = module_entries(Net())
    cases = [
        {
            "modules": [entry._asdict() for entry in entries],
            "rules": [rule._asdict() for rule in random_rules(seed)],
            "reader": reader,
            "expected": winning_rules(entries, random_rules(seed), mode=reader),
        }
        for seed in range(CASES)
        for reader in ("fx", "eager")
    ]
    path.write_text(json.dumps(cases))


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    path = tmp_path_factory.mktemp("rules") / "cases.json"
    write_cases(path)
    return path


def test_winners_equal_qlearns(node, cases):
    report = compare(node, "compare_rules.mjs", STATIC / "rule_math.js", cases)
    assert report["modules"] >= 2 * CASES * 8
    assert report["differing"] == []


@pytest.mark.parametrize(
    ("right", "replacement"),
    [
        ('new RegExp(pattern, "y").test', "new RegExp(pattern).test"),
        ("rules.object_type.get(leaf.type) ?? rules.global", "rules.global"),
        ("name; name = parentOf(name))", "name; name = '')"),
        ("winnerInEagerMode(parentOf(name), types, rules)", "null"),
        ('rules.global.has("")', "false"),
    ],
    ids=["search", "no-type", "no-parents", "no-inheritance", "no-global"],
)
def test_broken_precedence_is_seen(node, cases, tmp_path, right, replacement):
    module = broken(tmp_path, "rule_math.js", right, replacement)
    assert compare(node, "compare_rules.mjs", module, cases)["differing"]
