"""Rules that say how modules are quantized, and which of them decides about each module."""

from __future__ import annotations

import typing

from torch import nn
from traitlets import Any, Dict, Enum, List, Tuple, Union, validate

from qlearn.calibration import qconfig
from qlearn.calibration.qconfig import ModuleEntry, Rule
from qlearn.checks import check_choice
from qlearn.course.widgets.shared.figure import Figure

LETTERS = "ABCDEFGH"
GIVES = ("qconfig", "none", "off")
KEY = Union([Tuple(), Any()])  # JSON has lists where keys are tuples


class QConfigRules(Figure):
    """Show which rule decides about each module of a model, while the rules are changed.

    The rules are those of a QConfigMapping; the first gives QConfig A, the second B, and so on.
    The reader may change what a rule is about, let it give None, which leaves modules in float,
    or leave it out; and may have the rules read by ``prepare_fx`` or in eager mode.

    Args:
        model: at most 40 modules, each leaf of which is called once, in order of registration.
        *rules: at most eight.
        reader: "fx" or "eager".

    >>> model = nn.Sequential(nn.Linear(1, 1), nn.GELU())
    >>> QConfigRules(model, Rule("global"), Rule("object_type", "Linear"))
    QConfigRules(fx): 0 B, 1 A
    """

    modules = List(Dict(), maxlen=40).tag(sync=True)
    rules = List(Dict(per_key_traits={"key": KEY}), maxlen=len(LETTERS)).tag(sync=True)
    reader = Enum(qconfig.MODES, "fx").tag(sync=True)

    def __init__(self, model: nn.Module, *rules: Rule, reader: str = "fx") -> None:
        super().__init__(
            modules=[entry._asdict() for entry in qconfig.module_entries(model)],
            rules=[rule._asdict() | {"gives": "qconfig"} for rule in rules],
            reader=reader,
        )

    @validate("rules")
    def _check(self, proposal: typing.Any) -> list[dict[str, typing.Any]]:
        """Refuse rules that mean nothing."""
        rules: list[dict[str, typing.Any]] = proposal["value"]
        for rule in rules:
            check_choice(rule["gives"], "gives", GIVES)
            qconfig.check_rule(Rule(rule["kind"], rule["key"]))
        return rules

    @property
    def reached(self) -> dict[str, str | None]:
        """The letter of the QConfig that each leaf gets, or None."""
        lettered = zip(LETTERS, self.rules, strict=False)
        in_force = [(letter, rule) for letter, rule in lettered if rule["gives"] != "off"]
        winners = qconfig.winning_rules(
            [ModuleEntry(**entry) for entry in self.modules],
            [Rule(rule["kind"], rule["key"]) for _, rule in in_force],
            mode=self.reader,
        )
        given = [letter if rule["gives"] == "qconfig" else None for letter, rule in in_force]
        return {name: None if at is None else given[at] for name, at in winners.items()}

    def __repr__(self) -> str:
        """Say in one line what each module gets; a notebook's re-run compares it."""
        reached = ", ".join(f"{name} {letter}" for name, letter in self.reached.items())
        return f"QConfigRules({self.reader}): {reached}"
