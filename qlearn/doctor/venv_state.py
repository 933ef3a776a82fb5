"""What became of .venv, the virtual environment that `make book` makes in the course's folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def find_checkout() -> Path | None:
    """Return the course's folder, if this qlearn lies in it; None if qlearn alone is installed."""
    folder = Path(__file__).resolve().parents[2]
    parts = ("Makefile", "requirements.txt", "_toc.yml")
    return folder if all((folder / name).is_file() for name in parts) else None


def venv_state(checkout: Path) -> str:
    """Return "ready", or what is wrong: "missing", "broken", "unfinished" or "moved".

    The stamp .venv/ready is written last of all, and names the folder that .venv was made in.
    """
    venv = checkout / ".venv"
    if not venv.exists():
        return "missing"
    if not _starts(venv / "bin" / "python"):
        return "broken"
    if not (venv / "ready").is_file():
        return "unfinished"
    made_in = (venv / "ready").read_text(encoding="utf-8", errors="replace").strip()
    return "ready" if made_in == str(checkout) else "moved"


def runs_in(checkout: Path) -> bool:
    """Tell whether the Python that runs is that of the course's .venv."""
    return os.path.realpath(sys.prefix) == os.path.realpath(str(checkout / ".venv"))


def _starts(python: Path) -> bool:
    try:
        done = subprocess.run([str(python), "-c", ""], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
