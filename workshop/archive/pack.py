"""Make one file of a folder: the same bytes, whoever makes it, and when."""

from __future__ import annotations

import io
import os
import shutil
import stat
import tarfile
import zipfile
from pathlib import Path

WHEN = (2026, 1, 1, 0, 0, 0)
WHEN_SECONDS = 1767225600
STORED = (".whl", ".png", ".woff2")  # compressed already


def pack(folder: Path, target: Path) -> None:
    """Pack a folder under the name of the target; the target has its name when it is whole."""
    top = target.name.removesuffix(target.suffix)
    half = target.with_name(f".{target.name}.half")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if target.suffix == ".tar":
        _tar(files, folder, top, half)
    else:
        _zip(files, folder, top, half)
    os.replace(half, target)


def _mode(path: Path) -> int:
    return 0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644


def _tar(files: list[Path], folder: Path, top: str, target: Path) -> None:
    with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as packed:
        for path in files:
            entry = tarfile.TarInfo(f"{top}/{path.relative_to(folder).as_posix()}")
            entry.size, entry.mtime, entry.mode = path.stat().st_size, WHEN_SECONDS, _mode(path)
            with path.open("rb") as source:
                packed.addfile(entry, source)


def _zip(files: list[Path], folder: Path, top: str, target: Path) -> None:
    with zipfile.ZipFile(target, "w") as packed:
        for path in files:
            entry = zipfile.ZipInfo(f"{top}/{path.relative_to(folder).as_posix()}", WHEN)
            entry.create_system = 3  # Unix, which has the right to execute
            entry.external_attr = (stat.S_IFREG | _mode(path)) << 16
            entry.file_size = path.stat().st_size
            stored = path.suffix in STORED
            entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            with path.open("rb") as source, packed.open(entry, "w") as sink:
                shutil.copyfileobj(source, sink, io.DEFAULT_BUFFER_SIZE * 64)
