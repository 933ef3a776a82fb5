"""What a student reads below an error that a limit of the room raised."""

from __future__ import annotations

import errno
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from workshop.hub import explained, install
from workshop.hub.settings import Settings


def refuse(self: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_who_may_start_nothing_more_is_told_the_number(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
    assert not explained.sentence(refused)  # of a socket, say: something starts still
    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert "512 processes" in explained.sentence(refused)
    assert "512 processes" in explained.sentence(RuntimeError("can't start new thread"))
    assert not explained.sentence(RuntimeError("expected scalar type Float but found Double"))


def run_cells(*cells: str, ipython: Path | None = None) -> str:
    """Return what IPython says to cells, with the settings of a folder."""
    program = "\n".join(
        [
            "import sys",
            f"sys.prefix = {str(ipython)!r} if {ipython is not None} else sys.prefix",
            "from IPython.terminal.ipapp import TerminalIPythonApp",
            "app = TerminalIPythonApp.instance()",
            "app.initialize(['--colors=NoColor', '--no-banner'])",
            *(f"app.shell.run_cell({cell!r})" for cell in cells),
        ]
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout + done.stderr


def test_a_kernel_of_the_hub_explains_a_full_disk_and_nothing_else(tmp_path: Path) -> None:
    settings = Settings(environment=str(tmp_path))
    full = "open('/dev/full', 'w').write('x' * 100_000)"
    assert explained.FULL not in run_cells(full)
    install.explain_limits(settings)
    said = run_cells(full, "1 / 0", "open('nowhere')", "raise RuntimeError('x')", ipython=tmp_path)
    assert said.count(explained.FULL) == 1
    assert "OSError: [Errno 28] No space left on device" in said
    assert "ZeroDivisionError" in said and "FileNotFoundError" in said and "RuntimeError: x" in said
