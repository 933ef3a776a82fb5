"""A copy of a student's files: its reader holds nothing of root's, and cannot fill a disk."""

from __future__ import annotations

import sys
import tarfile
from argparse import Namespace
from pathlib import Path

import pytest

from workshop.hub import __main__ as commands
from workshop.hub import collected, confinement
from workshop.hub.collected import MB, collect, kept, started
from workshop.hub.settings import Settings

if sys.platform != "linux":
    pytest.skip("the hub runs on Linux alone", allow_module_level=True)

LOOK = (
    "import os; print(os.getsid(0) == os.getpid(), os.readlink('/proc/self/fd/0'), os.getcwd(), "
    "'SECRET' in os.environ, sum('pipe:' not in os.readlink(f'/proc/self/fd/{n}') for n in '012'))"
)


def python(code: str) -> list[str]:
    return [sys.executable, "-S", "-c", code]


def run(code: str, archive: Path, most: int = MB, seconds: float = 30.0) -> str:
    return kept(started(python(code), lambda: None), archive, most, seconds)


def test_it_has_no_terminal_no_folder_no_word_and_no_file_of_roots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "of root's")
    assert run(LOOK, tmp_path / "a") == ""
    assert (tmp_path / "a").read_text() == "True /dev/null / False 1\n"


def test_what_has_no_end_is_cut_off(tmp_path: Path) -> None:
    endless = "import os\nwhile True: os.write(1, bytes(1 << 16))"
    assert run(endless, tmp_path / "a", 2 * MB).startswith("longer than 2 MB, and the rest")
    assert (tmp_path / "a").stat().st_size <= 2 * MB


def test_what_is_stopped_keeps_nobody_waiting(tmp_path: Path) -> None:
    stopped = "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"
    assert run(stopped, tmp_path / "a", seconds=0.3) == "not done in 0 s"


def test_who_holds_the_pipe_open_keeps_nobody_waiting(tmp_path: Path) -> None:
    left = "import os, time\nif not os.fork(): time.sleep(8)"
    assert run(left, tmp_path / "a") == ""


def test_what_it_says_is_no_order_to_the_terminal(tmp_path: Path) -> None:
    says = r"import os; os.write(2, b'\x1b[2J\xff' * 999); os._exit(2)"
    wrong = run(says, tmp_path / "a")
    assert wrong.startswith(r"'\x1b[2J�") and len(wrong) < 999 and "\x1b" not in wrong


def test_it_becomes_the_student_and_a_hollow_file_stays_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(tmp_path)
    course = settings.homes / "ana" / "course"
    course.mkdir(parents=True)
    with open(course / "x", "wb") as file:
        file.truncate(10**12)
    (course / "kept").write_text("kept")
    (course.parent / "beside").touch()
    (course.parent / ".cache").mkdir()
    groups: list[str] = []

    class FakeGroups:
        def __init__(self, room: str): ...

        def make(self, login: str, limits: object) -> None:
            groups.append(login)

        def doors(self, login: str) -> list[Path]:
            return [tmp_path / "door"] if groups else []

    def identity(login: str, doors: list[Path]) -> list[Path]:
        return doors

    monkeypatch.setattr(collected, "Groups", FakeGroups)
    monkeypatch.setattr(confinement, "identity", identity)
    monkeypatch.setattr(confinement, "become", lambda doors: doors[0].write_text("0"))
    assert collect("ana", settings, tmp_path / "ana.tar") == ""
    assert (tmp_path / "ana.tar").stat().st_size < MB
    with tarfile.open(tmp_path / "ana.tar") as copied:
        assert {"./course/kept", "./beside"} <= set(copied.getnames())
        assert not any("cache" in name for name in copied.getnames())
    assert (tmp_path / "door").read_text() == "0"


def test_what_is_collected_is_the_callers_and_an_unused_account_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(tmp_path / "hub")
    (settings.homes / "qbb-ana" / "course").mkdir(parents=True)
    (settings.homes / "qbb-bo" / ".jupyter").mkdir(parents=True)
    settings.state.mkdir()
    given: list[tuple[str, int, int]] = []
    monkeypatch.setattr(commands.services, "prepare", lambda settings: None)
    monkeypatch.setattr(commands.accounts, "members", lambda settings: ["qbb-ana", "qbb-bo"])
    wrong = ""

    def collect(login: str, settings: Settings, archive: Path) -> str:
        archive.write_text(f"{wrong}new")
        return wrong

    monkeypatch.setattr(commands.collected, "collect", collect)
    monkeypatch.setattr(
        commands.os, "chown", lambda path, *who, follow_symlinks: given.append((path.name, *who))
    )
    monkeypatch.setenv("SUDO_UID", "1000")
    monkeypatch.setenv("SUDO_GID", "1001")
    commands.collect(settings, tmp_path / "_build" / "collected")
    assert given == [(name, 1000, 1001) for name in ("_build", "collected", "qbb-ana.tar")]
    said = capsys.readouterr().out
    assert "qbb-bo has no files" in said and "not whole" not in said
    given.clear()
    wrong = "half"
    commands.collect(settings, tmp_path / "_build" / "collected")
    assert given == [("qbb-ana.unfinished", 1000, 1001)]
    assert (tmp_path / "_build/collected/qbb-ana.tar").read_text() == "new"
    assert "qbb-ana.unfinished  not whole: half" in capsys.readouterr().out


def test_nothing_is_deleted_before_somebody_is_sure(tmp_path: Path) -> None:
    file = tmp_path / "hub" / "homes" / "qbb-ana" / "course" / "x"
    file.parent.mkdir(parents=True)
    file.touch()
    asked = Namespace(command="remove", with_their_files=False)
    with pytest.raises(ValueError, match="make hub-collect"):
        commands.obey(asked, Settings(tmp_path / "hub"))
    assert file.exists()
