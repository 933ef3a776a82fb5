"""Bring the chapters to a student, and never overwrite what the student changed.

A file that is missing is copied. One that is as it was brought is brought anew when the course has
a newer one. One that the student changed stays, and the newer one is laid beside it. What was
brought is remembered by its SHA-256. Merging line by line, as Git does, would give a notebook that
is half of each; and nothing here needs Git or the internet.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

RECORD = ".brought.json"
LARGEST_RECORD = 1 << 20


@dataclass
class Brought:
    """What became of the files: new, brought anew, and kept with a newer one beside."""

    new: list[str] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{len(self.new)} new, {len(self.renewed)} renewed, {len(self.kept)} kept as edited"


def bring(source: Path, target: Path) -> Brought:
    """Bring every file of ``source`` into ``target``; the student's edits stay.

    Raises:
        OSError: the disk is full, or a file cannot be written. What was brought before stays.
    """
    target.mkdir(parents=True, exist_ok=True)
    record = load(target / RECORD)
    done = Brought()
    try:
        for file in files(source):
            name = file.relative_to(source).as_posix()
            bring_one(name, file.read_bytes(), target, record, done)
    finally:
        replace(target / RECORD, json.dumps(record, indent=0, sort_keys=True).encode())
    return done


def bring_one(
    name: str, content: bytes, target: Path, record: dict[str, str], done: Brought
) -> None:
    """Bring one file."""
    place, new = target / name, digest(content)
    before = record.get(name)
    if before == new:
        return  # brought already, and perhaps changed or deleted since: the student's business
    if not os.path.lexists(place):
        done.new.append(name)
    elif place.is_file() and digest(place.read_bytes()) in (before, new):
        done.renewed.append(name)
    else:
        place = beside(place)
        done.kept.append(name)
    place.parent.mkdir(parents=True, exist_ok=True)
    replace(place, content)
    record[name] = new


def beside(place: Path) -> Path:
    """Return a free name for the newer file: ``x.newer.ipynb``, ``x.newer2.ipynb``, and so on."""
    number = 1
    while True:
        free = place.with_suffix(f".newer{number if number > 1 else ''}{place.suffix}")
        if not os.path.lexists(free):
            return free
        number += 1


def files(source: Path) -> Iterator[Path]:
    """Return the files below ``source``, in order, without hidden ones and links."""
    for file in sorted(source.rglob("*")):
        hidden = any(part.startswith(".") for part in file.relative_to(source).parts)
        if file.is_file() and not file.is_symlink() and not hidden:
            yield file


def digest(content: bytes) -> str:
    """Return the SHA-256 of a file's content."""
    return hashlib.sha256(content).hexdigest()


def load(file: Path) -> dict[str, str]:
    """Return the record; without a readable one nothing counts as brought, so nothing is lost."""
    try:
        if file.stat().st_size > LARGEST_RECORD:
            return {}
        found = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def replace(place: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=".bring-")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
        os.chmod(name, 0o600)
        os.replace(name, place)
    except BaseException:
        os.unlink(name)
        raise
