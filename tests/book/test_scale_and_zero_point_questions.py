"""The chapter's questions: each wrong answer of the table gets the message meant for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest

from notebook_pipeline.notebook_rules import questions
from qlearn.course.question import Question
from tests.book.scale_and_zero_point_answers import WRONG
from tests.course.widgets.figures import call

PAGE = Path(__file__).parents[2] / "book" / "numbers" / "scale_and_zero_point.ipynb"
ASKED: dict[str, dict[str, Any]] = {
    stored["name"]: stored["asked"] for _, _, stored in questions(nbformat.read(PAGE, as_version=4))
}
KINDS = {"number", "codes", "one_of", "any_of", "order", "place"}


def text_of(asked: dict[str, Any], answer: str | tuple[str, ...]) -> str:
    """Return the answer as the page has it: options by their places."""
    if isinstance(answer, str):
        return answer
    return " ".join(str(asked["options"].index(option) + 1) for option in answer)


def test_the_table_has_a_row_for_three_wrong_answers_to_each() -> None:
    asked = [name for name, *_ in WRONG]
    assert set(asked) == set(ASKED) and len(WRONG) >= 20
    assert [name for name in ASKED if asked.count(name) < 3] == []


def test_the_page_has_every_kind() -> None:
    assert {asked["kind"] for asked in ASKED.values()} == KINDS


@pytest.fixture(scope="module")
def said(node: str) -> list[dict[str, Any]]:
    calls = [["judge", ASKED[name], text_of(ASKED[name], given)] for name, given, _ in WRONG]
    return call(node, Question.entry().with_name("answers.js"), calls)


@pytest.mark.parametrize("row", range(len(WRONG)), ids=[f"{n}-{g}" for n, g, _ in WRONG])
def test_a_wrong_answer_gets_its_message(row: int, said: list[dict[str, Any]]) -> None:
    _, _, message = WRONG[row]
    assert said[row].get("right") is not True
    assert message in said[row].get("sentence", said[row].get("unfit"))
