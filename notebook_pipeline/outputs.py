"""What a notebook shows under its cells: the outputs, their text, the views of widgets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nbformat import NotebookNode

WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def outputs(notebook: NotebookNode, kind: str = "") -> list[NotebookNode]:
    """Return the outputs of all cells in order, or those that have data of that MIME type."""
    found = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output for output in found if not kind or kind in output.get("data", {})]


def texts(output: NotebookNode) -> Iterator[str]:
    """Yield the text of an output, in every text format that it has."""
    if output.output_type == "stream":
        yield output.text
    elif output.output_type == "error":
        yield output.evalue
        yield from (re.sub(r"\x1b\[[\d;]*m", "", line) for line in output.traceback)
    else:
        yield from (v for k, v in output.data.items() if k.startswith("text/"))
