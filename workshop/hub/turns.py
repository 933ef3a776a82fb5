"""Servers start in turn, and when a core is free: who works comes before who arrives.

As many at a time as there are cores make the last one no later than all at once would, and the
first ones work meanwhile. Where all run a whole chapter at the moment they come in, a server waits
up to two seconds for a core: without that, the others' cells took four times as long.
`make room-load` measures it.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from workshop.hub import limits

LULL = 2.0  # seconds at most that a turn waits for a free core
ASK = 3.0  # seconds at most until a server is forked, or starts the slow way
LONGEST = 10.0  # seconds, at most, until it listens. One that hangs lets the others pass.
Found = TypeVar("Found")


async def started(
    turns: asyncio.Semaphore,
    start: Callable[[], Awaitable[Found]],
    listens: Callable[[Found], Awaitable[object]],
    longest: float = LONGEST,
) -> Found:
    """Start a server in its turn, wait until it listens, and return what ``start`` returned.

    The turn ends when the server listens, or ``longest`` seconds after ``start`` returned, or with
    an error.
    """
    async with turns:
        await lull()
        found = await start()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(longest):
                await listens(found)
    await listens(found)
    return found


async def lull(longest: float = LULL, pause: float = 0.1) -> None:
    """Wait until a core is free, or for ``longest`` seconds."""
    end = time.monotonic() + longest
    while wanting() > at_once() and time.monotonic() < end:
        await asyncio.sleep(pause)


def wanting() -> int:
    """Return how many threads of this machine want a core now, this one among them.

    In a container they are those of the whole machine, and a start may wait without need.
    """
    return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[0])


def at_once() -> int:
    """Return how many servers start at once: as many as this machine has cores."""
    return limits.of_this_machine()[1]


def longest_wait(students: int, cores: int) -> int:
    """Return the whole seconds after which everybody's turn has come, even if all servers hang.

    >>> longest_wait(30, 2), longest_wait(25, 4)
    (225, 94)
    """
    return math.ceil((LULL + ASK + LONGEST) * students / cores)
