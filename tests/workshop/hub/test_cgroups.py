"""Limits: the arithmetic, and what is written where, in folders that look like the kernel's."""

from __future__ import annotations

from pathlib import Path

import pytest

from workshop.hub import cgroups
from workshop.hub.cgroups import CONTROLLERS, Groups, NoControlGroupsError, files_of, version
from workshop.hub.limits import LEAST, MB, MOST, Limits, for_room, for_student

GB = 1024 * MB


@pytest.mark.parametrize(
    ("memory", "cores", "students", "expected"),
    [
        pytest.param(24 * GB, 2, 30, (2 * 22 * GB // 30, 1.0), id="the machine of the trial"),
        pytest.param(4 * GB, 1, 30, (LEAST, 1.0), id="small"),
        pytest.param(1 * GB, 1, 30, (LEAST, 1.0), id="too small"),
        pytest.param(256 * GB, 64, 30, (MOST, 63.0), id="large"),
    ],
)
def test_what_one_student_gets(
    memory: int, cores: int, students: int, expected: tuple[int, float]
) -> None:
    found = for_student(memory, cores, students)
    assert (found.memory, found.cores) == expected


def test_what_the_instructor_sets_wins() -> None:
    found = for_student(24 * GB, 8, 30, memory_mb=700, most_cores=0.5)
    assert (found.memory, found.cores) == (700 * MB, 0.5)


def test_the_room_leaves_memory_to_the_system() -> None:
    assert for_room(24 * GB).memory == 22 * GB
    with pytest.raises(ValueError, match="has 1024 MiB of memory"):
        for_room(1 * GB)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    for name in CONTROLLERS:
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.fixture
def new(tmp_path: Path) -> Path:
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids")
    (tmp_path / "cgroup.procs").write_text("41\n42\n")
    return tmp_path


LIMITS = Limits(memory=GB, cores=1.5, processes=100)


def test_version_1_has_a_folder_for_each_controller(old: Path) -> None:
    groups = Groups("room", old)
    groups.make_room(for_room(24 * GB))
    groups.make("ana", LIMITS)
    assert version(old) == 1
    assert (old / "memory/room/memory.limit_in_bytes").read_text() == str(22 * GB)
    assert (old / "memory/room/ana/memory.limit_in_bytes").read_text() == str(GB)
    assert (old / "cpu/room/ana/cpu.cfs_quota_us").read_text() == "150000"
    assert (old / "cpu/room/cpu.cfs_quota_us").read_text() == "-1"
    assert (old / "cpu/room/cpu.shares").read_text() == "8192"
    assert not (old / "cpu/room/ana/cpu.shares").exists()  # students weigh the same
    assert (old / "pids/room/ana/pids.max").read_text() == "100"
    assert [door.relative_to(old).parts[0] for door in groups.doors("ana")] == list(CONTROLLERS)


def test_version_2_has_one_folder(new: Path) -> None:
    groups = Groups("room", new)
    groups.make_room(for_room(24 * GB))
    groups.make("ana", LIMITS)
    ana = new / "room/ana"
    assert version(new) == 2
    assert (new / "room/cpu.weight").read_text() == "400"
    assert (ana / "memory.max").read_text() == str(GB)
    assert (ana / "cpu.max").read_text() == "150000 100000"
    assert (ana / "pids.max").read_text() == "100"
    for above in (new, new / "room"):
        assert (above / "cgroup.subtree_control").read_text() == "+memory +cpu +pids"
    assert groups.doors("ana") == [ana / "cgroup.procs"]
    assert not (new / "services").exists()


def test_in_a_container_the_processes_move_into_a_leaf(
    new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    control = new / "cgroup.subtree_control"

    def write(file: Path, value: str) -> None:
        if file == control and not (new / "services").exists():
            raise NoControlGroupsError("busy")
        file.write_text(value)

    monkeypatch.setattr(cgroups, "write", write)
    Groups("room", new).make_room(for_room(24 * GB))
    assert (new / "services/cgroup.procs").read_text() == "42"
    assert control.read_text() == "+memory +cpu +pids"


def test_raised_limits_are_written_in_an_order_the_kernel_takes() -> None:
    files = [(file, value) for _, file, value in files_of(1, LIMITS) if "memory" in file]
    assert files[0] == ("memory.memsw.limit_in_bytes", "-1")


def test_a_full_group_is_seen(old: Path) -> None:
    groups = Groups("room", old)
    groups.make_room(for_room(24 * GB))
    groups.make("ana", LIMITS)
    current = old / "pids/room/ana/pids.current"
    current.write_text("99")
    assert not groups.full("ana")
    current.write_text("100")
    assert groups.full("ana")
    assert groups.full("nobody")


def test_no_process_is_made_in_a_group_while_it_is_killed(
    new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = Groups("room", new)
    groups.make_room(for_room(24 * GB))
    groups.make("ana", LIMITS)
    ana = new / "room/ana"
    (ana / "cgroup.kill").touch()
    (ana / "cgroup.procs").write_text("123456789\n")
    seen: list[str] = []

    def kill(process: int, number: int) -> None:
        seen.append((ana / "pids.max").read_text())
        (ana / "cgroup.procs").write_text("")

    monkeypatch.setattr(cgroups.os, "kill", kill)
    assert groups.kill("ana") == set()
    assert seen == ["0"]
    assert (ana / "cgroup.kill").read_text() == "1"
    groups.make("ana", LIMITS)
    assert (ana / "pids.max").read_text() == "100"


def test_what_could_not_be_killed_is_named(
    new: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    groups = Groups("room", new)
    groups.make_room(for_room(24 * GB))
    groups.make("ana", LIMITS)
    (new / "room/ana/cgroup.procs").write_text("41\n")
    monkeypatch.setattr(cgroups.os, "kill", lambda process, number: None)
    assert groups.kill("ana", seconds=0.05) == {41}
    monkeypatch.setattr(groups, "kill", lambda name: {41})
    groups.remove(["ana"])
    assert "not all of ana could be ended: [41]" in capsys.readouterr().out


def test_without_control_groups_nothing_is_promised(tmp_path: Path) -> None:
    with pytest.raises(NoControlGroupsError, match="no limit would hold"):
        Groups("room", tmp_path)


def test_a_value_that_the_kernel_refuses_is_named(old: Path) -> None:
    groups = Groups("room", old)
    (old / "memory/room").mkdir()
    (old / "memory/room/memory.limit_in_bytes").mkdir()
    with pytest.raises(NoControlGroupsError, match=r"memory.limit_in_bytes does not take '2"):
        groups.make_room(for_room(24 * GB))
