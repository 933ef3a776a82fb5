"""Disks are promised only as far as the machine's reaches, those of the others included."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path

import pytest

from workshop.hub import accounts, disks
from workshop.hub.disks import refuse_more_than_there_is
from workshop.hub.limits import MB
from workshop.hub.people import Person
from workshop.hub.settings import Settings

Usage = namedtuple("Usage", "total used free")
PEOPLE = [f"qbb-s{number}" for number in range(10)]


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    usage = Usage(0, 0, 1000 * MB)
    monkeypatch.setattr(disks.shutil, "disk_usage", lambda folder: usage)
    return Settings(tmp_path, disk_mb=100)


def hollow(login: str, settings: Settings) -> None:
    """Make the image of somebody who has written nothing yet."""
    settings.disks.mkdir(exist_ok=True)
    with open(disks.image(login, settings), "wb") as file:
        file.truncate(300 * MB)


def test_what_fits_is_promised(settings: Settings) -> None:
    refuse_more_than_there_is(PEOPLE, settings)
    refuse_more_than_there_is([*PEOPLE, PEOPLE[0]], settings)  # once each


def test_what_does_not_fit_is_refused_with_the_size_that_does(settings: Settings) -> None:
    with pytest.raises(ValueError, match=r"11 new disks of 100 MB do not fit.*disk_mb = 90 in"):
        refuse_more_than_there_is([*PEOPLE, "qbb-eve"], settings)
    many = [f"qbb-{number}" for number in range(100)]
    with pytest.raises(ValueError, match=r"100 new disks.*to nobody. Make room$"):
        refuse_more_than_there_is(many, settings)


def test_what_others_have_not_written_yet_is_promised_to_them(settings: Settings) -> None:
    hollow(PEOPLE[0], settings)
    refuse_more_than_there_is(PEOPLE[:8], settings)
    with pytest.raises(ValueError, match=r"8 new disks of 100 MB do not fit.*700 MB are free"):
        refuse_more_than_there_is(PEOPLE[:9], settings)


def test_who_has_a_disk_gets_a_password_on_a_full_one(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disks.shutil, "disk_usage", lambda folder: Usage(0, 0, 0))
    hollow(PEOPLE[0], settings)
    refuse_more_than_there_is(PEOPLE[:1], settings)
    refuse_more_than_there_is(PEOPLE, Settings(settings.folder, disk_mb=0))


def test_nobody_is_made_if_not_all_fit(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    monkeypatch.setattr(accounts, "run", lambda *words, given="": ran.append(words[0]))
    monkeypatch.setattr(accounts, "make_groups", lambda settings: None)
    monkeypatch.setattr(accounts, "exists", lambda login: login == "qbb-ana")
    monkeypatch.setattr(accounts, "members", lambda settings: ["qbb-ana", *PEOPLE])
    with pytest.raises(ValueError, match="11 new disks"):
        accounts.add([Person("ana", "Ana")], settings)
    assert ran == []
