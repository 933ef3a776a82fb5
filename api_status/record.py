"""The record: what was found, with which versions and when."""

from __future__ import annotations

import datetime
import json
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

RECORD = Path(__file__).parent / "record.json"


def installed(package: str) -> str:
    """Return a version without the local suffix, which names a build; "none" if there is none."""
    try:
        return version(package).partition("+")[0]
    except PackageNotFoundError:
        return "none"


def load() -> list[dict[str, Any]]:
    """Return the runs, those of older torch versions first."""
    if not RECORD.exists():
        return []
    return in_order(json.loads(RECORD.read_text(encoding="utf-8")))


def in_order(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the runs by their versions of torch, 2.9 before 2.10."""
    return sorted(runs, key=lambda run: [int(part) for part in run["torch"].split(".")])


def keep(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Write the rows into the record in place of those of the same torch; return the run.

    The page has one column for each torch, whose head names no torchao.
    """
    run = {
        "torch": installed("torch"),
        "torchao": installed("torchao"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "date": datetime.date.today().isoformat(),
        "rows": rows,
    }
    runs = [old for old in load() if old["torch"] != run["torch"]] + [run]
    text = json.dumps(in_order(runs), indent=1, ensure_ascii=False)
    RECORD.write_text(text + "\n", encoding="utf-8")
    return run
