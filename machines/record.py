"""The table of the last full runs: which settings, where and when, and what came of them."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from machines.run import Run
from machines.settings import SETTINGS, Setting
from proofs.surroundings import commit, package_version, processor

RECORD = Path(__file__).resolve().parent / "record.json"


@dataclass
class Row:
    """One setting: its cells by verdict, and the names of the red ones."""

    name: str
    means: str
    same: int
    marked: int
    red: int
    which: list[str]
    where: str

    @classmethod
    def of(cls, setting: Setting, runs: list[Run]) -> Row:
        """Count the verdicts of all notebooks; one that did not end is red."""
        counts = Counter(verdict for run in runs for verdict in run.verdicts.values())
        which = [name for run in runs for name, v in run.verdicts.items() if v == "red"]
        broken = [
            run.notebook for run in runs if not run.passed and "red" not in run.verdicts.values()
        ]
        red = counts["red"] + len(broken)
        return cls(
            setting.name,
            setting.means,
            counts["same"],
            counts["marked"],
            red,
            which + broken,
            here(setting.torch or package_version("torch")),
        )

    def __str__(self) -> str:
        """Return the row for a terminal."""
        which = f": {', '.join(self.which)}" if self.which else ""
        return f"{self.name:15} {self.same:5} same {self.marked:4} marked {self.red:4} red{which}"


def here(torch: str) -> str:
    """Return what a reader needs to know of a run: the day, the code, torch and the processor."""
    today = datetime.date.today().isoformat()
    code = f"commit {commit()}, " if commit() else ""
    return f"{today}: {code}torch {torch}, {processor()}"


def load() -> list[dict[str, Any]]:
    """Return the rows that are recorded."""
    return json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else []


def save(row: Row) -> None:
    """Write a setting's row in its place, over the one before."""
    rows = {one["name"]: one for one in load()} | {row.name: asdict(row)}
    sorted_rows = [rows[setting.name] for setting in SETTINGS if setting.name in rows]
    RECORD.write_text(json.dumps(sorted_rows, indent=1, ensure_ascii=False) + "\n", "utf-8")
