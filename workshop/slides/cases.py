"""Questions and exercises: asked on the slide, answered in the notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from bs4 import Tag

from qlearn.course.question.texts import as_html
from workshop.slides.page import Block
from workshop.slides.prose import bare, by_browsers, inner, said, sentences, text_of
from workshop.slides.slide import Part, Slide, bullets, code, filling, formula, pre_of, prose
from workshop.wrong_answers import in_words

New = Callable[..., Slide]
LONG_PARAGRAPH = 700  # letters


def question_notes(host: Tag, models: dict[str, Any]) -> list[str]:
    """Return what the speaker has of a question: the answer, why, and what wrong answers show."""
    asked = models[str(host["data-model"])]["state"]["asked"]
    notes = [f"<p><b>Answer: {as_html(asked['shown'])}</b> {as_html(asked['because'])}</p>"]
    wrong = "".join(
        f"<li><b>{given(asked, answer)}</b>: {as_html(why)}</li>" for answer, why in asked["known"]
    )
    notes += [f"<p>Wrong answers that come:</p><ul>{wrong}</ul>"] if wrong else []
    notes += [f"<p>Hint: {as_html(asked['hint'])}</p>"] if asked["hint"] else []
    if asked["solution"] != asked["because"]:
        notes.append(f"<p>{as_html(asked['solution'])}</p>")
    return notes


def given(asked: dict[str, Any], answer: list[Any]) -> str:
    """Return a known wrong answer in words, its numbers as they are typed."""
    return in_words(asked, answer, text=as_html, number=lambda value, _: typed(value))


def typed(value: float) -> str:
    """Return a number in six digits, or a large whole one in all of them.

    >>> typed(-0.25), typed(2.0**24)
    ('−0.25', '16,777,216')
    """
    whole = abs(value) >= 1e5 and value == int(value)
    return (f"{value:,.0f}" if whole else f"{value:g}").replace("-", "−")


def exercise_slides(new: New, block: Block, models: dict[str, Any]) -> list[Slide]:
    """Return the slides of an exercise: what is asked, the code it begins with, and its guess."""
    number = block.element.select_one(".caption-number")
    heading = number.get_text().strip() if number else "Exercise"
    content = block.element.select_one("section") or block.element
    found = [new(block.where, "exercise", heading)]
    for part in exercise_parts(content, block.where):
        if not found[-1].has_room_for(part):
            found.append(new(block.where, "exercise", heading))
        found[-1].parts.append(part)
    found[0].notes += [said(p) for p in content.find_all("p", recursive=False)]
    for host in content.select(".qb-widget-host"):
        if models[str(host["data-model"])]["class"].startswith("Question."):
            slide = new(block.where, "question", heading)
            slide.parts.append(filling(str(host)))
            slide.notes += question_notes(host, models)
            found.append(slide)
    return found


def exercise_parts(content: Tag, where: str) -> Iterator[Part]:
    """Yield the parts of an exercise, but for what its check says of the empty function."""
    for child in content.find_all(True, recursive=False):
        classes = {str(name) for name in child.get_attribute_list("class")}
        if child.name == "p" and "admonition-title" not in classes:
            yield from paragraph(child)
        elif child.name in ("ul", "ol"):
            yield bullets([inner(bare(item)) for item in child.find_all("li", recursive=False)])
        elif "math" in classes:
            yield formula(child)
        elif "tag_remove-input" not in classes and (stub := child.select_one(".highlight")):
            yield code("code", pre_of(stub), where)


def paragraph(element: Tag) -> Iterator[Part]:
    """Yield a paragraph, in two parts if it is long."""
    said_there = sentences(element)
    half = len(said_there) // 2 if len(text_of(element)) > LONG_PARAGRAPH else len(said_there)
    for those in (said_there[:half], said_there[half:]):
        if those:
            yield prose("task", " ".join(those))


def solution_notes(solution: Tag, models: dict[str, Any]) -> Iterator[str]:
    """Yield a solution for the notes: its words, its code, and what that prints."""
    yield "<p><b>Solution</b></p>"
    content = solution.select_one("section") or solution
    for child in content.find_all(True, recursive=False):
        classes = child.get_attribute_list("class")
        if child.name == "p" and "admonition-title" not in classes:
            yield said(child)
        elif "cell" in classes or any(str(name).startswith("highlight") for name in classes):
            for pre in child.select("pre"):
                yield f"<pre>{escape(pre.get_text().strip())}</pre>"
        elif child.name in ("ul", "ol"):
            yield f"<{child.name}>{inner(bare(child))}</{child.name}>"
        elif "math" in classes:
            yield f"<p>{inner(by_browsers(bare(child)))}</p>"
