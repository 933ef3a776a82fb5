"""What a room of students met, in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

READY, CELL, MEMORY = 40.0, 0.3, 300.0  # what is asked of 95 of 100: s, s, MiB


@dataclass
class Visit:
    """What one student met."""

    login: str
    ready: float = 0.0
    cells: list[float] = field(default_factory=list)
    failed: str = ""
    saved: bool = False


def percentile(numbers: list[float], share: float) -> float:
    """Return the number that ``share`` of them do not exceed.

    >>> percentile([4.0, 1.0, 3.0, 2.0], 0.5), percentile([1.0], 0.95)
    (2.0, 1.0)
    """
    ordered = sorted(numbers)
    return ordered[max(0, -(-len(ordered) * round(share * 100) // 100) - 1)] if ordered else 0.0


def summary(
    visits: list[Visit], memory: list[float], work: list[float], services: dict[str, float]
) -> dict[str, Any]:
    """Return the row of the record."""
    ready = [one.ready for one in visits if one.ready]
    cells = [seconds for one in visits for seconds in one.cells]
    return {
        "students": len(visits),
        "failed": sum(bool(one.failed) or not one.saved for one in visits),
        "ready_s": [round(percentile(ready, share), 1) for share in (0.5, 0.95, 1.0)],
        "cells": len(cells),
        "cell_s": [round(percentile(cells, share), 3) for share in (0.5, 0.95, 1.0)],
        "student_mib": [round(percentile(memory, share)) for share in (0.5, 1.0)],
        "student_processor_s": [round(percentile(work, share), 1) for share in (0.5, 1.0)],
        "services_mib": {name: round(size) for name, size in services.items()},
        "forked": "kernels" in services,
    }


def table(found: dict[str, Any]) -> str:
    """Return what is printed."""
    ready, cell, memory = found["ready_s"], found["cell_s"], found["student_mib"]
    work = found["student_processor_s"]
    rows = [
        ("", "50 of 100", "95 of 100", "all", "asked of 95"),
        ("ready: first cell has run, s", *map(str, ready), str(READY)),
        (f"a later cell ({found['cells']}), s", *map(str, cell), str(CELL)),
        ("memory of a student, MiB", str(memory[0]), "", str(memory[1]), str(MEMORY)),
        ("processor for a student, s", str(work[0]), "", str(work[1]), ""),
    ]
    lines = [f"{a:<32}{b:>12}{c:>12}{d:>10}{e:>14}" for a, b, c, d, e in rows]
    services = ", ".join(f"{name} {size} MiB" for name, size in found["services_mib"].items())
    lines.append(f"{found['students']} students, {found['failed']} failed; besides: {services}")
    lines.append(f"{found['machine']}, {found['cores']} cores, load before {found['load_before']}")
    return "\n".join(lines)
