"""The wheel of qlearn, built from the tree as it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "LICENSE-CONTENT", "NOTICE")

# The hook that pip calls, without pip's search for setuptools, which needs a network
BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"


def build_wheel(folder: Path) -> Path:
    """Return a wheel of the checkout, built in a copy, since setuptools writes beside sources."""
    source = folder / "source"
    source.mkdir()
    for name in SOURCES:
        shutil.copy(ROOT / name, source)
    unwanted = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", ".*")
    shutil.copytree(ROOT / "qlearn", source / "qlearn", ignore=unwanted)
    variables = os.environ | {"SOURCE_DATE_EPOCH": "315619200"}  # zip files begin in 1980
    command = [sys.executable, "-W", "ignore", "-c", BUILD, str(folder)]
    done = subprocess.run(
        command, cwd=source, env=variables, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"The wheel of qlearn could not be built:\n{done.stderr}")
    (wheel,) = folder.glob("*.whl")
    return wheel
