"""What a cell with a slide type shows bears it as a class; the rest of a page stays as it is."""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from docutils.utils import new_document

from site_builder.slide_types import mark, slide_types


def placed(block: nodes.Element, cell: int) -> nodes.Element:
    """Return a block with the line that MyST-NB gives the third one of a cell."""
    block.line = 10_000 * (cell + 1) + 3
    return block


def a_page() -> nodes.document:
    document = new_document("page")
    section = nodes.section("", nodes.title("", "Title"), placed(nodes.paragraph("", "One."), 1))
    code = nodes.container("", nb_element="cell_code", cell_index=2, cell_metadata={})
    document += [placed(nodes.paragraph("", "Zero."), 0), section]
    section += [code, nodes.section("", placed(nodes.bullet_list(), 1))]
    return document


def names_of(document: nodes.document, name: str) -> list[str]:
    """Return what has the class, in the order of the page."""
    return [e.tagname for e in document.findall(nodes.Element) if name in e["classes"]]


def test_each_block_of_the_cell_gets_the_class_of_its_type() -> None:
    document = a_page()
    mark(document, {1: "skip", 2: "notes"})
    assert names_of(document, "slide-type-skip") == ["paragraph", "bullet_list"]
    assert names_of(document, "slide-type-notes") == ["container"]


def test_a_page_without_types_stays_as_it_is() -> None:
    document, before = a_page(), a_page().pformat()
    mark(document, {})
    assert document.pformat() == before


def test_the_types_are_those_that_jupyterlab_writes(tmp_path: Path) -> None:
    kinds = ["slide", "-", "", None, "fragment"]
    cells = [
        {
            "cell_type": "markdown",
            "id": f"c{at}",
            "source": "",
            "metadata": {} if kind is None else {"slideshow": {"slide_type": kind}},
        }
        for at, kind in enumerate(kinds)
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert slide_types(path) == {0: "slide", 4: "fragment"}
