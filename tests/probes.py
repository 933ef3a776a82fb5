"""Probes: Python in a process of its own, in which torch may use fewer instructions.

To start one and import torch takes a second and a half, and torchao two more. So one process does
that, and each probe is a fork of it. torch's libraries read their variables when they first
compute.
"""

from __future__ import annotations

import contextlib
import importlib
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
Fork = Callable[..., Ended]


@contextlib.contextmanager
def forks(*modules: str) -> Iterator[Fork]:
    """Start a process that imports the modules, and yield a function that runs a program in a fork.

    It returns what the program printed, in ``said``, and why it died, after ``limit`` seconds at
    the latest.
    """
    command = [sys.executable, "-m", "tests.probes", *modules]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:

        def fork(program: str, limit: float = LONGEST, **variables: str) -> Ended:
            assert process.stdin and process.stdout
            print(json.dumps([limit, program, variables]), file=process.stdin, flush=True)
            return Ended(**json.loads(process.stdout.readline()))

        yield fork


def said(ended: Ended) -> str:
    """Return what a program printed that came to its end."""
    assert not ended.died, f"{ended.said}{ended.died}"
    return ended.said


def run(program: str, variables: dict[str, str]) -> None:
    """Run a program with these variables."""
    os.environ.update(variables)
    exec(compile(program, "<probe>", "exec"), {"__name__": "__main__"})


def main() -> None:
    """Answer each line that asks with one that tells."""
    for module in sys.argv[1:]:
        importlib.import_module(module)
    for line in sys.stdin:
        limit, *asked = json.loads(line)
        with tempfile.TemporaryDirectory() as folder:
            task = {"probe": partial(run, *asked)}
            ((_, ended),) = run_all(task, Path(folder), at_once=1, limit=limit)
        print(json.dumps(asdict(ended)), flush=True)


if __name__ == "__main__":
    main()
