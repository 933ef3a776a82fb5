"""The decision guide: questions one after the other, and at the end a method with its config."""

from __future__ import annotations

import typing
from collections.abc import Mapping

from traitlets import Dict, default, validate

from qlearn.course.decision_paths import PAGES, follow
from qlearn.course.decisions import LEAVES, QUESTIONS, ROOT
from qlearn.course.widgets.shared.figure import Figure


def as_json() -> dict[str, typing.Any]:
    """Return the tree as the browser gets it: questions and leaves by their names."""
    questions = {
        name: {"text": question.text, "answers": [answer._asdict() for answer in question.answers]}
        for name, question in QUESTIONS.items()
    }
    leaves = {
        name: leaf._asdict() | {"config": leaf.config.strip("\n"), "title": PAGES[leaf.page]}
        for name, leaf in LEAVES.items()
    }
    return {"root": ROOT, "questions": questions, "leaves": leaves}


class DecisionGuide(Figure):
    """Ask where a model runs, what it is and what may be lost, and say why at each fork.

    The questions and the methods are those of :mod:`qlearn.course.decisions`.

    Args:
        answers: names of answers by names of questions, with which it opens.

    >>> DecisionGuide({"device": "phone", "phone_kind": "linear"})
    DecisionGuide(phone → linear layers: four bits, dynamic int8 inputs)
    """

    tree = Dict(read_only=True).tag(sync=True)
    answers = Dict().tag(sync=True)

    def __init__(self, answers: Mapping[str, str] | None = None) -> None:
        super().__init__(answers=dict(answers or {}))

    @default("tree")
    def _tree(self) -> dict[str, typing.Any]:
        return as_json()

    @validate("answers")
    def _check(self, proposal: typing.Any) -> dict[str, str]:
        """Refuse what answers no question."""
        answers: dict[str, str] = proposal["value"]
        follow(answers)
        return answers

    def __repr__(self) -> str:
        """Say in one line where the answers lead; a notebook's re-run compares it."""
        return f"DecisionGuide({follow(self.answers)})"
