"""A Python with another release of torch, and all else from the environment of the course.

python -m machines.newest     # installs the newest one that the course was run with: 3 GB
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

NEWEST = "2.15.0"
BUILD = Path(__file__).resolve().parent.parent / "_build"


def python_with(torch: str) -> Path:
    """Return the Python that has this release of torch."""
    return BUILD / f"torch-{torch}" / "bin" / "python"


def is_installed(torch: str) -> bool:
    """Tell whether that Python is there, and whole."""
    return _others(torch).exists()


def install(torch: str) -> None:
    """Make an environment that has this torch, and leads to this one's packages for the rest.

    What pip installed here comes after what it installed there, so torch is found there first. The
    file that leads here is written last: an environment without it was interrupted.
    """
    python = python_with(torch)
    shutil.rmtree(python.parent.parent, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(python.parent.parent)], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, f"torch=={torch}"], check=True)
    _others(torch).write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")


def _others(torch: str) -> Path:
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return python_with(torch).parent.parent / "lib" / name / "site-packages" / "course.pth"


if __name__ == "__main__":
    if not is_installed(NEWEST):
        install(NEWEST)
