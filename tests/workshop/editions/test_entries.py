"""What the answer key has of a page: all that is asked there, answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qlearn.course.question import Question
from tests.course.question.questions import CODE, ENDS, PLACE, RULER, STEPS, UNUSED
from workshop.editions.answer_key import chapter
from workshop.editions.entries import Question as Asked
from workshop.editions.entries import Worked, entries

EACH = [CODE, RULER, ENDS, UNUSED, STEPS, PLACE]
HOST = '<div class="qb-widget-host" data-model="{}"></div>'
EXERCISE = (
    '<div class="exercise" id="ex"><p class="admonition-title"><span class="caption-number">'
    "Exercise 7 </span></p><section><p>Add.</p>{}</section></div>"
)
SOLUTION = (
    '<div class="solution"><p class="admonition-title">Solution to <a href="#ex">Exercise 7</a></p>'
    "<section><p>Two.</p></section></div>"
)


def write(tmp_path: Path, *content: str) -> Path:
    models = {
        question.name: {
            "class": "Question.1",
            "state": {**question.state(), "formulas": drawn(question)},
        }
        for question in EACH
    }
    text = json.dumps(models)
    page = tmp_path / "page.html"
    page.write_text(
        f"<article><section><h2>By hand</h2>{''.join(content)}</section></article>"
        f'<script type="application/json" id="qb-widget-models">{text}</script>',
        encoding="utf-8",
    )
    return page


def drawn(question: Question) -> dict[str, str]:
    return {formula: f"<i>{formula}</i>" for formula in question.formulas}


def questions(tmp_path: Path) -> list[Asked]:
    hosts = [HOST.format(question.name) for question in EACH]
    found = list(entries(write(tmp_path, *hosts)))
    return [entry for entry in found if isinstance(entry, Asked)]


def test_each_question_has_its_answer_and_its_reason(tmp_path: Path) -> None:
    code, ruler, ends, *_ = questions(tmp_path)
    assert (code.right, code.where) == ("78", "By hand")
    assert code.because == "<i>x / s</i> is 57.4 steps, rounded 57, and 21 + 57 = 78."
    assert code.known[0] == ("57", "Count from the zero point: add 21.")
    assert code.hint == "Which mark lies at 0?"
    assert ruler.known[0] == ("any, −5, any", "3.75 rounds to 4.")
    assert ends.right in ends.options


def test_the_key_tells_every_sentence_that_a_question_has(tmp_path: Path) -> None:
    found = questions(tmp_path)
    assert [entry.name for entry in found] == [question.name for question in EACH]
    for question, entry in zip(EACH, found, strict=True):
        assert len(entry.known) == len(question.asked["known"]) > 0
        text = chapter("book/part/page", "Page", [entry])
        for told in (entry.ask, entry.right, entry.because, entry.otherwise, entry.hint):
            assert told in text
        assert all(answer in text and why in text for answer, why in entry.known)


def test_an_exercise_stands_with_its_solution(tmp_path: Path) -> None:
    stub = '<div class="cell"><pre>check("sums_by_rows", sums_by_rows)</pre></div>'
    asked = f'<div class="cell">{HOST.format("affine-code")}</div>'
    found = list(entries(write(tmp_path, EXERCISE.format(stub + asked), SOLUTION)))
    worked, question = found
    assert isinstance(worked, Worked) and isinstance(question, Asked)
    assert (worked.title, worked.solution) == ("Exercise 7", "<p>Two.</p>")
    assert question.where == "Exercise 7"
    assert len(worked.mistakes) > 2 and worked.hints
    text = chapter("book/part/page", "Page", found)
    assert all(said in text for said in (*worked.mistakes, *worked.hints, "Two."))


def test_an_exercise_without_a_solution_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"page\.html: the exercise ex has no solution"):
        list(entries(write(tmp_path, EXERCISE.format(""))))
