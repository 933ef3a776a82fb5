"""Who gets a password by a list, on a system that is not asked."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workshop.hub import __main__ as hub
from workshop.hub.alone import alone
from workshop.hub.people import Person
from workshop.hub.settings import Settings

People = Callable[..., str]


@pytest.fixture
def people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> People:
    """Return a function that reads a list where ana and ben have accounts, and what it prints."""
    there = {"qbb-ana", "qbb-ben"}
    monkeypatch.setattr(hub.accounts, "exists", there.__contains__)
    monkeypatch.setattr(
        hub.accounts, "add", lambda found, _: [(p, f"qbb-{p.name}", "a password") for p in found]
    )

    def read(names: str, anew: bool = False) -> str:
        file = tmp_path / "students.csv"
        file.write_text("\n".join(names.split()))
        hub.people(Settings(), file, anew)
        return capsys.readouterr().out

    return read


@pytest.mark.parametrize(
    ("names", "anew", "given"),
    [
        ("ana ben cem", False, {"cem"}),
        ("ana ben", False, set()),
        ("ana", False, set()),
        ("ana", True, {"ana"}),
        ("ana cem", True, {"ana", "cem"}),
    ],
)
def test_whoever_has_an_account_keeps_the_password_unless_asked(
    people: People, names: str, anew: bool, given: set[str]
) -> None:
    said = people(names, anew)
    assert {line.split()[1] for line in said.splitlines() if "  login " in line} == {
        f"qbb-{name}" for name in given
    }
    assert ("ANEW=yes" in said) == (not anew)


def test_nothing_is_installed_under_a_hub_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, done = Settings(tmp_path), list[str]()
    settings.state.mkdir()
    monkeypatch.setattr(hub.services, "refuse_ports_of_all", lambda settings: None)
    monkeypatch.setattr(hub.install, "install", lambda settings: done.append("install"))
    monkeypatch.setattr(hub.os, "execve", lambda *_: done.append("run"))
    with alone(settings), pytest.raises(ValueError, match="the hub runs already"):
        hub.up(settings)
    assert done == []
    hub.up(settings)
    assert done == ["install", "run"]


Row = tuple[Person, str, str]


@pytest.fixture
def eva_teaches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let ana be a student and eva an instructor; return who gets a password."""
    given: list[str] = []

    def add(found: list[Person], *_: object, **__: object) -> list[Row]:
        given.extend(person.name for person in found)
        return [(person, f"qbb-{person.name}", "a password") for person in found]

    monkeypatch.setattr(hub.accounts, "exists", {"qbb-ana", "qbb-eva"}.__contains__)
    monkeypatch.setattr(hub.accounts, "members", lambda settings: ["qbb-ana", "qbb-eva"])
    monkeypatch.setattr(hub.accounts, "instructors", lambda settings: ["qbb-eva"])
    monkeypatch.setattr(hub.accounts, "add", add)
    return given


def test_a_student_does_not_become_an_instructor(eva_teaches: list[str]) -> None:
    with pytest.raises(ValueError, match="qbb-ana is a student.*take another name"):
        hub.instructor(Settings(), "ana")
    hub.instructor(Settings(), "eva")
    hub.instructor(Settings(), "new")
    assert eva_teaches == ["eva", "new"]


@pytest.mark.parametrize("anew", [False, True])
def test_an_instructor_is_no_student_of_a_list(
    eva_teaches: list[str], anew: bool, tmp_path: Path
) -> None:
    file = tmp_path / "students.csv"
    file.write_text("cem\neva\n")
    with pytest.raises(ValueError, match="qbb-eva is an instructor's.*give the student another"):
        hub.people(Settings(), file, anew)
    assert eva_teaches == []


def test_a_strip_is_printed_before_the_next_account_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever fails later: a password that holds and was printed nowhere is lost."""
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out))

    def add(found: list[Person], settings: Settings) -> Iterator[Row]:
        for person in found:
            yield person, person.name, f"password of {person.name}"
            assert f"password of {person.name}\n\n" in out.getvalue().decode()
        raise RuntimeError("a disk failed")

    monkeypatch.setattr(hub.accounts, "add", add)
    file = tmp_path / "students.csv"
    file.write_text("ana\nben\n")
    with pytest.raises(RuntimeError, match="a disk failed"):
        hub.people(Settings(), file, anew=False)
    assert out.getvalue().decode().count("password of") == 2


def test_a_name_that_the_terminal_cannot_write_is_written_in_codes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = io.BytesIO()
    terminal = io.TextIOWrapper(out, encoding="iso-8859-1", write_through=True)
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "argv", ["hub", "stop"])
    monkeypatch.setattr(hub.os, "geteuid", lambda: 0)
    monkeypatch.setattr(hub, "obey", lambda arguments, settings: print("Łucja López"))
    hub.main()
    assert out.getvalue().decode("iso-8859-1") == "\\u0141ucja López\n"
