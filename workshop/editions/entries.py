"""What a built page asks, in its order: each question with its answers, each exercise solved."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag

from qlearn.course.exercises.catalogue import EXERCISES
from qlearn.course.question.answer import printed
from qlearn.course.question.texts import PARTS
from workshop.slides.cases import typed
from workshop.slides.prose import bare
from workshop.wrong_answers import in_words

CHECKED = re.compile(r'\bcheck\("(\w+)"')


@dataclass(frozen=True)
class Question:
    """A question of a page: its texts as markup, and what wrong answers show."""

    name: str
    where: str
    ask: str
    options: list[str]
    right: str
    because: str
    known: list[tuple[str, str]]
    otherwise: str
    hint: str
    solution: str  # where it says more than `because`


@dataclass(frozen=True)
class Worked:
    """An exercise with its solution; of one in code, what its check says of known mistakes."""

    title: str
    task: str
    solution: str
    mistakes: list[str]
    hints: list[str]


Entry = Question | Worked


def entries(page: Path) -> Iterator[Entry]:
    """Yield what a built page asks.

    Raises:
        ValueError: an exercise of it has no solution.
    """
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    state = soup.find(id="qb-widget-models")
    models: dict[str, Any] = json.loads(state.get_text()) if state else {}
    solutions = {solved(each): each for each in soup.select("article div.solution")}
    for element in soup.select("article .qb-widget-host, article div.exercise"):
        if "exercise" in element.get_attribute_list("class"):
            label = str(element["id"])
            if label not in solutions:
                raise ValueError(f"{page}: the exercise {label} has no solution")
            yield worked(element, solutions[label])
        elif models[str(element["data-model"])]["class"].startswith("Question."):
            yield question(models[str(element["data-model"])]["state"], where(element))


def solved(solution: Tag) -> str:
    """Return the label of the exercise that a solution is for."""
    link = solution.select_one(".admonition-title a[href]")
    return str(link["href"]).removeprefix("#") if link else ""


def where(element: Tag) -> str:
    """Return the heading, or the exercise, below which something stands."""
    exercise = element.find_parent("div", class_="exercise")
    if isinstance(exercise, Tag):
        return title_of(exercise)
    section = element.find_parent("section")
    heading = section.find(["h1", "h2", "h3"]) if isinstance(section, Tag) else None
    return bare(heading).get_text().strip() if isinstance(heading, Tag) else ""


def title_of(exercise: Tag) -> str:
    """Return the number of an exercise, as in ``Exercise 7``."""
    number = exercise.select_one(".caption-number")
    return number.get_text().strip() if number else "Exercise"


def question(state: Mapping[str, Any], where: str) -> Question:
    """Return a question from what its page holds of it."""
    asked, formulas = state["asked"], state["formulas"]

    def drawn(text: str) -> str:
        return as_drawn(text, formulas)

    return Question(
        name=state["name"],
        where=where,
        ask=drawn(asked["ask"]),
        options=[drawn(option) for option in asked["options"]],
        right=drawn(asked["shown"]),
        because=drawn(asked["because"]),
        known=[(given(asked, answer, formulas), drawn(why)) for answer, why in asked["known"]],
        otherwise=drawn(asked["otherwise"]),
        hint=drawn(asked["hint"]),
        solution="" if asked["solution"] == asked["because"] else drawn(asked["solution"]),
    )


def as_drawn(text: str, formulas: Mapping[str, str]) -> str:
    """Return a text of a question as markup, its formulas as the page has drawn them."""
    parts = []
    for part in PARTS.split(text):
        if part.startswith("`"):
            parts.append(f"<code>{escape(part[1:-1], quote=False)}</code>")
        elif part.startswith("$"):
            shown = formulas[part[1:-1]]
            parts.append(shown if shown.startswith("<") else f"<em>{escape(shown)}</em>")
        else:
            parts.append(escape(part, quote=False))
    return "".join(parts)


def given(asked: Mapping[str, Any], answer: list[Any], formulas: Mapping[str, str]) -> str:
    """Return a known wrong answer in words, its options as the page has drawn them."""
    return in_words(asked, answer, text=lambda option: as_drawn(option, formulas), number=exactly)


def exactly(value: float, margin: float) -> str:
    """Return a number with as many decimals as count, or all where it has more of them."""
    short = printed(value, margin)
    read = float(short.replace(",", "").replace("−", "-"))
    return short if abs(read - value) <= margin else typed(value)


def worked(exercise: Tag, solution: Tag) -> Worked:
    """Return an exercise and its solution; the questions in it come as entries of their own."""
    names = dict.fromkeys(CHECKED.findall(exercise.get_text() + solution.get_text()))
    checked = [EXERCISES[name] for name in names if name in EXERCISES]
    return Worked(
        title=title_of(exercise),
        task=content(exercise),
        solution=content(solution),
        mistakes=[escape(said) for each in checked for said in each.mistakes],
        hints=[escape(hint) for each in checked for hint in each.hints],
    )


def content(element: Tag) -> str:
    """Return what an exercise or a solution holds, all folds open, and nothing to answer."""
    inside = bare(element.select_one("section") or element)
    for host in inside.select(".cell:has(.qb-question), .admonition-title, summary"):
        host.decompose()
    for fold in inside.select("details"):
        fold.unwrap()
    for name in inside.find_all(id=True):
        del name["id"]
    return inside.decode_contents().strip()
