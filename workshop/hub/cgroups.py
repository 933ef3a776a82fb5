"""Control groups: the limits that the kernel holds, whatever a student's process tries.

Version 2 is what machines have today, version 1 what they had until about 2021. In both, a limit
is a number in a file, and a process joins by its number in another. Only root writes there.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

from workshop.hub.limits import Limits

ROOT = Path("/sys/fs/cgroup")
CONTROLLERS = ("memory", "cpu", "pids")
SHARED = " ".join(f"+{name}" for name in CONTROLLERS)
PERIOD = 100_000  # microseconds over which the processor is shared out


class NoControlGroupsError(RuntimeError):
    """Limits would not hold on this machine."""


def version(root: Path = ROOT) -> int:
    """Return 2 or 1.

    Raises:
        NoControlGroupsError: there are none.
    """
    if (root / "cgroup.controllers").exists():
        return 2
    if all((root / name).is_dir() for name in CONTROLLERS):
        return 1
    raise NoControlGroupsError(
        f"{root} has no control groups for memory, cpu and pids, so no limit would hold here. Run "
        "the hub on a machine of its own or a virtual one, not in a container without them."
    )


class Groups:
    """The groups of one room: one for all its students, and below it one for each."""

    def __init__(self, room: str, root: Path = ROOT):
        self.root, self.version = root, version(root)
        names = [""] if self.version == 2 else CONTROLLERS
        self.tops = {name: root / name / room for name in names}

    def make_room(self, limits: Limits) -> None:
        """Make the group of all students, and limit it."""
        if self.version == 2:
            share_controllers(self.root)
        for top in self.tops.values():
            top.mkdir(exist_ok=True)
        if self.version == 2:
            write(self.tops[""] / "cgroup.subtree_control", SHARED)
        self.write_limits(None, limits)

    def make(self, name: str, limits: Limits) -> None:
        """Make the group of one student, and limit it; one that is there gets the new limits."""
        for folder in self.folders(name):
            folder.mkdir(exist_ok=True)
        self.write_limits(name, limits)

    def folders(self, name: str | None) -> list[Path]:
        """Return the folders that are the group, one in version 2 and three in version 1."""
        return [top / name if name else top for top in self.tops.values()]

    def write_limits(self, name: str | None, limits: Limits) -> None:
        """Write the limits into the files of the group."""
        places = dict(zip(self.tops, self.folders(name), strict=True))
        for controller, file, value in files_of(self.version, limits):
            place = places["" if self.version == 2 else controller] / file
            # Where no swap is counted, its file is missing; nothing then is swapped for the group.
            if place.exists() or "sw" not in file:
                write(place, value)

    def doors(self, name: str) -> list[Path]:
        """Return the files through which a process joins the group."""
        return [folder / "cgroup.procs" for folder in self.folders(name)]

    def processes(self, name: str) -> set[int]:
        """Return the processes of the group."""
        found: set[int] = set()
        for door in self.doors(name):
            with contextlib.suppress(FileNotFoundError):
                found |= {int(line) for line in door.read_text().split()}
        return found

    def full(self, name: str) -> bool:
        """Return whether the group has as many processes as it may have."""
        folder = self.folders(name)[-1]
        try:
            most = (folder / "pids.max").read_text().strip()
            return most != "max" and int((folder / "pids.current").read_text()) >= int(most)
        except FileNotFoundError:
            return True

    def kill(self, name: str, seconds: float = 5.0) -> set[int]:
        """Kill every process of the group, and return those that are there after all.

        No process may be made there any more, until `make` writes the limits again: else those of
        a fork bomb make new ones faster than the old ones are killed.
        """
        end = time.monotonic() + seconds
        for folder in self.folders(name):
            for file, value in (("pids.max", "0"), ("cgroup.kill", "1")):
                with contextlib.suppress(OSError):
                    if (folder / file).exists():
                        (folder / file).write_text(value)
        while (left := self.processes(name)) and time.monotonic() < end:
            for process in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.02)
        return left

    def remove(self, names: Iterable[str] = ()) -> None:
        """Kill what runs in the groups, and take them away, the room's last."""
        for name in names:
            if left := self.kill(name):
                print(f"not all of {name} could be ended: {sorted(left)}", flush=True)
        for top in self.tops.values():
            for folder in [*(top / name for name in names), top]:
                with contextlib.suppress(OSError):
                    folder.rmdir()


def files_of(version: int, limits: Limits) -> list[tuple[str, str, str]]:
    """Return what is written where: controller, file, value.

    >>> files_of(2, Limits(memory=2**30, cores=1.5, processes=None))[0]
    ('memory', 'memory.max', '1073741824')
    """
    quota = int(limits.cores * PERIOD) if limits.cores else None
    most = str(limits.processes) if limits.processes else "max"
    memory = str(limits.memory)
    if version == 2:
        # Beside the system's groups, of 100 each; version 1 counts single processes, of 1024.
        weight = [("cpu", "cpu.weight", str(50 * limits.weight))] if limits.weight else []
        return [
            *weight,
            ("memory", "memory.max", memory),
            ("memory", "memory.swap.max", "0"),
            ("cpu", "cpu.max", f"{quota or 'max'} {PERIOD}"),
            ("pids", "pids.max", most),
        ]
    weight = [("cpu", "cpu.shares", str(1024 * limits.weight))] if limits.weight else []
    return [
        *weight,
        # Memory and swap together may never be below memory alone, so they go up first.
        ("memory", "memory.memsw.limit_in_bytes", "-1"),
        ("memory", "memory.limit_in_bytes", memory),
        ("memory", "memory.memsw.limit_in_bytes", memory),
        ("cpu", "cpu.cfs_period_us", str(PERIOD)),
        ("cpu", "cpu.cfs_quota_us", str(quota or -1)),
        ("pids", "pids.max", most),
    ]


def write(file: Path, value: str) -> None:
    """Write a value, or say which the kernel refused."""
    try:
        file.write_text(value)
    except OSError as error:
        raise NoControlGroupsError(f"{file} does not take {value!r}: {error.strerror}") from None


def share_controllers(root: Path) -> None:
    """Let groups below ``root`` have limits, as version 2 wants it said.

    At the top of a machine that is all. In a container the top is no real one: there, processes
    may not lie beside groups with limits, so they move into a group of their own.
    """
    try:
        write(root / "cgroup.subtree_control", SHARED)
    except NoControlGroupsError:
        leaf = root / "services"
        leaf.mkdir(exist_ok=True)
        for process in (root / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):
                (leaf / "cgroup.procs").write_text(process)
        write(root / "cgroup.subtree_control", SHARED)
