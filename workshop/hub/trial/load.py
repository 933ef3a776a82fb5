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
from typing import Any

from workshop.hub.trial.room import Room, machine, proportional, remember
from workshop.hub.trial.student import Student
from workshop.hub.trial.table import Visit, summary, table

CHAPTER = "course/numbers/quantized_tensors.ipynb"
WITHIN = 30.0  # seconds in which all log in
OPENS = "jupyterhub-user-"  # how the cookie begins that opens a server
SERVICES = {"hub": "jupyterhub -f", "proxy": "http-proxy", "kernels": "fork_server",
            "servers": "server_forks"}  # fmt: skip


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
        await tidy(student)
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


async def tidy(student: Student) -> None:
    """Put a file into the trash, and keep where the windows are, in one's own folders.

    A server that was forked could take those of its parent, and set cookies for all servers.

    Raises:
        RuntimeError: a cookie that opens the server is sent to others' servers, too.
    """
    scrap = student.base / "api/contents/course/scrap.txt"
    await student.want("PUT", scrap, json={"type": "file", "format": "text", "content": "scrap"})
    await student.want("DELETE", scrap)
    windows = student.base / "lab/api/workspaces/default"
    await student.want("PUT", windows, json={"data": {}, "metadata": {"id": "default"}})
    await student.want("GET", windows)
    paths = [one["path"] for one in student.session.cookie_jar if one.key.startswith(OPENS)]
    if paths != [f"/user/{student.login}/"]:
        raise RuntimeError(f"the cookie that opens the server is for {paths}")


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
        services = {name: proportional(pid) for name, word in SERVICES.items()
                    if (pid := room.service(word))}  # fmt: skip
        for one in people:
            await one.close()
    found = before | {"seconds": round(seconds)} | summary(visits, memory, work, services)
    print(table(found))
    for done in visits:
        if done.failed or not done.saved:
            print(f"  {done.login}: {done.failed or 'what was saved is not what was read back'}")
    if record:
        remember("load" if forked else "load, not forked", found)
    return int(bool(found["failed"]))


def main() -> None:
    """Run the trial for so many students."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("students", type=int, nargs="?", default=30)
    parser.add_argument("--not-forked", action="store_true", help="each imports for itself")
    parser.add_argument("--record", action="store_true", help="keep the table for the page")
    arguments = parser.parse_args()
    sys.exit(asyncio.run(trial(arguments.students, not arguments.not_forked, arguments.record)))


if __name__ == "__main__":
    main()
