"""The table of the load: its percentiles, and that a failure shows."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from workshop.hub.trial import table
from workshop.hub.trial.table import CELL, MEMORY, READY, Visit, percentile, summary


def test_percentiles_are_numbers_that_were_measured() -> None:
    numbers = [float(number) for number in range(1, 31)]
    assert [percentile(numbers, share) for share in (0.5, 0.95, 1.0)] == [15.0, 29.0, 30.0]
    assert percentile([], 0.95) == 0.0


def test_a_student_who_failed_or_whose_edit_is_gone_is_counted() -> None:
    visits = [
        Visit("a", ready=2.0, cells=[0.1, 0.2], saved=True),
        Visit("b", failed="RefusedError: 500"),
        Visit("c", ready=4.0, cells=[0.3], saved=False),
    ]
    found = summary(visits, [100.0, 0.0, 120.0], [1.0, 0.0, 2.0], {"hub": 90.4})
    assert (found["students"], found["failed"], found["cells"]) == (3, 2, 3)
    assert found["ready_s"] == [2.0, 4.0, 4.0]
    machine = {"machine": "x", "cores": 2, "load_before": [0.1]}
    assert "3 students, 2 failed; besides: hub 90 MiB" in table.table(machine | found)


RECORD = Path(table.__file__).parent / "record.json"


def test_the_recorded_trials_went_well() -> None:
    record = json.loads(RECORD.read_text())
    load = record["load"]
    assert load["students"] == 30 and load["failed"] == 0
    assert load["ready_s"][1] <= READY and load["cell_s"][1] < CELL
    assert load["student_mib"][-1] <= MEMORY
    rows = [*record["faults"]["breakages"], *record["faults"]["attempts"]]
    broken = entries("breakages", "BREAKAGES") + entries("breakages", "WHEN_ALL_HAVE_GONE")
    tried = broken + entries("strangers", "ATTEMPTS")
    assert len(rows) == tried and [row for row in rows if row["wrong"] or not row["seen"]] == []


def entries(module: str, name: str) -> int:
    """Count the entries of a tuple by its source: to import it takes what only the hub has."""
    tree = ast.parse(RECORD.with_name(f"{module}.py").read_text())
    [found] = [node for node in tree.body if isinstance(node, ast.AnnAssign) and named(node, name)]
    assert isinstance(found.value, ast.Tuple)
    return len(found.value.elts)


def named(node: ast.AnnAssign, name: str) -> bool:
    return isinstance(node.target, ast.Name) and node.target.id == name
