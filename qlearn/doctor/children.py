"""Run something in a process of its own, which may die: what it said, and how it ended."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS = 120.0


def run_child(script: str, *arguments: str, seconds: float = SECONDS) -> tuple[dict, str | None]:
    """Return what a script of this folder found, and why it ended early (None if it did not).

    The script prints one JSON object a line, as it finds things out, so that what it found
    before it died is not lost. It sees the same ``sys.path`` as this process.
    """
    command = [sys.executable, str(HERE / script), json.dumps(sys.path), *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return {}, f"it did not end within {seconds:g} s"
    except OSError as error:
        return {}, str(error)
    return _read(done.stdout), how_it_ended(done.returncode, done.stderr)


def how_it_ended(code: int, stderr: str) -> str | None:
    """Return None for success, else the signal that killed it, else the last line of stderr."""
    if code == 0:
        return None
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = str(-code)
        return f"the process was killed by signal {name}"
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return lines[-1] if lines else f"the process ended with code {code}"


def _read(stdout: str) -> dict:
    found: dict = {}
    for line in stdout.splitlines():
        if line.startswith("{"):  # a library may print something of its own
            try:
                found.update(json.loads(line))
            except ValueError:
                continue
    return found
