"""Of two commands under one lock the second waits, and the first's exit status comes back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from environment.alone import run_alone

NOTE = "import time; f = open('log', 'a'); f.write('{0}'); f.flush(); time.sleep({1}); f.write('.')"


def test_the_exit_status_comes_back(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.touch()
    assert run_alone(str(lock), [sys.executable, "-c", "raise SystemExit(3)"]) == 3
    assert run_alone(str(lock), [sys.executable, "-c", ""]) == 0


def test_two_do_not_run_at_once(tmp_path: Path) -> None:
    script = Path(__file__).resolve().parents[2] / "environment" / "alone.py"
    lock = tmp_path / "lock"
    lock.touch()
    started = [
        subprocess.Popen(
            [sys.executable, script, lock, sys.executable, "-c", NOTE.format(name, 0.5)],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
        )
        for name in "ab"
    ]
    assert [process.wait() for process in started] == [0, 0]
    assert (tmp_path / "log").read_text() in ("a.b.", "b.a.")
