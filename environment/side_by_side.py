"""Run the parts of a check side by side, show what each said, and how many seconds it took.

python -m environment.side_by_side [COUNT] PART ... -- COMMAND ...

runs COMMAND with each PART behind it, COUNT at once (2), in this order. A part's output comes when
it has ended, so that no two are mixed.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TextIO

AT_ONCE = 2


@dataclass(frozen=True)
class Part:
    """A command under a name, and the parts that must have passed before it starts."""

    name: str
    command: list[str]
    after: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)
    hint: str = ""  # what to run where it fails
    quiet: bool = False  # where it passes, what it said is not shown


@dataclass(frozen=True)
class Ended:
    """What came of a part: its exit status, its seconds, those of its processors, its output."""

    name: str
    status: int
    seconds: float = 0.0
    processor: float = 0.0
    output: str = ""

    def line(self) -> str:
        """Return its line in the table."""
        if self.status == SKIPPED:
            return f"  {self.name:<44} not run: what it needs failed"
        mark = "" if self.status == 0 else "   FAILED"
        return f"  {self.name:<44} {self.seconds:6.0f} s {self.processor:6.0f} s{mark}"


SKIPPED = -1000


def take_longer_turns() -> None:
    """Ask Linux to let this process, and all that it starts, compute longer before another may.

    More processes than processors take turns, and each turn finds the cache full of another's
    numbers: without this, the same work takes three to four percent more.
    """
    if hasattr(os, "SCHED_BATCH"):
        with contextlib.suppress(OSError):  # where a container forbids it
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def run_part(part: Part) -> Ended:
    """Run one part to its end."""
    start = time.monotonic()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        process = subprocess.Popen(
            part.command, stdout=said, stderr=subprocess.STDOUT, env=os.environ | part.variables
        )
        # wait4 also tells what the process and its children used of the processors.
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return Ended(
            part.name,
            process.returncode,
            time.monotonic() - start,
            used.ru_utime + used.ru_stime,
            said.read(),
        )


def run_parts(
    parts: list[Part], at_once: int = AT_ONCE, run: Callable[[Part], Ended] = run_part
) -> list[Ended]:
    """Run the parts, ``at_once`` at a time, in order; print what each said when it has ended."""
    with ThreadPoolExecutor(at_once) as pool:
        futures: dict[str, Future[Ended]] = {}

        def one(part: Part) -> Ended:
            # Parts start in order, so what this one waits for has a worker already.
            if any(futures[name].result().status for name in part.after):
                return Ended(part.name, SKIPPED)
            ended = run(part)
            hint = f"{part.hint}\n" if part.hint and ended.status else ""
            said = ended.output if ended.status or not part.quiet else "passed\n"
            print(f"\n=== {ended.name} ===\n{said}{hint}", end="", flush=True)
            return ended

        for part in parts:
            assert all(name in futures for name in part.after), f"{part.name} comes too early"
            futures[part.name] = pool.submit(one, part)
        return [future.result() for future in futures.values()]


def report(ended: Iterable[Ended], seconds: float, out: TextIO = sys.stdout) -> int:
    """Print the seconds of each part, and return the exit status for all."""
    rows = list(ended)
    print(f"\n{'Part':<46} {'time':>8} {'work':>8}", file=out)
    for row in rows:
        print(row.line(), file=out)
    total = sum(row.processor for row in rows)
    print(f"  {'all, side by side':<44} {seconds:6.0f} s {total:6.0f} s", file=out)
    return int(any(row.status for row in rows))


def main(arguments: list[str]) -> int:
    """Run a command for each part."""
    split = arguments.index("--")
    names, command = arguments[:split], arguments[split + 1 :]
    count = int(names.pop(0)) if names[0].isdigit() else AT_ONCE
    start = time.monotonic()
    ended = run_parts([Part(name, [*command, name]) for name in names], count)
    return report(ended, time.monotonic() - start)


if __name__ == "__main__":
    take_longer_turns()
    sys.exit(main(sys.argv[1:]))
