"""Programs that the book shows with what they printed, because they need more than the course."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).resolve().parent / "programs"
PATH = re.compile(r"(?<![\w.])(?:/[\w.+-]+)+/([\w.+-]+)")


def record_runs(head: dict[str, Any]) -> list[dict[str, Any]]:
    """Return each program with its source, what it printed, the machine and the date."""
    where = {name: head[name] for name in ("machine", "date", "versions")}
    runs = []
    for path in sorted(PROGRAMS.glob("*.py")):
        printed = printed_by(path)
        runs.append({"name": path.stem, "printed": printed, "source": path.read_text()} | where)
        print(f"--- {path.name}\n{printed}", flush=True)
    return runs


def printed_by(path: Path) -> str:
    """Return what a program prints in an empty folder, or how its error message ends."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(PROGRAMS.parents[1])}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", str(path)], cwd=folder, env=environment,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode == 0:
        return done.stdout.strip()
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    return (done.stdout + PATH.sub(r"…/\1", last)).strip()
