"""What the page says of the archives was measured, with the network off."""

from __future__ import annotations

import subprocess
import sys

import pytest

from workshop.archive import measured
from workshop.archive.platforms import PLATFORMS
from workshop.archive.trial import no_network
from workshop.archive.trial.no_network import NetworkStaysError, command_without_network
from workshop.lan.shared import in_words


def test_the_record_is_of_every_platform_and_adds_up() -> None:
    found = measured.record()
    assert [row["for"] for row in found["sizes"]] == [p.words for p in PLATFORMS]
    assert all(row["wheels"] > 50 and row["bytes"] > row["graphics"] for row in found["sizes"])
    tried = found["tried"]
    assert tried["cells"]["errors"] == [] and tried["cells"]["cells"] > 5
    for start in (tried["first_start"], tried["with_pip"]):
        seconds = [start[step] for step in ("check", "install", "doctor", "lab")]
        assert seconds == sorted(seconds)
    assert tried["second_start"] < tried["first_start"]["lab"]


def test_the_tables_are_those_of_the_record() -> None:
    found = measured.record()
    said = measured.tables(found)
    for row in found["sizes"]:
        assert f"| {row['wheels']} | {in_words(row['bytes'])} |" in said
    assert f"{measured.from_nothing(found):.0f} |" in said
    rows = [line.count("|") for line in measured.sizes(found["sizes"]).splitlines()]
    assert set(rows) == {5}


EMULATED = {
    "date": "2026-11-23",
    "emulator": "an emulator",
    "python": "3.11.2",
    "torch": "2.13.0",
    "doctor": True,
    "first_start": {"check": 60.0, "install": 660.0, "doctor": 700.0, "lab": 800.0},
    "cells": {"first_cell": 100.0, "all_cells": 400.0, "cells": 37, "errors": []},
}


@pytest.mark.parametrize(("doctor", "words"), [(True, "nothing"), (False, "something")])
def test_what_came_of_arm_is_said_if_it_was_tried(doctor: bool, words: str) -> None:
    assert measured.emulated({}) == []
    (said,) = measured.emulated({"emulated": EMULATED | {"doctor": doctor}})
    assert "in 10 minutes" in said and "the 37 cells" in said
    assert f"the doctor found {words} that will fail" in said


def test_another_system_says_that_it_cannot_be_tried_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(NetworkStaysError, match="Only Linux"):
        command_without_network(["true"])


@pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")
def test_a_program_without_a_network_sees_none(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "from workshop.archive.trial.no_network import *; raise_loopback(); print(is_off())\n"
    script += "import socket; s = socket.create_server(('127.0.0.1', 0))\n"
    script += "socket.create_connection(s.getsockname()).close(); print('loopback')"
    try:
        command = command_without_network([sys.executable, "-c", script])
    except NetworkStaysError as error:
        pytest.skip(str(error))  # a container may forbid namespaces
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["True", "loopback"], done.stderr
    monkeypatch.setattr(no_network.socket, "socket", Connected)
    assert not no_network.is_off()


class Connected:
    """A socket of a machine with a network."""

    def __init__(self, *_: object) -> None: ...

    def __enter__(self) -> Connected:
        return self

    def __exit__(self, *_: object) -> None: ...

    def connect(self, _: object) -> None: ...
