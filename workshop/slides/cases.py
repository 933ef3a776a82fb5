"""Questions and exercises: asked on the slide, answered in the notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from bs4 import Tag

from qlearn.course.question.texts import as_html
from workshop.slides.page import PRINTED, Block
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
    hosts = questions(content, models)
    leads = [lead_of(host) for host in hosts]
    told = [new(block.where, "exercise", heading)]
    for together in exercise_parts(content, block.where, leads):
        empty = new(block.where, "exercise", heading)
        if empty.has_room_for(*together) and not told[-1].has_room_for(*together):
            told.append(empty)
        for part in together:
            if not told[-1].has_room_for(part):
                told.append(new(block.where, "exercise", heading))
            told[-1].parts.append(part)
    guesses = [new(block.where, "question", heading) for _ in hosts]
    for slide, host, lead in zip(guesses, hosts, leads, strict=True):
        slide.parts += [prose("lead", sentences(lead)[-1])] if lead else []
        slide.parts.append(filling(str(host)))
        slide.notes += question_notes(host, models)
    found = [slide for slide in told if slide.parts] + guesses
    found[0].notes[:0] = [said(p) for p in content.find_all("p", recursive=False)]
    return found


def questions(content: Tag, models: dict[str, Any]) -> list[Tag]:
    """Return the questions in a part of a page."""
    hosts = content.select(".qb-widget-host")
    return [
        host for host in hosts if models[str(host["data-model"])]["class"].startswith("Question.")
    ]


def lead_of(host: Tag) -> Tag | None:
    """Return the paragraph right before a question's cell, if it ends by introducing it."""
    cell = host.find_parent(class_="cell")
    before = cell.find_previous_sibling() if cell else None
    if not isinstance(before, Tag) or before.name != "p":
        return None
    return before if "".join(sentences(before)[-1:]).endswith(":") else None


def exercise_parts(content: Tag, where: str, leads: list[Tag | None]) -> Iterator[list[Part]]:
    """Yield the parts of an exercise: those of a cell together, each other one alone.

    Of the paragraphs that lead to a question the last sentence is left out.
    """
    for child in content.find_all(True, recursive=False):
        classes = {str(name) for name in child.get_attribute_list("class")}
        if child.name == "p" and "admonition-title" not in classes:
            is_lead = any(child is lead for lead in leads)
            yield from ([part] for part in paragraph(child, is_lead))
        elif child.name in ("ul", "ol"):
            items = child.find_all("li", recursive=False)
            yield [bullets([inner(bare(item)) for item in items])]
        elif "math" in classes:
            yield [formula(child)]
        elif "cell" in classes:
            yield list(cell_parts(child, where))
        elif listing := child.select_one(".highlight"):
            yield [code("code", pre_of(listing), where)]


def cell_parts(cell: Tag, where: str) -> Iterator[Part]:
    """Yield the code of an exercise's cell, what it printed, and what its check says of it.

    Of an empty function the check says what the text asks, so this is left out.
    """
    shown = "tag_remove-input" not in cell.get_attribute_list("class")
    begun = cell.select_one(".cell_input .highlight") if shown else None
    if begun:
        yield code("code", pre_of(begun), where)
    for printed in cell.select(PRINTED):
        yield code("printed", pre_of(printed), where)
    if not (begun and is_empty(begun)):
        for verdict in cell.select(".qb-verdict"):
            yield prose("verdict", inner(bare(verdict)))


def is_empty(code_: Tag) -> bool:
    """Tell whether code has a function that its reader is to write."""
    return any(line.strip() == "..." for line in code_.get_text().splitlines())


def paragraph(element: Tag, leads: bool) -> Iterator[Part]:
    """Yield a paragraph, without its last sentence if this leads on, in two parts if it is long."""
    said_there = sentences(element)
    said_there = said_there[:-1] if leads else said_there
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
