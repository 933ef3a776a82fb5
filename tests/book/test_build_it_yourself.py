"""The thread of `tinyquant.py`: eight chapters lead to their steps."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat

BOOK = Path(__file__).resolve().parents[2] / "book"
LABEL = re.compile(r"\((tinyquant-[a-z-]+)\)=\n## Step (\d)")
LINK = re.compile(r"\[step (\d) of Build it yourself\]\(#(tinyquant-[a-z-]+)\)")


def notebook(page: str) -> Path:
    """Return the file of a page."""
    return BOOK / f"{page}.ipynb"


def prose(page: str) -> str:
    """Return the Markdown of a page."""
    cells = nbformat.read(notebook(page), as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def test_eight_chapters_lead_to_their_step() -> None:
    steps = dict(LABEL.findall(prose("reference/build_it_yourself")))
    assert sorted(steps.values()) == list("12345678")
    contents = (BOOK.parent / "_toc.yml").read_text("utf-8")
    pages = [page for page in re.findall(r"book/([\w/]+)", contents) if notebook(page).exists()]
    found = [link for page in pages for link in LINK.findall(prose(page))]
    assert sorted((number, steps[name]) for number, name in found) == [(n, n) for n in "12345678"]
