"""The rules for questions and exercises: the book keeps them, and each can be broken."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from notebook_pipeline import question_rules as rules
from notebook_pipeline.cells import QUESTION, questions
from notebook_pipeline.find_notebooks import find_notebooks
from notebook_pipeline.notebook_rules import Rule
from notebook_pipeline.outputs import WIDGET_STATE
from qlearn.course.question import Question
from tests.notebook_pipeline.good_notebook import WIDGET, good_notebook

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def book() -> dict[str, NotebookNode]:
    """Return the notebooks of the book by their names."""
    paths = find_notebooks([ROOT / "book"])
    return {path.relative_to(ROOT).as_posix(): nbformat.read(path, 4) for path in paths}


@pytest.mark.parametrize("rule", [rules.exercises_are_checked, rules.guesses_are_checked])
def test_the_exercises_of_the_book_keep(rule: Rule, book: dict[str, NotebookNode]) -> None:
    assert any(list(rules.exercises_of(notebook)) for notebook in book.values())
    assert {page: said for page, notebook in book.items() if (said := list(rule(notebook)))} == {}


def test_no_two_questions_of_the_book_share_a_name(book: dict[str, NotebookNode]) -> None:
    assert any(list(questions(notebook)) for notebook in book.values())
    assert list(rules.question_names_are_unique(book)) == []


def asking(notebook: NotebookNode, known: int = 3, **metadata: object) -> NotebookNode:
    """Return the notebook whose widget is a question that knows so many wrong answers."""
    [model] = notebook.metadata.widgets[WIDGET_STATE]["state"].values()
    model["state"] = {"_anywidget_id": QUESTION, "name": "a", "asked": {"known": known * [0]}}
    notebook.cells[WIDGET].metadata = metadata
    return notebook


def test_a_question_is_known_by_its_class() -> None:
    assert f"{Question.__module__}.{Question.__name__}" == QUESTION


def test_an_answer_in_sight_is_seen() -> None:
    shown = list(rules.answers_are_out_of_sight(asking(good_notebook())))
    assert [
        part in sentence for part, sentence in zip(("page", "Lab"), shown, strict=True)
    ] == 2 * [True]
    hidden = {"tags": ["remove-input"], "jupyter": {"source_hidden": True}}
    assert list(rules.answers_are_out_of_sight(asking(good_notebook(), **hidden))) == []


def test_a_question_that_knows_two_wrong_answers_is_seen() -> None:
    assert list(rules.wrong_answers_are_known(asking(good_notebook()))) == []
    [sentence] = rules.wrong_answers_are_known(asking(good_notebook(), known=2))
    assert "knows 2 wrong answers to 'a'" in sentence


@pytest.mark.parametrize("way", ['Question(\n    "a",\n)', 'check("f", f)'])
def test_an_exercise_without_a_check_is_seen(way: str) -> None:
    notebook = good_notebook()
    lines = ["```{exercise-start}\n:label: ex-a\n```\nTry.", "```{exercise-end}\n```"]
    solution = "```{solution-start} ex-a\n```\n" + way
    notebook.cells += [new_markdown_cell(line) for line in (*lines, solution)]
    [sentence] = rules.exercises_are_checked(notebook)
    assert sentence.startswith("the exercise ex-a has nothing that checks")
    notebook.cells.insert(-2, new_code_cell(way))
    assert list(rules.exercises_are_checked(notebook)) == []


@pytest.mark.parametrize("words", ["And you can guess:", "Predict:", "Without a kernel:"])
def test_a_guess_without_a_field_is_seen(words: str) -> None:
    notebook = good_notebook()
    task = new_markdown_cell(f"```{{exercise-start}}\n:label: ex-a\n```\nIn code. {words}")
    solution = new_markdown_cell("```{solution-start} ex-a\n```\nQuestion(")
    notebook.cells += [task, new_code_cell('check("f", f)'), solution]
    [sentence] = rules.guesses_are_checked(notebook)
    assert sentence.startswith("the exercise ex-a says ")
    notebook.cells.insert(-2, new_code_cell('Question(\n    "a",\n)'))
    assert list(rules.guesses_are_checked(notebook)) == []


def test_two_questions_of_a_name_are_seen() -> None:
    book = {"one": asking(good_notebook()), "two": asking(good_notebook())}
    [sentence] = rules.question_names_are_unique(book)
    twice = f"cell {WIDGET + 1} of two asks 'a', as does cell {WIDGET + 1} of one"
    assert sentence == f"{twice}: give one another name"
