"""A cell's slide type, as JupyterLab sets it, becomes a class of what it shows.

The decks are made from the built pages (`workshop/slides/`), and a built page knows nothing of the
cells that its words came from. So what a cell with ``"slideshow": {"slide_type": "skip"}`` shows
gets the class ``slide-type-skip``. Pages look no different.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import nbformat
from docutils import nodes
from sphinx.application import Sphinx

CLASS = "slide-type-"
LINES_OF_A_CELL = 10_000  # MyST-NB counts a cell's lines from its number times this
NONE = ("-", "")  # JupyterLab's word for a cell that has no type


def setup(app: Sphinx) -> None:
    """Have the types set as soon as a page has been read."""
    app.connect("doctree-read", set_types)


def set_types(app: Sphinx, doctree: nodes.document) -> None:
    """Give each block of a page the class of its cell's type."""
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix == ".ipynb":
        mark(doctree, slide_types(path))


def slide_types(path: Path) -> dict[int, str]:
    """Return the slide types of a notebook, by the numbers of the cells that have one."""
    cells = nbformat.read(path, as_version=4).cells
    found = {
        at: cell.metadata.get("slideshow", {}).get("slide_type", "")
        for at, cell in enumerate(cells)
    }
    return {at: kind for at, kind in found.items() if kind not in NONE}


def mark(doctree: nodes.document, types: Mapping[int, str]) -> None:
    """Give the blocks of the cells with these numbers their classes."""
    for block in blocks(doctree) if types else ():
        if kind := types.get(cell_of(block), ""):
            block["classes"].append(f"{CLASS}{kind}")


def blocks(element: nodes.Element) -> Iterator[nodes.Element]:
    """Yield what stands directly in a section, or on a page without one."""
    for child in element.children:
        if isinstance(child, nodes.section):
            yield from blocks(child)
        elif isinstance(child, nodes.Element) and not isinstance(child, nodes.title):
            yield child


def cell_of(block: nodes.Element) -> int:
    """Return the number of the cell that a block is from, or -1."""
    if "cell_index" in block:
        return int(block["cell_index"])
    return (block.line or 0) // LINES_OF_A_CELL - 1
