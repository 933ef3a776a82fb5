"""Where there is no commit to compare with, that is said, with what to run instead."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from changes.files import Checkout, NoSuchCommitError


def git(folder: Path, *arguments: str) -> None:
    names = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *names, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that lies in no repository."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    made = tmp_path / "course"
    made.mkdir()
    (made / "file.md").touch()
    return made


def refuses(folder: Path) -> None:
    with pytest.raises(NoSuchCommitError, match="this folder has none: run make test"):
        Checkout(folder).changes()


def test_a_folder_outside_git_is_refused_until_it_has_a_commit(folder: Path) -> None:
    refuses(folder)
    git(folder, "init", "-q")
    refuses(folder)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Begin")
    assert Checkout(folder).changes() == []


def test_a_folder_in_the_repository_of_something_else_is_refused(folder: Path) -> None:
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "Begin")
    inner = folder / "inner"
    inner.mkdir()
    refuses(inner)


def test_without_git_it_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder))
    refuses(folder)
