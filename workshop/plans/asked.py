"""The question of a block: what is asked, what is right, and what people say instead.

All of it comes from the question on the page. Nothing is written here a second time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import nbformat

from notebook_pipeline.cells import questions
from qlearn.course.question.answer import printed
from site_builder.reading_time import BOOK
from site_builder.sections import places, section
from workshop.plans.plan import Block
from workshop.wrong_answers import in_words

ANY = "…"  # in a list of numbers: whichever


class Asked(NamedTuple):
    """A question: its texts may have `code` in backticks and $formulas$ between dollars."""

    ask: str
    options: tuple[str, ...]
    right: str  # empty in notebooks without solutions
    because: str
    wrong: tuple[tuple[str, str], ...]  # what people say, and what to say to it
    slugs: tuple[str, ...]  # the sections that the question lies in


def asked(block: Block, book: Path = BOOK) -> Asked:
    """Return the question of a block, as the notebooks of a book have it.

    Raises:
        KeyError: the section of the step that asks has no such question.
    """
    where = section(block.asks.section)
    found = on_page(where.page, book).get(block.question)
    if found is None or where.slug not in found.slugs:
        raise KeyError(f"{where.name} has no question {block.question!r}")
    return found


@cache
def on_page(page: str, book: Path = BOOK) -> dict[str, Asked]:
    """Return the questions of a page by their names."""
    notebook = nbformat.read(book / f"{page}.ipynb", as_version=4)
    slugs = dict(enumerate(places(notebook), start=1))
    return {
        stored["name"]: question(stored["asked"], slugs[place])
        for place, _, stored in questions(notebook)
    }


def question(stored: Mapping[str, Any], slugs: tuple[str, ...]) -> Asked:
    """Return a question as the notebook stores it."""
    return Asked(
        stored["ask"],
        tuple(stored["options"]),
        stored["shown"],
        stored["because"],
        tuple(mistakes(stored)),
        slugs,
    )


def mistakes(stored: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the known wrong answers, those that get the same sentence together."""
    said: dict[str, list[str]] = {}
    for answer, sentence in stored["known"]:
        words = in_words(stored, answer, text=str, number=spoken, before=" before: ", whichever=ANY)
        said.setdefault(sentence, []).append(words)
    for sentence, answers in said.items():
        yield " or ".join(answers), sentence


def spoken(value: float, margin: float) -> str:
    """Return a number with no more decimals than it needs.

    >>> spoken(-0.9500000001, 0.03), spoken(57.0, 0.0)
    ('−0.95', '57')
    """
    return printed(value, margin if float(value).is_integer() else min(margin or 1, 0.01))
