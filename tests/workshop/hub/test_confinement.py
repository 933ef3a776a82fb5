"""What a process leaves behind before it is a student's: root's log, and folders that all share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workshop.hub import confinement
from workshop.hub.confinement import Identity

if sys.platform != "linux":
    pytest.skip("the hub runs on Linux alone", allow_module_level=True)

SAY = "print('said', flush=True); import sys; sys.exit('and wrong')"


def run_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: Path) -> str:
    """Start a server that says something, as the spawner does; return what the hub's log has."""
    me = Identity("me", os.getuid(), os.getgid(), (), tmp_path, ())
    monkeypatch.setattr(confinement, "become", lambda who: None)
    with open(tmp_path / "hub.log", "ab") as hub:
        command = [sys.executable, "-S", "-c", SAY]
        becoming = confinement.becoming(me, log)
        subprocess.run(command, stdout=hub, stderr=hub, preexec_fn=becoming, check=False)
    return (tmp_path / "hub.log").read_text()


def test_a_server_writes_into_its_own_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "server.log"
    log.write_text("of the server before")
    assert run_server(tmp_path, monkeypatch, log) == ""
    assert log.read_text() == "said\nand wrong\n"
    assert log.stat().st_mode & 0o077 == 0


def test_a_pipe_in_the_place_of_the_log_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "server.log"
    os.mkfifo(log)
    assert run_server(tmp_path, monkeypatch, log) == ""
    assert log.read_text() == "said\nand wrong\n"


def test_a_log_that_cannot_be_made_stops_no_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "server.log"
    log.mkdir()
    assert run_server(tmp_path, monkeypatch, log) == ""
