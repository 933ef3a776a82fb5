"""Rules that say how modules are quantized, and which of them decides about each module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anywidget
import traitlets
from torch import nn

from qlearn.calibration.qconfig import (
    KINDS,
    MODES,
    ModuleEntry,
    Rule,
    check_rule,
    module_entries,
    winning_rules,
)
from qlearn.checks import check_choice
from qlearn.course.widgets.bundle import bundle, styles

MAX_MODULES = 40
LETTERS = "ABCDEFGH"
GIVES = ("qconfig", "none", "off")


class QConfigRules(anywidget.AnyWidget):
    """Show which rule decides about each module of a model, while the rules are changed.

    The rules are those of a QConfigMapping; the first gives QConfig A, the second B, and so on.
    The reader may change what a rule is about, let it give None, which leaves modules in float,
    or leave it out; and may have the rules read by ``prepare_fx`` or in eager mode.

    Args:
        model: at most 40 modules, each leaf of which is called once, in order of registration.
        *rules: at most eight, with one global rule among them at most.
        reader: "fx" or "eager".

    Attributes:
        rules: a list of dictionaries with the keys kind, key and gives; the last is "qconfig",
            "none" or "off".
        reader: as above.

    Raises:
        ValueError: too many modules or rules; a rule that
            :func:`qlearn.calibration.qconfig.check_rule` refuses, or one that gives something
            else. Assignments raise likewise.

    >>> model = nn.Sequential(nn.Linear(1, 1), nn.GELU())
    >>> QConfigRules(model, Rule("global"), Rule("object_type", "Linear"))
    QConfigRules(fx): 0 B, 1 A
    """

    _esm = bundle("qconfig_rules.js")
    _css = styles("qconfig_rules.css")

    modules: traitlets.List = traitlets.List().tag(sync=True)
    rules: traitlets.List = traitlets.List().tag(sync=True)
    reader = traitlets.Enum(MODES, "fx").tag(sync=True)

    def __init__(self, model: nn.Module, *rules: Rule, reader: str = "fx") -> None:
        """Store what the browser needs of the model."""
        entries = module_entries(model)
        if len(entries) > MAX_MODULES:
            raise ValueError(
                f"the model has {len(entries)} modules, too many to show: pass a part of it with "
                f"at most {MAX_MODULES}"
            )
        super().__init__(
            modules=[entry._asdict() for entry in entries],
            rules=[{"kind": rule.kind, "key": rule.key, "gives": "qconfig"} for rule in rules],
            reader=reader,
        )

    @property
    def reached(self) -> dict[str, str | None]:
        """The letter of the QConfig that each leaf gets, or None."""
        lettered = zip(LETTERS, self.rules, strict=False)
        in_force = [(letter, rule) for letter, rule in lettered if rule["gives"] != "off"]
        places = winning_rules(
            [ModuleEntry(**entry) for entry in self.modules],
            [_as_rule(rule) for _, rule in in_force],
            mode=self.reader,
        )
        letters = [letter if rule["gives"] == "qconfig" else None for letter, rule in in_force]
        return {name: None if at is None else letters[at] for name, at in places.items()}

    @traitlets.validate("rules")
    def _check(self, proposal: dict[str, Any]) -> list[dict[str, Any]]:
        """Refuse rules that mean nothing."""
        rules = proposal["value"]
        if len(rules) > len(LETTERS):
            raise ValueError(
                f"there are {len(rules)} rules, too many to show: pass at most {len(LETTERS)}"
            )
        for rule in rules:
            check_rule(_as_rule(rule))
            check_choice(rule["gives"], "gives", GIVES)
        _check_single_global(rules)
        return rules

    def __repr__(self) -> str:
        """Say in one line what each module gets; a notebook's re-run compares it."""
        reached = ", ".join(f"{name} {letter}" for name, letter in self.reached.items())
        return f"QConfigRules({self.reader}): {reached}"


def _as_rule(rule: dict[str, Any]) -> Rule:
    """Return the rule; JSON has lists where keys are tuples."""
    key = rule["key"]
    return Rule(rule["kind"], tuple(key) if isinstance(key, list) else key)


def _check_single_global(rules: Sequence[dict[str, Any]]) -> None:
    kind = KINDS[0]
    count = sum(rule["kind"] == kind for rule in rules)
    if count > 1:
        raise ValueError(f"{count} rules are of the kind {kind!r}, which decides for all: keep one")
