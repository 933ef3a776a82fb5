"""What the questions and exercises of a committed notebook must satisfy.

Each rule takes a notebook, or all of them, and yields a sentence for each place that breaks it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from nbformat import NotebookNode

from notebook_pipeline.cells import questions, tags

KNOWN_WRONG = 3
OFFER = r"\b(guess|predict|without a kernel|on this page you)\b"  # something to answer at once


def answers_are_out_of_sight(notebook: NotebookNode) -> Iterator[str]:
    """The code of a question holds its answer: neither page nor JupyterLab shows it."""
    for index, cell, _ in questions(notebook):
        if "remove-input" not in tags(cell):
            yield f"cell {index} asks a question, and the page shows its code: tag it remove-input"
        if not cell.metadata.get("jupyter", {}).get("source_hidden"):
            yield f"cell {index} asks a question: set source_hidden in its metadata, for JupyterLab"


def wrong_answers_are_known(notebook: NotebookNode) -> Iterator[str]:
    """A question has a sentence for each of three wrong answers at least."""
    for index, _, stored in questions(notebook):
        known = len(stored["asked"]["known"])
        if known < KNOWN_WRONG:
            yield (
                f"cell {index} knows {known} wrong answers to {stored['name']!r}, not "
                f"{KNOWN_WRONG}: which others will readers give?"
            )


def exercises_of(notebook: NotebookNode) -> Iterator[tuple[str, str]]:
    """Give the label of each exercise, and all that stands in it before its solution."""
    text = "\n".join(cell.source for cell in notebook.cells)
    for exercise in text.split("{exercise-start}")[1:]:
        [label] = re.findall(r":label: (\S+)", exercise)[:1]
        yield label, exercise.partition("{solution-start}")[0]


def exercises_are_checked(notebook: NotebookNode) -> Iterator[str]:
    """Before its solution an exercise asks a question, or `check` tries the reader's code.

    It is no rule of the template, whose exercise waits for a question of the chapter's own.
    """
    for label, asked in exercises_of(notebook):
        if not re.search(r"^(Question|check)\(", asked, re.MULTILINE):
            yield f"the exercise {label} has nothing that checks an answer: add Question or `check`"


def guesses_are_checked(notebook: NotebookNode) -> Iterator[str]:
    """What an exercise lets readers do without a kernel has a Question, also beside `check`.

    A guess without a field has its answer in the folded solution alone, and `check` needs a kernel.
    """
    for label, asked in exercises_of(notebook):
        offer = re.search(OFFER, asked, re.IGNORECASE)
        if offer and not re.search(r"^Question\(", asked, re.MULTILINE):
            yield (
                f"the exercise {label} says `{offer[0]}` and has no Question for the answer: ask "
                "one before the solution"
            )


def question_names_are_unique(notebooks: Mapping[str, NotebookNode]) -> Iterator[str]:
    """No two questions of the book share a name: solving one would tick the other."""
    first: dict[str, str] = {}
    for page, notebook in notebooks.items():
        for index, _, stored in questions(notebook):
            place = f"cell {index} of {page}"
            if stored["name"] in first:
                yield (
                    f"{place} asks {stored['name']!r}, as does {first[stored['name']]}: give one "
                    "another name"
                )
            first.setdefault(stored["name"], place)
