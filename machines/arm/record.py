"""What came of the runs on the emulated computer, for the page of proofs.

Each task has its own date and commit, since all together take an hour or more: a run of a part
replaces that part, and leaves what other runs found.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from machines.arm import processor
from machines.arm.computer import Computer
from machines.arm.inside import KINDS
from proofs.surroundings import commit, package_version

RECORD = Path(__file__).resolve().parent / "record.json"


def load() -> dict[str, Any]:
    """Return what was recorded, by kind; empty if nothing was."""
    return json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}


def with_run(
    record: dict[str, Any],
    kind: str,
    computer: Computer,
    results: Path,
    there: Iterable[str],
) -> dict[str, Any]:
    """Return the record with what a run of one kind found: when, on what, and task by task.

    Args:
        record: what is known.
        kind: of task.
        computer: that ran it.
        results: the folder in which the run left what it found.
        there: the names of all tasks of this kind, run or not; others are no longer.
    """
    found = json.loads((results / f"{kind}.json").read_text("utf-8"))
    when = {"date": datetime.date.today().isoformat(), "commit": commit()}
    tasks = record.get(kind, {}).get("tasks", {})
    tasks |= {name: {**when, **one} for name, one in found.items()}
    run = {
        "emulator": computer.emulator(),
        "processor": processor.NAME,
        "torch": package_version("torch"),
        "tasks": {name: tasks[name] for name in sorted(there) if name in tasks},
    }
    kept = {name: record[name] for name in KINDS if name in record}
    return kept | {kind: run}


def missing(tasks: dict[str, Any], there: Iterable[str]) -> list[str]:
    """Return the tasks that no run is recorded of."""
    return sorted(set(there) - tasks.keys())


def dates(tasks: dict[str, Any]) -> str:
    """Return the day, or the first and the last, on which the tasks were run."""
    days = sorted({one["date"] for one in tasks.values()})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def save(record: dict[str, Any]) -> None:
    """Write it, a line a field."""
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")


def totals(kind: str, tasks: dict[str, Any]) -> str:
    """Return what came of all tasks of a kind, in one line."""
    if kind == "unit":
        failed = sum(len(one.get("failed", ())) for one in tasks.values())
        return f"{_sum(tasks, 'passed')} passed, {_sum(tasks, 'skipped')} skipped, {failed} failed"
    if kind == "proofs":
        return (
            f"{_sum(tasks, 'values'):,} values in {_sum(tasks, 'cases'):,} cases, "
            f"{_sum(tasks, 'differing'):,} differ"
        )
    return (
        f"{_sum(tasks, 'same')} cells the same, {_length(tasks, 'marked')} marked, "
        f"{_length(tasks, 'red')} red"
    )


def exceptions(tasks: dict[str, Any]) -> list[str]:
    """Return a line for each thing that did not go as it does elsewhere."""
    lines = []
    for name, one in tasks.items():
        lines += [f"{name} ended early: {one['died']}"] if "died" in one else []
        lines += [f"{test}: {why}" for test, why in one.get("failed", {}).items()]
        if one.get("differing_cases"):
            lines.append(f"{name}: {one['differing_cases']} of {one['cases']} cases differ")
        lines += [f"{name}: {cell} is red" for cell in one.get("red", ())]
    return lines


def _sum(tasks: dict[str, Any], key: str) -> int:
    return sum(one.get(key, 0) for one in tasks.values())


def _length(tasks: dict[str, Any], key: str) -> int:
    return sum(len(one.get(key, ())) for one in tasks.values())
