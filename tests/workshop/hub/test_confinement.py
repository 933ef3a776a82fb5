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

ROOT = Path(__file__).resolve().parents[3]
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


KEYRINGS = """
import ctypes, os
from workshop.hub import confinement

def keyring():
    numbers = (confinement.KEYCTL[os.uname().machine], 0, -3, 1)  # what session's has which number
    return confinement.LIBC.syscall(*map(ctypes.c_long, numbers))

before = keyring()
confinement.leave_keyring()
print(before, keyring())
"""


def test_the_keyring_of_roots_session_is_left() -> None:
    command = [sys.executable, "-c", KEYRINGS]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    before, after = map(int, said.stdout.split())
    if before < 0:
        pytest.skip("this kernel has no keyrings")
    assert 0 < after != before


Calls = list[tuple[object, ...]]
DOORS = confinement.DOORS


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Note what the kernel is asked for; a mount of an empty folder is played with a new one."""
    asked: Calls = []
    monkeypatch.setattr(confinement, "DOORS", ())
    monkeypatch.setattr(confinement, "RESOLVER", os.fsencode(tmp_path / "no resolver"))

    def call(name: str, *words: object) -> None:
        if name == "mount" and words[0] == b"tmpfs" and isinstance(words[1], bytes):
            assert words[1].startswith(os.fsencode(tmp_path)), "the system's own folders stay"
            os.rename(words[1], words[1] + b".covered")
            os.mkdir(words[1])
        if name == "mount" and words[3] == confinement.MS_BIND and b"/fd/" in words[0]:  # type: ignore[operator]
            words = (os.readlink(words[0]), *words[1:])  # type: ignore[call-overload]
        asked.append((name, *words))

    monkeypatch.setattr(confinement, "call", call)
    return asked


def test_the_doors_of_the_systems_services_are_closed(
    tmp_path: Path, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = os.fsencode(tmp_path)
    for name in ("dbus", "user/1000", "systemd/resolve", "systemd/private"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("dbus/system_bus_socket", "snapd.socket", "snapd-snap.socket", "other"):
        (tmp_path / name).touch()
    monkeypatch.setattr(confinement, "SHARED_FOLDERS", ())
    doors = tuple(door.replace(b"/run", run) for door in DOORS)
    monkeypatch.setattr(confinement, "DOORS", doors)
    monkeypatch.setattr(confinement, "RESOLVER", run + b"/systemd/resolve")
    confinement.leave_shared_folders(())
    assert [call[0] for call in calls[:2]] == ["unshare", "mount"]
    for folder in ("dbus", "user"):
        assert os.listdir(tmp_path / folder) == []
    assert os.listdir(tmp_path / "systemd") == ["resolve"]  # names of the network are still found
    bound = {call[2]: call[1] for call in calls[2:] if call[4] == confinement.MS_BIND}
    assert bound == {
        run + b"/snapd.socket": b"/dev/null",
        run + b"/snapd-snap.socket": b"/dev/null",
        run + b"/systemd/resolve": run + b"/systemd.covered/resolve",
    }


def test_other_folders_in_which_all_may_write_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / "var"
    modes = {"crash": 0o1777, "crash/inner": 0o777, "log": 0o755, "log/open": 0o777,
             "closed": 0o750, "closed/open": 0o777, "a/b/c/d/e": 0o777}  # fmt: skip
    for name, mode in modes.items():
        (top / name).mkdir(parents=True)
        (top / name).chmod(mode)
    for folder in ("", "a", "a/b", "a/b/c", "a/b/c/d"):
        (top / folder).chmod(0o755)
    (top / "link").symlink_to(top / "log" / "open")
    real = os.lstat
    owner = [0]
    monkeypatch.setattr(confinement.os, "lstat", lambda path: as_owner(real(path), owner[0]))
    found = set(confinement.open_to_all(os.fsencode(top), 4))
    assert found == {os.fsencode(top / "crash"), os.fsencode(top / "log/open")}
    owner[0] = 1000
    assert set(confinement.open_to_all(os.fsencode(top), 4)) == set()


def as_owner(about: os.stat_result, uid: int) -> os.stat_result:
    return os.stat_result([uid if number == 4 else word for number, word in enumerate(about[:10])])


def test_what_was_found_is_covered(tmp_path: Path, calls: Calls) -> None:
    (tmp_path / "crash").mkdir()
    confinement.leave_shared_folders([os.fsencode(tmp_path / "crash")])
    covered = [call[2] for call in calls if call[1] == b"tmpfs"]
    assert covered[0] == os.fsencode(tmp_path / "crash")
