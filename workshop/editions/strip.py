"""A notebook without its solutions: the cells of each are gone, and with them what they printed.

The questions still check what is answered, so what is right stays in them. What goes is the
solution that opens after some tries, and the answer that stands in a notebook that is only read.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

from nbformat import NotebookNode

from notebook_pipeline.outputs import WIDGET_STATE, WIDGET_VIEW, outputs

FENCE = re.compile(
    r"^(?P<ticks>`{3,})\{solution-(?P<turn>start|end)\}.*?^(?P=ticks)[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
QUESTION = "Question "  # how the text of one begins
FOLD = re.compile(r"<details>.*?</details>", re.DOTALL)
ANSWER = re.compile(r"\s*Answer: .*\Z", re.DOTALL)
UNSAID = {"solution": "", "shown": ""}


class OpenSolutionError(ValueError):
    """A solution of a notebook begins and does not end, or ends and did not begin."""


def without_solutions(notebook: NotebookNode) -> NotebookNode:
    """Return a copy of a notebook without what solves its exercises and questions.

    Raises:
        OpenSolutionError: the marks of its solutions do not match.
    """
    found = copy.deepcopy(notebook)
    found.cells = list(kept(found.cells))
    views = {view_of(output) for output in outputs(found)}
    for output in outputs(found):
        withhold(output)
    states = found.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    for name in [name for name in states if name not in views]:
        del states[name]
    for model in states.values():
        if "asked" in model["state"]:
            model["state"]["asked"].update(UNSAID)
    return found


def kept(cells: list[NotebookNode]) -> Iterator[NotebookNode]:
    """Yield the cells outside of solutions, and of texts that hold a part of one the rest."""
    for cell, parts in parted(cells):
        if parts is None:
            yield cell
            continue
        text = "\n\n".join(part.strip() for solves, part in parts if not solves and part.strip())
        if text or not cell.source.strip():
            cell.source = text
            yield cell


def solutions(notebook: NotebookNode) -> Iterator[str]:
    """Yield the code of each solution, and its paragraphs: what a student is not to read."""
    for _, parts in parted(notebook.cells):
        yield from (part.strip() for solves, part in parts or () if solves and part.strip())


def parted(
    cells: list[NotebookNode],
) -> Iterator[tuple[NotebookNode, list[tuple[bool, str]] | None]]:
    """Yield each cell with its parts, and whether each solves something; None for code outside.

    Raises:
        OpenSolutionError: the marks of the solutions do not match.
    """
    inside = False
    for number, cell in enumerate(cells, 1):
        if cell.cell_type == "markdown":
            parts = list(parts_of(cell.source, inside, number))
            inside = parts[-1][0]
            yield cell, parts
        else:
            yield cell, [(True, cell.source)] if inside else None
    if inside:
        raise OpenSolutionError("the last solution does not end: where is its solution-end?")


def parts_of(text: str, inside: bool, number: int) -> Iterator[tuple[bool, str]]:
    """Yield the parts of a text between the marks of solutions, and whether each lies in one."""
    start = 0
    for fence in FENCE.finditer(text):
        opens = fence["turn"] == "start"
        if opens == inside:
            raise OpenSolutionError(
                f"cell {number}: a solution-{fence['turn']} where the solution before "
                f"{'has not ended' if opens else 'has ended'}"
            )
        yield inside, text[start : fence.start()]
        start, inside = fence.end(), opens
    yield inside, text[start:]


def view_of(output: dict[str, Any]) -> str:
    """Return the name of the model that an output shows, or nothing."""
    return str(output.get("data", {}).get(WIDGET_VIEW, {}).get("model_id", ""))


def withhold(output: dict[str, Any]) -> None:
    """Take the answer out of a question as it stands where it cannot be answered."""
    data = output.get("data", {})
    if WIDGET_VIEW in data and "".join(data.get("text/plain", "")).startswith(QUESTION):
        data["text/plain"] = ANSWER.sub("", "".join(data["text/plain"]))
        if "text/html" in data:
            data["text/html"] = FOLD.sub("", "".join(data["text/html"]))
