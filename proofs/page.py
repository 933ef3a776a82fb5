"""A Sphinx extension: the table on the page of proofs, made from the record.

Where the page says ``<!-- table of proofs -->`` the table comes. The build stops when a public
function has no proof, or a recorded proof is not of this code and this torch.
"""

from __future__ import annotations

from itertools import groupby

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

import qlearn
from proofs.collection import all_proofs
from proofs.record import Row, load, what_is_missing

PAGE = "book/proofs"
MARK = "<!-- table of proofs -->"


def setup(app: Sphinx) -> dict[str, bool]:
    """Have the page filled in when Sphinx reads it."""
    app.connect("source-read", fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def fill_in(app: Sphinx, page: str, source: list[str]) -> None:
    """Put the table into the page of proofs.

    Raises:
        ExtensionError: something is not proven, and the message says what.
    """
    if page != PAGE:
        return
    rows = load()
    missing = what_is_missing(all_proofs(), rows, qlearn.__all__)
    if missing:
        todo = "\n  ".join(missing)
        raise ExtensionError(f"the page of proofs would not be true; run `make prove`:\n  {todo}")
    source[0] = source[0].replace(MARK, table(list(rows.values())))


def table(rows: list[Row]) -> str:
    """Return the rows as a Markdown table by function, and where each was run below it."""
    runs = {run: number for number, run in enumerate(sorted({row.run for row in rows}), start=1)}
    lines = [
        "| function | equals | cases | values | largest difference | run |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for of, group in groupby(sorted(rows, key=lambda row: (row.of, row.oracle)), lambda r: r.of):
        name = f"`{of}`"
        for row in group:
            lines.append(
                f"| {name} | {row.oracle} | {row.cases:,} | {row.values:,} | "
                f"{difference(row)} | {runs[row.run]} |"
            )
            name = ""
    where = [f"{number}. {run}" for run, number in runs.items()]
    return "\n".join([*lines, "", "The runs:", "", *where])


def difference(row: Row) -> str:
    """Return the largest difference; where it is not 0, also what is allowed, and why."""
    if row.differing == 0:
        return "0"
    return f"{row.largest:.1e}, of {row.tolerance:.0e} allowed: {row.why}"
