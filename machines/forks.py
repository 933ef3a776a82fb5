"""Run tasks in forks of this process, so that what it has imported, torch above all, is there.

A task that dies, or takes too long, ends nothing but itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

Task = Callable[[], Any]
LONGEST = 900  # seconds that a notebook may take; the slowest takes one minute


@dataclass(frozen=True)
class Ended:
    """What came of a task: what it returned, or why it died; and what it printed."""

    answer: Any = None
    died: str = ""
    said: str = ""


def run_all(
    tasks: Mapping[str, Task], folder: Path, *, at_once: int, limit: float
) -> Iterator[tuple[str, Ended]]:
    """Yield the name of each task that came to its end, and what came of it.

    A task returns what can be made JSON. What it prints goes to a file in ``folder``, and it is
    ended after ``limit`` seconds.
    """
    folder.mkdir(parents=True, exist_ok=True)
    running: dict[int, tuple[str, Path]] = {}
    for number, (name, task) in enumerate(tasks.items(), 1):
        if len(running) == at_once:
            yield _next_to_end(running, limit)
        answer = folder / f"{number}.json"
        running[_start(task, answer, limit)] = (name, answer)
    while running:
        yield _next_to_end(running, limit)


def _start(task: Task, answer: Path, limit: float) -> int:
    """Fork, and return the number of the process that does the task."""
    answer.unlink(missing_ok=True)
    answer.with_suffix(".log").write_bytes(b"")
    sys.stdout.flush()
    sys.stderr.flush()
    process = os.fork()
    if process == 0:
        _do(task, answer, limit)
    return process


def _do(task: Task, answer: Path, limit: float) -> NoReturn:
    os.setsid()  # so that whatever it starts can be ended with it
    signal.setitimer(signal.ITIMER_REAL, limit)  # whose signal ends the process
    sys.stdout = sys.stderr = said = answer.with_suffix(".log").open("a", encoding="utf-8")
    os.dup2(said.fileno(), 1)
    os.dup2(said.fileno(), 2)
    try:
        answer.write_text(json.dumps({"answer": task()}), "utf-8")
    except BaseException as error:
        traceback.print_exc()
        answer.write_text(json.dumps({"died": f"{type(error).__name__}: {error}"}), "utf-8")
    finally:
        said.flush()
        os._exit(0)


def _next_to_end(running: dict[int, tuple[str, Path]], limit: float) -> tuple[str, Ended]:
    """Wait until a task has ended, end what is left of it, and return what came of it."""
    process, status = os.wait()
    while process not in running:
        process, status = os.wait()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    name, answer = running.pop(process)
    said = answer.with_suffix(".log").read_text("utf-8", errors="replace")
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGALRM:
        return name, Ended(died=f"not done after {limit:g} seconds", said=said)
    if code < 0:
        return name, Ended(died=signal.Signals(-code).name, said=said)
    if not answer.exists():
        return name, Ended(died=f"it left with status {code} and no answer", said=said)
    return name, Ended(**json.loads(answer.read_text("utf-8")), said=said)
