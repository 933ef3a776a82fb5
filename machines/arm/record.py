"""What came of the run on the emulated computer, for the page of proofs."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

from machines.arm import processor
from machines.arm.computer import Computer
from machines.arm.inside import KINDS
from proofs.surroundings import commit, package_version

RECORD = Path(__file__).resolve().parent / "record.json"


def gather(computer: Computer, results: Path) -> dict[str, Any]:
    """Return the record: when, on what, and for each kind of task what came of each."""
    found = {kind: json.loads((results / f"{kind}.json").read_text("utf-8")) for kind in KINDS}
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "emulator": computer.emulator(),
        "processor": processor.NAME,
        "torch": package_version("torch"),
        **{kind: dict(sorted(tasks.items())) for kind, tasks in found.items()},
    }


def save(record: dict[str, Any]) -> None:
    """Write it, a line a field."""
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")


def summary(record: dict[str, Any]) -> list[str]:
    """Return a line for each kind of task, and one for each that did not go as elsewhere."""
    unit, proofs, notebooks = (record[kind] for kind in ("unit", "proofs", "notebooks"))
    lines = [
        f"unit tests: {_sum(unit, 'passed')} passed, {_sum(unit, 'skipped')} skipped, "
        f"{sum(len(one.get('failed', ())) for one in unit.values())} failed",
        f"proofs: {_sum(proofs, 'values'):,} values in {_sum(proofs, 'cases'):,} cases, "
        f"{_sum(proofs, 'differing')} differ",
        f"notebooks: {_sum(notebooks, 'same')} cells the same, "
        f"{_length(notebooks, 'marked')} marked, {_length(notebooks, 'red')} red",
    ]
    for kind in KINDS:
        for name, one in record[kind].items():
            lines += [f"  {name} died: {one['died']}"] if "died" in one else []
            lines += [f"  {test}: {why}" for test, why in one.get("failed", {}).items()]
            if one.get("differing_cases"):
                lines.append(f"  {name}: {one['differing_cases']} of {one['cases']} cases differ")
            lines += [f"  {name}: {cell} is red" for cell in one.get("red", ())]
    return lines


def _sum(tasks: dict[str, Any], key: str) -> int:
    return sum(one.get(key, 0) for one in tasks.values())


def _length(tasks: dict[str, Any], key: str) -> int:
    return sum(len(one.get(key, ())) for one in tasks.values())
