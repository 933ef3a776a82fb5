"""Bring the wheels here, with pip: each is kept in a folder, and fetched once."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from workshop.archive.resolve import UnresolvedError, Wheel


def sha256(file: Path) -> str:
    """Return the checksum of a file."""
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def lacking(wheels: list[Wheel], folder: Path) -> list[Wheel]:
    """Return the wheels that the folder does not have whole."""
    return [
        wheel
        for wheel in wheels
        if not (folder / wheel.file).is_file() or sha256(folder / wheel.file) != wheel.sha256
    ]


def fetch(wheels: list[Wheel], folder: Path, tags: list[str]) -> None:
    """Download the wheels that the folder lacks, and compare each with its checksum.

    Raises:
        UnresolvedError: with pip's words, where one does not come.
    """
    folder.mkdir(parents=True, exist_ok=True)
    missing = lacking(wheels, folder)
    if not missing:
        return
    for wheel in missing:
        (folder / wheel.file).unlink(missing_ok=True)
    lines = [f"{wheel.name} @ {wheel.url} --hash=sha256:{wheel.sha256}" for wheel in missing]
    with tempfile.TemporaryDirectory() as scratch:
        wanted = Path(scratch, "wheels.txt")
        wanted.write_text("\n".join(lines))
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                   "--disable-pip-version-check", "--require-hashes", "--no-cache-dir",
                   "--only-binary=:all:", *_target(tags), "--dest", str(folder),
                   "--requirement", str(wanted)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UnresolvedError(f"A wheel could not be fetched; pip says:\n{done.stderr.strip()}")


def _target(tags: list[str]) -> list[str]:
    """Return pip's options for another machine than this one."""
    parts = [tag.split("-") for tag in tags]
    platforms = dict.fromkeys(platform for _, _, platform in parts if platform != "any")
    options = [word for platform in platforms for word in ("--platform", platform)]
    version = parts[0][0].removeprefix("cp")
    abis = [word for abi in (parts[0][1], "abi3", "none") for word in ("--abi", abi)]
    return [*options, *abis, "--implementation", "cp",
            "--python-version", f"{version[0]}.{version[1:]}"]  # fmt: skip
