"""Servers start in turn: of thirty that start at once, none is ready before nearly all are.

They share the cores, and all are ready late together. As many at a time as there are cores make
the last one no later, and the first ones work meanwhile. `make room-load` measures it.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable
from typing import TypeVar

from workshop.hub import limits

LONGEST = 10.0  # seconds of a turn; it takes about two. A server that hangs lets the others pass.
Found = TypeVar("Found")


async def started(
    turns: asyncio.Semaphore,
    start: Callable[[], Awaitable[Found]],
    listens: Callable[[Found], Awaitable[object]],
    longest: float = LONGEST,
) -> Found:
    """Start a server in its turn, wait until it listens, and return what ``start`` returned.

    The turn ends when the server listens, or after ``longest`` seconds, or with an error.
    """
    async with turns:
        found = await start()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(longest):
                await listens(found)
    await listens(found)
    return found


def at_once() -> int:
    """Return how many servers start at once: as many as this machine has cores."""
    return limits.of_this_machine()[1]


def longest_wait(students: int, cores: int) -> int:
    """Return the whole seconds after which everybody's turn has come, even if all servers hang.

    >>> longest_wait(30, 2), longest_wait(25, 4)
    (150, 63)
    """
    return math.ceil(LONGEST * students / cores)
