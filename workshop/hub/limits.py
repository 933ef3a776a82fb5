"""How much of the machine one student may use."""

from __future__ import annotations

import os
from dataclasses import dataclass

MB = 2**20
# What the system, the hub, the proxy and the parents of kernels and servers need.
RESERVED = 2048 * MB
LEAST, MOST = 1024 * MB, 4096 * MB
# Students seldom need their most at the same time. All together are held below the whole machine.
TIMES_PROMISED = 2
# A group weighs as much as one process, unless it is told. A room that weighs as much as one waits
# for whatever else runs; one that weighs as much as thirty lets the hub itself wait.
ROOM = 8
PROCESSES = 512  # processes and threads: a server, its kernels, and what a cell may start


@dataclass(frozen=True)
class Limits:
    """Bytes of memory, processors and processes; ``None`` means no limit.

    The weight says how much of busy processors the group gets, beside a single process.
    """

    memory: int
    cores: float | None
    processes: int | None
    weight: int | None = None


def for_student(
    memory: int, cores: int, students: int, memory_mb: int = 0, most_cores: float = 0.0
) -> Limits:
    """Return the limits of one of ``students`` on a machine with so much memory, so many cores.

    Memory is promised twice, between 1 and 4 GiB. One student leaves a core to the others where
    there is more than one. What the instructor set (``memory_mb``, ``most_cores``) wins.

    >>> limits = for_student(memory=24 * 1024 * MB, cores=2, students=30)
    >>> limits.memory // MB, limits.cores
    (1501, 1.0)
    """
    share = TIMES_PROMISED * max(0, memory - RESERVED) // students
    return Limits(
        memory=memory_mb * MB if memory_mb else min(max(share, LEAST), MOST),
        cores=most_cores or float(max(1, cores - 1)),
        processes=PROCESSES,
    )


def for_room(memory: int) -> Limits:
    """Return the limits of all students together: what the system needs stays with it.

    Raises:
        ValueError: the machine is too small for anybody.
    """
    if memory < RESERVED + LEAST:
        raise ValueError(
            f"this machine has {memory // MB} MiB of memory; the hub and one student need "
            f"{(RESERVED + LEAST) // MB} MiB"
        )
    return Limits(memory=memory - RESERVED, cores=None, processes=None, weight=ROOM)


def for_services() -> Limits:
    """Return the limits of hub, proxy and parents together: what is reserved, and half the work."""
    return Limits(memory=RESERVED, cores=None, processes=None, weight=ROOM)


def for_service() -> Limits:
    """Return the limits of one of them. Strangers who send it much end it, and nothing else."""
    return Limits(memory=RESERVED // 2, cores=None, processes=None)


def of_this_machine() -> tuple[int, int]:
    """Return this machine's bytes of memory and its cores."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return memory, len(os.sched_getaffinity(0))
