"""The files that differ from a commit, with both texts, and the sources of all modules."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

NONE_HERE = (
    "make check compares with a git commit, and this folder has none: run make test, which checks "
    "everything."
)


class NoSuchCommitError(ValueError):
    """Git knows no commit of that name."""


@dataclass(frozen=True)
class Change:
    """A file that differs: its path from the top, and its texts; None where there is no file."""

    path: str
    old: str | None
    new: str | None


class Checkout:
    """A folder under git."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def changes(self, since: str = "HEAD") -> list[Change]:
        """Return what differs from a commit, or from where this branch left it.

        Raises:
            NoSuchCommitError: git knows no such commit, or none in this folder.
        """
        if not self._has_commits():
            raise NoSuchCommitError(NONE_HERE)
        try:
            base = self._git("merge-base", since, "HEAD").strip()
        except subprocess.CalledProcessError as error:
            raise NoSuchCommitError(
                f"SINCE={since}: git finds no commit of that name from which this one comes; "
                "`git log --oneline` lists some."
            ) from error
        differing = self._git("diff", "--name-only", "--no-renames", "-z", base, "--")
        return [
            Change(path, self._then(base, path), text_of(self.root / path))
            for path in sorted({*differing.split("\0"), *self._untracked} - {""})
        ]

    @cached_property
    def files(self) -> list[str]:
        """All files but those that git ignores."""
        known = {*self._git("ls-files", "-z").split("\0"), *self._untracked} - {""}
        return sorted(path for path in known if (self.root / path).is_file())

    def sources(self) -> dict[str, str]:
        """Return the Python of each module, test and notebook by its path."""
        return {path: source_in(path, self._now(path)) for path in self.files if module_at(path)}

    def others(self) -> dict[str, str]:
        """Return the text of each file but Python, notebooks among them, by its path."""
        return {path: self._now(path) or "" for path in self.files if not path.endswith(".py")}

    def _has_commits(self) -> bool:
        """Tell whether the folder is the top of a repository with a commit, and git is there."""
        try:
            # Two lines: where the folder lies in the repository, empty at its top, and the commit.
            return self._git("rev-parse", "--show-prefix", "HEAD").startswith("\n")
        except (FileNotFoundError, subprocess.CalledProcessError):
            return False

    def _now(self, path: str) -> str | None:
        return text_of(self.root / path)

    @cached_property
    def _untracked(self) -> list[str]:
        return self._git("ls-files", "--others", "--exclude-standard", "-z").split("\0")

    def _then(self, commit: str, path: str) -> str | None:
        """Return a file's text in a commit."""
        try:
            return self._git("show", f"{commit}:{path}")
        except subprocess.CalledProcessError:
            return None

    def _git(self, *arguments: str) -> str:
        command = ["git", "-c", "core.quotePath=false", *arguments]
        done = subprocess.run(command, cwd=self.root, capture_output=True, check=True)
        return done.stdout.decode(errors="replace")


def text_of(path: Path) -> str | None:
    """Return a file's text; what is no text is replaced, since only a difference matters."""
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None


def module_at(path: str) -> str:
    """Return the dotted name of a Python file or notebook, and nothing for another file.

    >>> module_at("qlearn/numbers/__init__.py"), module_at("book/intro.md")
    ('qlearn.numbers', '')
    """
    stem, _, kind = path.rpartition(".")
    if kind not in ("py", "ipynb"):
        return ""
    return stem.removesuffix("/__init__").replace("/", ".")


def source_in(path: str, text: str | None) -> str:
    """Return the Python in a file: all of it, or a notebook's code cells."""
    if text is None or not path.endswith(".ipynb"):
        return text or ""
    return "\n".join(source for kind, source in cells_of(text) if kind == "code")


def cells_of(text: str) -> list[tuple[str, str]]:
    """Return the kind and the source of each cell of a notebook."""
    cells = json.loads(text)["cells"]
    return [(cell["cell_type"], "".join(cell["source"])) for cell in cells]
