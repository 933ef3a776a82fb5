"""The cells of a notebook: their tags, the widgets and questions they show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nbformat import NotebookNode

from notebook_pipeline.canonical_widgets import stored_models
from notebook_pipeline.outputs import WIDGET_VIEW

QUESTION = "qlearn.course.question.Question"


def code_cells(notebook: NotebookNode) -> list[tuple[int, NotebookNode]]:
    """Return the code cells that have code, with their places: from 1 on, as ruff counts them."""
    cells = enumerate(notebook.cells, start=1)
    return [(i, c) for i, c in cells if c.cell_type == "code" and c.source.strip()]


def tags(cell: NotebookNode) -> list[str]:
    """Return a cell's tags."""
    return cell.metadata.get("tags", [])


def views(notebook: NotebookNode) -> Iterator[tuple[int, NotebookNode, str]]:
    """Yield the place of each cell that shows a widget, the cell, and the id of its model."""
    for index, cell in code_cells(notebook):
        for output in cell.outputs:
            if view := output.get("data", {}).get(WIDGET_VIEW):
                yield index, cell, view["model_id"]


def views_without_state(notebook: NotebookNode) -> Iterator[tuple[int, str]]:
    """Yield the place of each cell that shows a widget whose state is not stored, and its model."""
    state = stored_models(notebook)
    return ((index, model) for index, _, model in views(notebook) if model not in state)


def questions(notebook: NotebookNode) -> Iterator[tuple[int, NotebookNode, dict[str, Any]]]:
    """Yield the place of each cell that asks a question, the cell, and the question's state."""
    models = stored_models(notebook)
    for index, cell, model in views(notebook):
        state = models.get(model, {}).get("state", {})
        if state.get("_anywidget_id") == QUESTION:
            yield index, cell, state
