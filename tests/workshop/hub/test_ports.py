"""One cell cannot take the ports of all: what is held is counted, wherever it is held."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from workshop.hub import ports
from workshop.hub.cgroups import Groups
from workshop.hub.ports import Rounds, free, guard, numbers, sockets, taken

if sys.platform != "linux":
    pytest.skip("the hub runs on Linux alone", allow_module_level=True)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.5", "::1"])
def test_a_port_that_is_bound_and_not_listened_on_is_taken(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind((address, 0))
        port = one.getsockname()[1]
        assert not free(port)
        assert taken(port, port, 1) == 1
    assert free(port)


def test_the_system_has_ports_for_whoever_asks() -> None:
    first, last = numbers()
    assert 1024 <= first < last < 65536


def test_each_socket_counts_once_and_a_process_that_ended_holds_none() -> None:
    before = sockets([os.getpid()])
    with socket.socket() as one, socket.fromfd(one.fileno(), one.family, one.type):
        assert len(sockets([os.getpid()]) - before) == 1
    assert sockets([2**31 - 1]) == set()


class FakeGroups:
    killed: list[str]

    def __init__(self) -> None:
        self.killed = []

    def processes(self, login: str) -> set[int]:
        return {os.getpid()} if login == "eve" else set()

    def kill(self, login: str) -> set[int]:
        self.killed.append(login)
        return set()


def test_who_holds_many_is_ended_when_ports_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = FakeGroups()
    room: Groups = groups  # type: ignore[assignment]
    held = [socket.socket() for _ in range(20)]
    monkeypatch.setattr(ports, "taken", lambda first, last: ports.FEW)
    assert guard(room, ["ana", "eve"], most=10) == []
    monkeypatch.setattr(ports, "taken", lambda first, last: ports.FEW + 1)
    [line] = guard(room, ["ana", "eve"], most=10)
    assert groups.killed == ["eve"] and "eve took the ports of all: 2" in line
    [nobody] = guard(room, ["ana"], most=10)
    assert "ports are short" in nobody and "ss -tanp, as root, shows who does" in nobody
    for one in held:
        one.close()


def test_rounds_come_every_few_seconds() -> None:
    rounds = Rounds(5.0)
    assert [rounds.due(now) for now in (0.0, 4.9, 5.1, 5.2)] == [True, False, True, False]


def test_a_thread_with_files_of_its_own_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for thread, number in (("7", "1"), ("8", "2")):
        folder = tmp_path / "7/task" / thread / "fd"
        folder.mkdir(parents=True)
        (folder / "3").symlink_to(f"socket:[{number}]")
        (folder / "4").symlink_to("pipe:[9]")
    monkeypatch.setattr(ports, "PROC", tmp_path)
    assert sockets([7]) == {"socket:[1]", "socket:[2]"}


BECOME = """
import os, resource
from pathlib import Path
from workshop.hub import confinement
confinement.call = confinement.leave_shared_folders = lambda *words: None
os.setgroups = os.setpriority = lambda *words: None
me = confinement.Identity("me", os.getuid(), os.getgid(), (), Path("."), ())
confinement.become(me)
print(resource.getrlimit(resource.RLIMIT_NOFILE))
"""


def test_few_sockets_can_be_hidden_on_their_way_between_processes() -> None:
    """The system lets as many be under way, seen in no process, as one may have open."""
    done = subprocess.run(
        [sys.executable, "-c", BECOME], check=True, capture_output=True, text=True
    )
    assert done.stdout == "(4096, 4096)\n"
