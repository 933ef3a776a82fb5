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
        "```{table}",
        ":class: proofs",
        "| function, and what it equals | cases | values | largest difference | run |",
        "|---|--:|--:|--:|--:|",
    ]
    for of, group in groupby(sorted(rows, key=lambda row: (row.of, row.oracle)), lambda r: r.of):
        lines.append(f"| **`{of}`** | | | | |")
        lines += [
            f"| {equals(row)} | {row.cases:,} | {row.values:,} | {difference(row)} | "
            f"{runs[row.run]} |"
            for row in group
        ]
    where = [f"{number}. {run}" for run, number in runs.items()]
    return "\n".join([*lines, "```", "", "The runs:", "", *where])


def equals(row: Row) -> str:
    """Return the oracle, and what difference from it is allowed."""
    oracle = row.oracle.replace("_", r"\_")  # else Markdown reads some names as emphasis
    return oracle + (f"; {row.tolerance:.0e} is allowed, for {row.why}" if row.tolerance else "")


def difference(row: Row) -> str:
    """Return the largest difference; 0 means that every bit was equal."""
    return "0" if row.differing == 0 else f"{row.largest:.1e}"
