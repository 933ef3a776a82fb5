"""Chapters are brought, and an edit is never overwritten: two folders, over several days."""

from __future__ import annotations

from pathlib import Path

import pytest

from workshop.hub import notebooks
from workshop.hub.notebooks import RECORD, bring


@pytest.fixture
def course(tmp_path: Path) -> Path:
    folder = tmp_path / "course"
    (folder / "numbers").mkdir(parents=True)
    (folder / "numbers" / "a.ipynb").write_text("a1")
    (folder / "b.ipynb").write_text("b1")
    (folder / ".hidden").write_text("no")
    return folder


@pytest.fixture
def home(tmp_path: Path, course: Path) -> Path:
    bring(course, tmp_path / "home")
    return tmp_path / "home"


def contents(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): file.read_text()
        for file in folder.rglob("*")
        if file.is_file() and file.name != RECORD
    }


def test_the_first_time_everything_comes_and_nothing_hidden(home: Path) -> None:
    assert contents(home) == {"numbers/a.ipynb": "a1", "b.ipynb": "b1"}


def test_the_second_time_nothing_happens(course: Path, home: Path) -> None:
    (home / "b.ipynb").write_text("mine")
    done = bring(course, home)
    assert (done.new, done.renewed, done.kept) == ([], [], [])
    assert contents(home)["b.ipynb"] == "mine"


def test_an_edit_stays_and_the_newer_one_lies_beside_it(course: Path, home: Path) -> None:
    (home / "b.ipynb").write_text("mine")
    for text in ("b2", "b3"):
        (course / "b.ipynb").write_text(text)
        (course / "numbers/a.ipynb").write_text(text)
        done = bring(course, home)
        assert done.kept == ["b.ipynb"]
        assert done.renewed == ["numbers/a.ipynb"]
    assert contents(home) == {
        "numbers/a.ipynb": "b3",
        "b.ipynb": "mine",
        "b.newer.ipynb": "b2",
        "b.newer2.ipynb": "b3",
    }


def test_what_the_student_deleted_stays_away_until_it_is_new(course: Path, home: Path) -> None:
    (home / "b.ipynb").unlink()
    bring(course, home)
    assert "b.ipynb" not in contents(home)
    (course / "b.ipynb").write_text("b2")
    bring(course, home)
    assert contents(home)["b.ipynb"] == "b2"


@pytest.mark.parametrize("record", ["", "[]", "{", None], ids=["empty", "list", "torn", "gone"])
def test_without_the_record_no_edit_is_lost(course: Path, home: Path, record: str | None) -> None:
    (home / "b.ipynb").write_text("mine")
    (home / RECORD).unlink()
    if record is not None:
        (home / RECORD).write_text(record)
    bring(course, home)
    assert contents(home)["b.ipynb"] == "mine"
    assert contents(home)["numbers/a.ipynb"] == "a1"


def test_a_link_in_the_way_is_not_written_through(tmp_path: Path, course: Path, home: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("theirs")
    (home / "b.ipynb").unlink()
    (home / "b.ipynb").symlink_to(outside)
    (course / "b.ipynb").write_text("b2")
    bring(course, home)
    assert outside.read_text() == "theirs"


def test_a_full_disk_leaves_the_edit_and_no_half_file(
    course: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (course / "b.ipynb").write_text("b2")
    write = notebooks.os.fdopen

    def full(*arguments: object) -> object:
        notebooks.os.close(arguments[0])  # type: ignore[arg-type]
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(notebooks.os, "fdopen", full)
    with pytest.raises(OSError, match="No space left"):
        bring(course, home)
    monkeypatch.setattr(notebooks.os, "fdopen", write)
    assert contents(home) == {"numbers/a.ipynb": "a1", "b.ipynb": "b1"}
    assert bring(course, home).renewed == ["b.ipynb"]
