"""What this archive holds, and for which laptops: contents.json, written when it was made."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from workshop.archive.starter.problem import Problem

BLOCK = 2**20


@dataclass(frozen=True)
class Contents:
    """The archive, as contents.json describes it."""

    title: str
    version: str
    platform: str  # its name, as in the archive's
    words: str  # which laptops that are
    needs: str  # and what else they must have
    system: str
    machine: str
    glibc: list[int]
    macos: list[int]
    names: dict[str, str]  # "Darwin arm64": the name of the archive for such laptops
    pythons: list[str]  # the versions of Python that it has wheels for
    install: dict[str, list[str]]  # what is installed, for each of them
    disk: dict[str, int]  # the bytes that this takes
    longest: int  # characters of the longest path below site-packages
    first: str  # the notebook that opens
    digest: str = ""  # another archive has another one


def read_contents(folder: Path) -> Contents:
    """Return what the archive in a folder holds.

    Raises:
        Problem: it is not all there.
    """
    try:
        text = (folder / "contents.json").read_bytes()
        fields = json.loads(text.decode("utf-8"))
        return Contents(**fields, digest=hashlib.sha256(text).hexdigest())
    except (OSError, ValueError, TypeError):
        raise Problem(
            "contents.json is missing or damaged: unpack the whole archive again, and start from "
            "the folder that comes out."
        ) from None


def damaged(folder: Path) -> list[str]:
    """Return the files of SHA256SUMS that are missing, or not as they were packed."""
    try:
        lines = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ["SHA256SUMS"]
    pairs = [line.split("  ", 1) for line in lines]
    return [name for wanted, name in pairs if _sha256(folder / name) != wanted]


def _sha256(file: Path) -> str | None:
    digest = hashlib.sha256()
    try:
        with file.open("rb") as source:
            while block := source.read(BLOCK):
                digest.update(block)
    except OSError:
        return None
    return digest.hexdigest()
