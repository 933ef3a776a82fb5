"""Python packages for ARM, fetched and unpacked by this computer's pip."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# What the package, its tests, the proofs and the notebooks import; constraints.txt has the versions
WANTED = (
    *("torch", "numpy", "jaxtyping", "torchao", "matplotlib", "pillow"),
    *("anywidget", "ipywidgets", "ipython", "nbformat", "pytest", "hypothesis", "ml-dtypes"),
)
NEWEST_GLIBC = 36  # Debian 12 has 2.36; a wheel names the oldest that it runs with


def fetch(folder: Path, python: str, constraints: Path) -> None:
    """Put the wheels for ARM and that version of Python, unpacked, into ``folder``."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*command, *arguments(folder, python, constraints)], check=True)


def arguments(folder: Path, python: str, constraints: Path) -> list[str]:
    """Return what pip is called with."""
    platforms = [f"manylinux_2_{minor}_aarch64" for minor in range(17, NEWEST_GLIBC + 1)]
    platforms.append("manylinux2014_aarch64")
    return [
        *("--target", str(folder), "--constraint", str(constraints)),
        *("--only-binary=:all:", "--python-version", python),
        *(part for name in platforms for part in ("--platform", name)),
        *WANTED,
    ]
