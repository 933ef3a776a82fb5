"""What a page of the book asks for: the test of its prose, and those of what it asks readers."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath

from changes.files import Change, source_in
from changes.graph import Graph
from proofs.bindings import Place

PROSE_TEST = "tests/notebook_pipeline/test_prose_rules.py::test_a_page_keeps_the_rules_of_prose"
TABLES_TEST = "test_each_page_that_asks_has_a_table"
EXERCISES = "qlearn.course.exercises.chapters"  # a module for each page
CHECKED = re.compile(r"""\bcheck\(\s*["'](\w+)""")


def prose_test(path: str) -> str:
    """Return the test of the prose of a notebook or document.

    >>> prose_test("book/notation.md").rpartition("::")[2]
    'test_a_page_keeps_the_rules_of_prose[notation.md]'
    """
    return f"{PROSE_TEST}[{path.removeprefix('book/')}]"


def words_of_questions(change: Change) -> set[str]:
    """Return words of the tests that concern a notebook's questions and exercises.

    A test of its questions has the page's name in brackets, one of an exercise that of the
    exercise; and one test asks whether all that is asked is tested.
    """
    path, texts = change.path, (change.old, change.new)
    exercises = CHECKED.findall("\n".join(source_in(path, text) for text in texts))
    page = f"[{PurePosixPath(path).stem}]"
    return {TABLES_TEST, page, *(f"[{name}" for name in exercises)}


def give_each_page_its_exercises(graph: Graph) -> None:
    """Let a notebook use the exercises of its page, which it calls by their names."""
    notebooks = {path.rpartition("/")[2]: module for module, path in graph.paths.items()}
    for module in graph.paths:
        package, _, page = module.rpartition(".")
        if package == EXERCISES and f"{page}.ipynb" in notebooks:
            graph.users[Place(module, "")].add(Place(notebooks[f"{page}.ipynb"], ""))


def prose_alone(change: Change) -> bool:
    """Tell whether a notebook differs in its prose and nothing else."""
    return change.old is not None and _code(change.old) == _code(change.new or "")


def _code(text: str) -> object:
    """Return all of a notebook but its prose."""
    notebook = json.loads(text)
    cells = [cell for cell in notebook.pop("cells") if cell["cell_type"] == "code"]
    return notebook, cells
