"""What was measured of archives and of a room on a hub, for the page for instructors.

Where nothing is recorded yet, nothing stands there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from site_builder.markdown import escaped, table
from workshop.archive import measured
from workshop.hub.trial.table import CELL, MEMORY, READY

BUSY = 0.5  # from this load on, other work makes a trial slower
HUB = Path(__file__).parent.parent / "workshop" / "hub" / "trial" / "record.json"


def records(archives: Path = measured.RECORD, hub: Path = HUB) -> dict[str, str]:
    """Return what stands for each mark of the page."""
    found = json.loads(hub.read_text(encoding="utf-8")) if hub.is_file() else {}
    return {
        "archives": weights(json.loads(archives.read_text(encoding="utf-8")))
        if archives.is_file()
        else "",
        "room load": load(found),
        "room faults": faults(found["faults"]) if "faults" in found else "",
    }


def weights(found: dict[str, Any]) -> str:
    """Return the tables of the archives, where and when they were measured, and what of ARM."""
    return "\n\n".join([measured.tables(found), where(found), *measured.emulated(found)])


def load(found: dict[str, Any]) -> str:
    """Return what students met on a hub where kernels and servers are forked, and where not."""
    names = {"forked": "load", "each imports for itself": "load, not forked"}
    columns = {head: found[part] for head, part in names.items() if part in found}
    if not columns:
        return ""
    students = next(iter(columns.values()))["students"]
    heads = [f"{students} people at once, 95 of 100 of them", *columns, "wanted"]
    rows = [
        ("seconds to the first result", *each(columns, "ready_s", 1), f"{READY:g}"),
        ("seconds of a later cell", *each(columns, "cell_s", 1), f"{CELL:g}"),
        ("MiB of memory, the largest", *each(columns, "student_mib", -1), f"{MEMORY:g}"),
        ("people for whom something failed", *each(columns, "failed"), "0"),
    ]
    cells = table(heads, rows, align="l" + "r" * len(columns) + "r")
    return f"{cells}\n\n{where(next(iter(columns.values())))}"


def each(columns: dict[str, dict[str, Any]], name: str, place: int | None = None) -> list[str]:
    """Return a number of each column."""
    values = [column[name] for column in columns.values()]
    return [f"{value if place is None else value[place]:g}" for value in values]


def faults(found: dict[str, Any]) -> str:
    """Return what was broken and tried, and what is seen then."""
    broken = [
        (row["what"], f"{row['works_again_s']:.0f} s", escaped(row["seen"]))
        for row in found["breakages"]
    ]
    tried = [(row["what"], escaped(row["seen"])) for row in found["attempts"]]
    heads = ["what breaks", "works again after", "what the student sees"]
    first = table(heads, broken, align="lrl")
    second = table(["what a stranger tries", "what comes back"], tried, align="ll")
    return f"{first}\n\n{second}\n\n{where(found)}"


def where(found: dict[str, Any]) -> str:
    """Return on which machine something was measured, when, and beside which other work."""
    busy = found["load_before"][0] if "load_before" in found else found.get("load", 0.0)
    beside = f", which had other work at a load of {busy:g}" if busy >= BUSY else ""
    return f"Measured on {found['date']} on {found['machine']}{beside}."
