"""A Sphinx extension: the table of machines on the page of proofs, made from the record.

Where the page says ``<!-- table of machines -->`` comes the last run in every setting, and
where it says ``<!-- marked cells -->`` each mark's reason with the cells that carry it.
"""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
from sphinx.application import Sphinx

from machines.marks import MARKS, mark_of
from machines.record import RECORD

PAGE = "book/proofs"
TABLE = "<!-- table of machines -->"
MARKED = "<!-- marked cells -->"
BOOK = Path(__file__).resolve().parent.parent / "book"


def setup(app: Sphinx) -> dict[str, bool]:
    """Have the page filled in when Sphinx reads it."""
    app.connect("source-read", fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def fill_in(app: Sphinx, page: str, source: list[str]) -> None:
    """Put the table and the list of marked cells into the page of proofs."""
    if page == PAGE:
        record = json.loads(RECORD.read_text("utf-8"))
        source[0] = source[0].replace(TABLE, table(record)).replace(MARKED, marked(BOOK))


def table(record: dict) -> str:
    """Return the record as a Markdown table, a row a setting, and where it was run."""
    lines = [
        "```{table}",
        ":class: proofs",
        "| as on | cells equal | marked | not equal |",
        "|---|--:|--:|--:|",
    ]
    lines += [
        f"| **{row['name']}**: {row['means']} | {row['same']} | {row['marked']} | {unequal(row)} |"
        for row in record["rows"]
    ]
    where = f"Run on {record['date']} with torch {record['torch']} on {record['machine']}."
    return "\n".join([*lines, "```", "", where])


def unequal(row: dict) -> str:
    """Return the number of red cells, and which they are."""
    return str(row["red"]) + (f" ({', '.join(row['which'])})" if row["which"] else "")


def marked(book: Path) -> str:
    """Return a list of the marks: each reason, and the chapters with such cells."""
    found = {name: chapters_with(name, book) for name in MARKS}
    return "\n".join(
        f"- {MARKS[name].reason}: {', '.join(chapters)}."
        for name, chapters in found.items()
        if chapters
    )


def chapters_with(mark: str, book: Path) -> list[str]:
    """Return a link to each chapter with cells of that mark, and how many they are."""
    links = []
    for path in sorted(p for p in book.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts):
        cells = nbformat.read(path, as_version=4).cells
        count = sum(mark_of(cell.metadata.get("tags", [])) == mark for cell in cells)
        if count:
            page = path.relative_to(book).with_suffix("").as_posix()
            links.append(f"[]({page}) ({count} {'cell' if count == 1 else 'cells'})")
    return links
