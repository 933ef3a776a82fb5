"""Where a notebook runs: in this checkout, in an odd folder, or where nobody may write."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEEDED = ("book", "qlearn", "machines", "notebook_pipeline")
LEFT = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")


@contextmanager
def workplace(place: str) -> Iterator[Path]:
    """Give the checkout itself, or a copy of what a notebook needs in a folder of that name."""
    if not place:
        yield ROOT
        return
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        copy = Path(folder) / place
        for part in NEEDED:
            shutil.copytree(ROOT / part, copy / part, ignore=LEFT)
        if place == "read-only":
            forbid_writing(copy)
        yield copy


def forbid_writing(folder: Path) -> None:
    """Take everybody's right to write away from a folder and all that is in it."""
    for path in [folder, *folder.rglob("*")]:
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))


def without_override() -> list[str]:
    """Return how to start a process without root's right to write everywhere.

    It stays root's: another user may not be allowed to run this Python.
    """
    rights = "-dac_override,-dac_read_search"
    drop = ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}"]
    return drop if os.geteuid() == 0 else []


def root_of(notebook: Path) -> Path:
    """Return the checkout, or the copy, that a notebook is in."""
    return next(parent for parent in notebook.parents if (parent / "machines").is_dir())
