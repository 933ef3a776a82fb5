"""Probes: Python in a process of its own, in which torch may use fewer instructions.

To start one and import torch takes a second and a half. So one process does that, and each probe is
a fork of it: torch's libraries read their variables when they first compute.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

from machines.forks import Ended, run_all

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 300  # seconds
Probe = Callable[..., str]


@contextlib.contextmanager
def probes() -> Iterator[Probe]:
    """Start the process, and yield a function that runs a program and returns what it prints."""
    command = [sys.executable, "-m", "tests.probes"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:

        def probe(program: str, **variables: str) -> str:
            assert process.stdin and process.stdout
            print(json.dumps([program, variables]), file=process.stdin, flush=True)
            ended = Ended(**json.loads(process.stdout.readline()))
            assert not ended.died, f"{ended.said}{ended.died}"
            return ended.answer

        yield probe


def run(program: str, variables: dict[str, str]) -> str:
    """Run a program with these variables, and return what it prints."""
    os.environ.update(variables)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(program, "<probe>", "exec"), {"__name__": "__main__"})
    return printed.getvalue()


def main() -> None:
    """Answer each line that asks with one that tells."""
    import torch  # noqa: F401  # once, for all forks

    for line in sys.stdin:
        with tempfile.TemporaryDirectory() as folder:
            task = {"probe": partial(run, *json.loads(line))}
            ((_, ended),) = run_all(task, Path(folder), at_once=1, limit=LONGEST)
        print(json.dumps(asdict(ended)), flush=True)


if __name__ == "__main__":
    main()
