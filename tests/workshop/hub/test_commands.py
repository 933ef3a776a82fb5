"""Who gets a password by a list, on a system that is not asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from workshop.hub import __main__ as hub
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
