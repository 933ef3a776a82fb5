"""A room of students at a real hub: how long they wait, and what each needs of the memory.

They log in within 30 s of each other, as a room does when the sheet has been handed out. Each opens
a chapter, runs all of it, changes a cell, runs it, saves, and reads back what was saved. The
students are programs on the same machine, and take some of its time as well.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from workshop.hub.trial.room import Room, machine, proportional, remember
from workshop.hub.trial.student import Student

CHAPTER = "course/numbers/quantized_tensors.ipynb"
WITHIN = 30.0  # seconds in which all log in
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


async def visit(student: Student, after: float, done: Visit) -> None:
    """Be a student: wait one's turn, then log in and work; what goes wrong is written down."""
    await asyncio.sleep(after)
    start = time.perf_counter()
    try:
        notebook = await student.arrive(CHAPTER)
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        first, *others = cells
        await check(student, first["source"])
        done.ready = time.perf_counter() - start
        for cell in others:
            done.cells.append(await check(student, cell["source"]))
        await change_and_save(student, notebook, first, done)
    except Exception as error:
        done.failed = f"{type(error).__name__}: {error}"[:200]


async def check(student: Student, code: str) -> float:
    """Run a cell and return its seconds; a cell that fails is a failure."""
    seconds, said = await student.timed(code)
    if "Error: " in said:
        raise RuntimeError(f"a cell said {said[-150:]}")
    return seconds


async def change_and_save(
    student: Student, notebook: dict[str, Any], cell: dict[str, Any], done: Visit
) -> None:
    """Change a cell, run it, save the notebook, and read it back."""
    cell["source"] += f"\nprint('changed by {student.login}')"
    seconds, said = await student.timed(cell["source"])
    done.cells.append(seconds)
    await student.save(CHAPTER, notebook)
    again = (await student.read(CHAPTER))["content"]["cells"]
    done.saved = any(one["source"] == cell["source"] for one in again) and student.login in said


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
        "forked_kernels": "kernels" in services,
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


async def trial(students: int, forked: bool, record: bool) -> int:
    """Run the trial; return 0 if nobody failed."""
    before = machine()
    with Room(students, forked) as room:
        people = [room.student(number) for number in range(students)]
        turns = random.Random(0)
        visits = [Visit(one.login) for one in people]
        pairs = zip(people, visits, strict=True)
        start = time.perf_counter()
        await asyncio.gather(*(visit(one, turns.uniform(0, WITHIN), done) for one, done in pairs))
        seconds = time.perf_counter() - start
        memory = [room.memory(number) for number in range(students)]
        work = [room.work(number) for number in range(students)]
        words = {"hub": "jupyterhub -f", "proxy": "http-proxy", "kernels": "fork_server"}
        services = {name: proportional(pid) for name, word in words.items()
                    if (pid := room.service(word))}  # fmt: skip
        for one in people:
            await one.close()
    found = before | {"seconds": round(seconds)} | summary(visits, memory, work, services)
    print(table(found))
    for done in visits:
        if done.failed or not done.saved:
            print(f"  {done.login}: {done.failed or 'what was saved is not what was read back'}")
    if record:
        remember("load" if forked else "load, kernels not forked", found)
    return int(bool(found["failed"]))


def main() -> None:
    """Run the trial for so many students."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("students", type=int, nargs="?", default=30)
    parser.add_argument("--not-forked", action="store_true", help="each kernel imports torch")
    parser.add_argument("--record", action="store_true", help="keep the table for the page")
    arguments = parser.parse_args()
    sys.exit(asyncio.run(trial(arguments.students, not arguments.not_forked, arguments.record)))


if __name__ == "__main__":
    main()
