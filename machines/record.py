"""The table of the last full run: which settings, on which machine, and what came of them."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from machines.run import Run
from machines.settings import Setting
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
            setting.name, setting.means, counts["same"], counts["marked"], red, which + broken
        )

    def __str__(self) -> str:
        """Return the row for a terminal."""
        which = f": {', '.join(self.which)}" if self.which else ""
        return f"{self.name:15} {self.same:5} same {self.marked:4} marked {self.red:4} red{which}"


def save(rows: list[Row]) -> None:
    """Write the record: when, where, and a line a setting."""
    record = {
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "machine": processor(),
        "torch": package_version("torch"),
        "rows": [asdict(row) for row in rows],
    }
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
