"""What the page of proofs says of other machines, made from the records.

That is the last run in every setting, the last runs on the emulated ARM computer, and each mark's
reason with the chapters that carry it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from sphinx.application import Sphinx

from machines.arm import record as arm
from machines.marks import MARKS, mark_of
from machines.record import load
from machines.workplace import ROOT
from notebook_pipeline.cells import code_cells, tags
from notebook_pipeline.find_notebooks import find_notebooks
from site_builder.markdown import table

BOOK = ROOT / "book"
KINDS = {
    "unit": "The tests of `qlearn`",
    "proofs": "The first cases of the proofs",
    "notebooks": "The notebooks",
}


def parts(_: Sphinx | None = None) -> dict[str, str]:
    """Return the table of settings, the runs on ARM and the marked cells, by their marks."""
    return {
        "table of machines": in_settings(load()),
        "table of arm": on_arm(arm.load(), BOOK),
        "marked cells": marked(BOOK),
    }


def in_settings(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table, and below it where and when they were run."""
    if not rows:
        return "No run is recorded: `make elsewhere` makes the table."
    heads = ("as on", "cells equal", "marked", "not equal")
    lines = [
        (f"**{row['name']}**: {row['means']}", row["same"], row["marked"], unequal(row))
        for row in rows
    ]
    where = [f"- {place}" for place in dict.fromkeys(row["where"] for row in rows)]
    cells = table(heads, lines, align="lrrr", look="proofs")
    return "\n".join([cells, "", "The runs:", "", *where])


def unequal(row: dict[str, Any]) -> str:
    """Return the number of red cells, and which they are."""
    return str(row["red"]) + (f" ({', '.join(row['which'])})" if row["which"] else "")


def on_arm(record: dict[str, Any], book: Path) -> str:
    """Return a list of the runs on the emulated computer, and what went otherwise there."""
    lines = []
    for kind, name in KINDS.items():
        if kind not in record:
            lines.append(f"- {name}: no run is recorded; `make arm` makes one.")
            continue
        run = record[kind]
        where = f"{run['emulator']}, {run['processor']}, torch {run['torch']}"
        when = arm.dates(run["tasks"])
        since = not_run(run["tasks"], book) if kind == "notebooks" else ""
        lines.append(f"- {name}: {arm.totals(kind, run['tasks'])} ({when}, {where}).{since}")
        lines += [f"  - `{line}`" for line in arm.exceptions(run["tasks"])]
    return "\n".join(lines)


def not_run(tasks: dict[str, Any], book: Path) -> str:
    """Return a sentence on the cells that the book has got since its notebooks were run."""
    run = sum(one.get("same", 0) + len(one.get("marked", ())) for one in tasks.values())
    run += sum(len(one.get("red", ())) for one in tasks.values())
    today = sum(len(code_cells(nbformat.read(path, 4))) for path in find_notebooks([book]))
    return f" The book has {today} now: the others are newer." if today > run else ""


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
    for path in find_notebooks([book]):
        cells = nbformat.read(path, as_version=4).cells
        count = sum(mark_of(tags(cell)) == mark for cell in cells)
        if count:
            page = path.relative_to(book).with_suffix("").as_posix()
            links.append(f"[]({page}) ({count} {'cell' if count == 1 else 'cells'})")
    return links
