"""Whose password is set, and which other doors stay shut, on a system that is not asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from workshop.hub import accounts
from workshop.hub.people import Person
from workshop.hub.settings import Settings

Commands = list[tuple[str, ...]]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Commands:
    commands: Commands = []
    monkeypatch.setattr(accounts, "run", lambda *words, given="": commands.append(words))
    monkeypatch.setattr(accounts, "pam_file", lambda settings: Path("/nowhere/pam"))
    monkeypatch.setattr(accounts, "ssh_file", lambda settings: Path("/nowhere/ssh"))
    monkeypatch.setattr(accounts.disks, "prepare", lambda login, settings: None)
    monkeypatch.setattr(accounts.disks, "refuse_more_than_there_is", lambda logins, settings: None)
    return commands


def test_a_user_who_is_not_of_the_room_gets_no_password(
    ran: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "exists", lambda login: login != "qbb-new")
    monkeypatch.setattr(accounts, "members", lambda settings: ["qbb-ana"])
    people = [Person("new", "New"), Person("ana", "Ana"), Person("backup", "Backup")]
    with pytest.raises(ValueError, match="qbb-backup is a user of this machine, and not of this"):
        accounts.add(people, Settings())
    assert {words[0] for words in ran} == {"groupadd"}  # nobody was made either
    rows = list(accounts.add(people[:2], Settings()))
    assert [login for _, login, _ in rows] == ["qbb-new", "qbb-ana"]
    assert [words[0] for words in ran].count("chpasswd") == 2


def test_how_a_person_is_called_is_not_kept_where_all_may_read(
    ran: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "exists", lambda login: False)
    list(accounts.add([Person("ana", "Ana Lopez")], Settings()))
    (made,) = [words for words in ran if words[0] == "useradd"]
    assert made[-1] == "qbb-ana" and not any("Lopez" in word for word in made)


def test_a_disk_that_fails_keeps_no_password_back(
    ran: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepare(login: str, settings: Settings) -> None:
        raise RuntimeError(f"the files of {login} could not be mounted")

    monkeypatch.setattr(accounts, "exists", lambda login: login == "qbb-ana")
    monkeypatch.setattr(accounts, "members", lambda settings: ["qbb-ana"])
    monkeypatch.setattr(accounts.disks, "prepare", prepare)
    rows = accounts.add([Person("ana", "Ana"), Person("new", "New")], Settings())
    for login in ("qbb-ana", "qbb-new"):
        assert next(rows)[1] == login
        assert ran[-1] == ("chpasswd",)
    with pytest.raises(RuntimeError, match="the files of qbb-ana could not be mounted"):
        next(rows)


@pytest.mark.parametrize(("there", "taken_away"), [(False, True), (True, False)])
def test_a_new_account_without_a_password_is_taken_away(
    there: bool, taken_away: bool, ran: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*words: str, given: str = "") -> None:
        ran.append(words)
        if given:
            raise RuntimeError("chpasswd: password not changed")

    monkeypatch.setattr(accounts, "run", run)
    monkeypatch.setattr(accounts, "exists", lambda login: there)
    monkeypatch.setattr(accounts, "members", lambda settings: ["qbb-ana"])
    with pytest.raises(RuntimeError, match="password not changed"):
        next(accounts.add([Person("ana", "Ana")], Settings()))
    assert (("userdel", "qbb-ana") in ran) == taken_away


def test_an_instructor_is_made_as_one(ran: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "exists", lambda login: False)
    list(accounts.add([Person("eva", "Eva")], Settings(), instructor=True))
    (made,) = [words for words in ran if words[0] == "useradd"]
    assert made[made.index("--groups") + 1] == "qbb-students,qbb-instructors"


def test_ssh_refuses_the_students(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "room.conf"
    for _ in range(2):
        accounts.refuse_ssh(file, Settings())
    assert file.read_text().splitlines()[-1] == "DenyGroups qbb-students"
    assert capsys.readouterr().out.count("systemctl reload ssh") == 1
    accounts.refuse_ssh(tmp_path / "nowhere" / "room.conf", Settings())  # no SSH: nothing to refuse


def test_the_room_is_refused_by_ssh_when_its_groups_are_made(
    ran: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "room.conf"
    monkeypatch.setattr(accounts, "ssh_file", lambda settings: file)
    accounts.make_groups(Settings())
    assert file.exists()
    monkeypatch.setattr(accounts.subprocess, "run", lambda *_, **__: None)
    accounts.remove_groups(Settings())
    assert not file.exists()
