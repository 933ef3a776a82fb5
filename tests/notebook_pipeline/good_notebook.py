"""A notebook that keeps every rule: what a test breaks."""

from __future__ import annotations

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from notebook_pipeline.canonical_notebook import KERNELSPEC, LANGUAGE_INFO
from notebook_pipeline.canonical_widgets import model_id
from notebook_pipeline.outputs import WIDGET_STATE, WIDGET_VIEW


def ran(
    name: str, source: str, count: int, *outputs: NotebookNode, **metadata: object
) -> NotebookNode:
    """Return a cell of code that ran, as the first or a later one."""
    has = {"outputs": list(outputs), "metadata": metadata}
    return new_code_cell(source, id=name, execution_count=count, **has)


def good_cells() -> list[NotebookNode]:
    """Return a title, imports, and a cell for each kind of output."""
    described = {"figure": {"caption": "A line.", "name": "a-line"}, "image": {"alt": "A line"}}
    png = {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure size 640x480 with 1 Axes>"}
    view = {WIDGET_VIEW: {"model_id": model_id("good", 0)}, "text/plain": "Widget()"}
    printed = new_output("stream", name="stdout", text="1\n")
    drawn = new_output("display_data", png)
    shown = new_output("execute_result", view, execution_count=4)
    raised = new_output("error", ename="E", evalue="no", traceback=["E: no"])
    return [
        new_markdown_cell("# Title", id="title"),
        ran("imports", "import torch", 1),
        ran("number", "print(1)", 2, printed),
        ran("figure", "plot()", 3, drawn, mystnb=described),
        ran("widget", "Widget()", 4, shown),
        ran("error", "1 / 0", 5, raised, tags=["raises-exception"]),
    ]


def good_notebook() -> NotebookNode:
    """Return a notebook that keeps every rule."""
    state = {model_id("good", 0): {"model_name": "AnyModel", "state": {}}}
    widgets = {WIDGET_STATE: {"state": state, "version_major": 2, "version_minor": 0}}
    metadata = {"kernelspec": KERNELSPEC, "language_info": LANGUAGE_INFO, "widgets": widgets}
    return new_notebook(cells=good_cells(), metadata=metadata)


IMPORTS, NUMBER, FIGURE, WIDGET, ERROR = range(1, 6)
