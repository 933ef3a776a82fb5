"""What was measured of the archives, and as tables for the page for instructors."""

from __future__ import annotations

import json
from pathlib import Path

from site_builder.markdown import table
from workshop.lan.shared import in_words

RECORD = Path(__file__).with_name("measured.json")


def record() -> dict:
    """Return what ``make workshop-trial RECORD=1`` kept."""
    return dict(json.loads(RECORD.read_text()))


def tables(found: dict) -> str:
    """Return both tables in Markdown: what the archives weigh, and how long a start takes."""
    return f"{sizes(found['sizes'])}\n\n{minutes(found)}"


def sizes(rows: list[dict]) -> str:
    """Return what each archive weighs."""
    pythons = " and ".join(rows[0]["pythons"])
    heads = [f"for Python {pythons}", "wheels", "weight", "of it for graphics cards"]
    lines = []
    for row in rows:
        laptop = row["for"] + (f", {row['needs']}" if row["needs"] else "")
        graphics = in_words(row["graphics"]) if row["graphics"] else "–"
        lines.append((laptop, row["wheels"], in_words(row["bytes"]), graphics))
    return table(heads, lines, align="lrrr")


def minutes(found: dict) -> str:
    """Return how long the steps of a start took."""
    tried = found["tried"]
    first, pip, cells = tried["first_start"], tried["with_pip"], tried["cells"]
    rows = [
        ("unpack the archive", tried["unpacking"]),
        ("compare its files with their checksums", first["check"]),
        ("install with uv", first["install"] - first["check"]),
        ("the doctor looks at the laptop", first["doctor"] - first["install"]),
        ("open JupyterLab", first["lab"] - first["doctor"]),
        ("start a kernel and run the first cell", cells["first_cell"]),
        ("**from unpacking to the first executed cell**", from_nothing(found)),
        (f"the other {cells['cells'] - 1} cells of the chapter",
         cells["all_cells"] - cells["first_cell"]),
        ("a later start", tried["second_start"]),
        ("install with pip, where uv cannot", pip["install"] - pip["check"]),
    ]  # fmt: skip
    what = (
        f"Python {tried['python']}, torch {tried['torch']}: {in_words(tried['archive'])}, "
        f"installed {in_words(tried['installed'])}"
    )
    whole = [(step, f"{seconds:.0f}") for step, seconds in rows]
    return table([what, "seconds"], whole, align="lr")


def from_nothing(found: dict) -> float:
    """Return the seconds from the archive to the first executed cell."""
    tried = found["tried"]
    return float(tried["unpacking"] + tried["first_start"]["lab"] + tried["cells"]["first_cell"])


def emulated(found: dict) -> list[str]:
    """Return what came of the archive for ARM on an emulated computer, if that was tried."""
    if "emulated" not in found:
        return []
    tried = found["emulated"]
    cells, seconds = tried["cells"], tried["first_start"]
    doctor = "found nothing that will fail" if tried["doctor"] else "found something that will fail"
    installing = (seconds["install"] - seconds["check"]) / 60
    return [
        f"The archive for Linux on ARM was started on {tried['date']} on an emulated ARM computer "
        f"({tried['emulator'].partition(' (')[0]}), with Python {tried['python']} and the network "
        f"off. pip installed it in {installing:.0f} minutes, the doctor {doctor}, and the "
        f"{cells['cells']} cells of the first chapter ran to their end. A real computer is many "
        "times faster. uv could not be tried there, because this machine starts no program for "
        "that processor but Python."
    ]
