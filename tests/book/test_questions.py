"""The questions of the chapters: each wrong answer of a table gets the message meant for it.

A chapter's table is `WRONG` in the module of its name here, `<chapter>_answers.py`. A page to the
bit has questions and no quiz: what it asks on its way, and in its exercises.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import nbformat
import pytest

from notebook_pipeline.cells import QUESTION, questions
from qlearn.course.question import Question
from tests.course.widgets.figures import call

HERE = Path(__file__).parent
BOOK = HERE.parents[1] / "book"
Row = tuple[str, str | tuple[str, ...], str]  # the question, an answer, part of what is said
TABLES: dict[str, list[Row]] = {
    path.stem.removesuffix("_answers"): import_module(f"tests.book.{path.stem}").WRONG
    for path in sorted(HERE.glob("*_answers.py"))
}
CORE = [page for page in TABLES if not page.endswith("_to_the_bit")]
KINDS = 4  # so many kinds of questions a chapter has at least
ON_THE_WAY, IN_THE_QUIZ, ROWS_OF_A_PAGE, ROWS_OF_A_QUESTION = 5, 6, 20, 3


@cache
def asked_on(page: str) -> dict[str, tuple[bool, dict[str, Any]]]:
    """Return each question of a page by its name: whether it is one of the quiz, and its state."""
    [path] = BOOK.rglob(f"{page}.ipynb")
    notebook = nbformat.read(path, as_version=4)
    heads = [i for i, cell in enumerate(notebook.cells) if cell.source.startswith("## ")]
    quizzes = [i for i in heads if notebook.cells[i].source.startswith("## Quiz")]
    in_quiz = {i for quiz in quizzes for i in range(quiz, heads[heads.index(quiz) + 1])}
    return {
        stored["name"]: (place - 1 in in_quiz, stored["asked"])
        for place, _, stored in questions(notebook)
    }


def text_of(asked: dict[str, Any], answer: str | tuple[str, ...]) -> str:
    """Return the answer as the page has it: options by their places."""
    if isinstance(answer, str):
        return answer
    return " ".join(str(asked["options"].index(option) + 1) for option in answer)


def test_each_page_that_asks_has_a_table() -> None:
    asking = {path.stem for path in BOOK.rglob("*.ipynb") if QUESTION in path.read_text("utf-8")}
    assert asking == set(TABLES), "each page that asks, and no other, has a tests/book/*_answers.py"


@pytest.mark.parametrize("page", TABLES)
def test_the_table_has_rows_for_three_wrong_answers_to_each(page: str) -> None:
    names = [name for name, *_ in TABLES[page]]
    assert set(names) == set(asked_on(page)), f"{page}_answers.py has the questions of the page"
    assert len(names) >= ROWS_OF_A_PAGE or page not in CORE, (
        f"{page}_answers.py has {len(names)} rows: a chapter that asks has {ROWS_OF_A_PAGE}"
    )
    few = [name for name in asked_on(page) if names.count(name) < ROWS_OF_A_QUESTION]
    assert not few, f"{page}_answers.py has fewer than {ROWS_OF_A_QUESTION} wrong answers to {few}"


@pytest.mark.parametrize("page", CORE)
def test_the_chapter_has_a_quiz_and_questions_on_the_way_of_several_kinds(page: str) -> None:
    quiz = [in_quiz for in_quiz, _ in asked_on(page).values()]
    assert (sum(quiz), len(quiz) - sum(quiz) >= ON_THE_WAY) == (IN_THE_QUIZ, True), (
        f"{page} asks {sum(quiz)} questions below ## Quiz and {len(quiz) - sum(quiz)} on the way: "
        f"a chapter that asks has {IN_THE_QUIZ} there, and {ON_THE_WAY} on the way at least"
    )
    kinds = {asked["kind"] for _, asked in asked_on(page).values()}
    assert len(kinds) >= KINDS, f"{page} has the kinds {sorted(kinds)}: a chapter has {KINDS}"


@pytest.mark.parametrize("page", TABLES)
def test_the_answer_as_the_solution_prints_it_is_right(page: str, node: str) -> None:
    asked = [state for _, state in asked_on(page).values()]
    printed = [
        " ".join(map(str, state["right"])) if state["options"] else state["shown"]
        for state in asked
    ]
    calls = [["judge", *each] for each in zip(asked, printed, strict=True)]
    verdicts = call(node, Question.entry().with_name("answers.js"), calls)
    wrong = [text for text, said in zip(printed, verdicts, strict=True) if not said.get("right")]
    assert wrong == []


@pytest.mark.parametrize("page", TABLES)
def test_each_wrong_answer_gets_its_message(page: str, node: str) -> None:
    asked = {name: state for name, (_, state) in asked_on(page).items()}
    calls = [["judge", asked[n], text_of(asked[n], given)] for n, given, _ in TABLES[page]]
    verdicts = call(node, Question.entry().with_name("answers.js"), calls)
    missed = [
        (*row, verdict)
        for row, verdict in zip(TABLES[page], verdicts, strict=True)
        if verdict.get("right") is True
        or row[2] not in verdict.get("sentence", verdict.get("unfit"))
    ]
    assert missed == []
