"""Run tasks in forks of this process, which has imported torch already: that takes it long.

A task that dies, or takes too long, ends nothing but itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

Task = Callable[[], Any]


def run_all(
    tasks: dict[str, Task], folder: Path, *, at_once: int, limit: float
) -> Iterator[tuple[str, Any]]:
    """Yield the name of each task that came to its end, and what it returned, made of JSON.

    Of one that died it is ``{"died": why}``. What a task prints goes to a file in ``folder``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    waiting = list(tasks.items())
    running: dict[int, tuple[str, Path, float]] = {}
    while waiting or running:
        while waiting and len(running) < at_once:
            name, task = waiting.pop(0)
            answer = folder / f"{len(tasks) - len(waiting)}.json"
            answer.unlink(missing_ok=True)
            running[_start(task, answer)] = (name, answer, time.monotonic() + limit)
        for process, (_, _, end) in running.items():
            if time.monotonic() > end:
                _end(process)
        ended, status = os.waitpid(-1, os.WNOHANG)
        if ended not in running:
            time.sleep(0.2)
            continue
        name, answer, end = running.pop(ended)
        _end(ended)
        late = time.monotonic() > end
        yield name, _answer(answer, status, limit if late else None)


def _start(task: Task, answer: Path) -> int:
    """Fork, and return the number of the process that does the task."""
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        _do(task, answer)
    return process


def _do(task: Task, answer: Path) -> NoReturn:
    os.setsid()  # so that whatever it starts can be ended with it
    said = os.open(answer.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(said, 1)
    os.dup2(said, 2)
    status = 1
    try:
        answer.write_text(json.dumps(task()), "utf-8")
        status = 0
    except BaseException as error:
        traceback.print_exc()
        answer.write_text(json.dumps({"died": f"{type(error).__name__}: {error}"}), "utf-8")
    finally:
        sys.stdout.flush()
        os._exit(status)


def _end(process: int) -> None:
    """End what is left of a task: itself, and the processes that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


def _answer(answer: Path, status: int, limit: float | None) -> Any:
    if limit is not None:
        return {"died": f"not done after {limit:g} seconds"}
    if os.WIFSIGNALED(status):
        return {"died": signal.Signals(os.WTERMSIG(status)).name}
    return json.loads(answer.read_text("utf-8"))
