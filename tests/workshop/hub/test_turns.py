"""Servers start in turn, and one that hangs or fails keeps nobody waiting for long."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable

import pytest

from workshop.hub.turns import LONGEST, started


class Servers:
    """Servers that count how many of them start at once, and listen when they are told to."""

    def __init__(self, at_once: int) -> None:
        self.turns = asyncio.Semaphore(at_once)
        self.numbers = itertools.count()
        self.starting: set[int] = set()
        self.most = 0
        self.may_listen = asyncio.Event()

    async def start(self) -> int:
        number = next(self.numbers)
        self.starting.add(number)
        self.most = max(self.most, len(self.starting))
        return number

    async def listens(self, found: int) -> None:
        await self.may_listen.wait()
        await asyncio.sleep(0.01)
        self.starting.discard(found)

    def one(self, longest: float = LONGEST) -> Awaitable[int]:
        return started(self.turns, self.start, self.listens, longest)


def run(trial: Callable[[Servers], Awaitable[None]], at_once: int = 2) -> Servers:
    """Run a trial, which may take five seconds."""

    async def limited() -> Servers:
        servers = Servers(at_once)
        await asyncio.wait_for(trial(servers), 5)
        return servers

    return asyncio.run(limited())


def test_so_many_start_at_once_and_all_in_the_end() -> None:
    async def trial(servers: Servers) -> None:
        room = asyncio.gather(*(servers.one() for _ in range(9)))
        await asyncio.sleep(0.05)
        assert len(servers.starting) == 2
        servers.may_listen.set()
        assert len(await room) == 9

    servers = run(trial)
    assert (servers.most, servers.starting) == (2, set())


def test_one_that_hangs_lets_the_others_pass_and_is_waited_for() -> None:
    async def trial(servers: Servers) -> None:
        hangs = asyncio.ensure_future(servers.one(longest=0.01))
        await asyncio.sleep(0.05)
        servers.listens = lambda found: asyncio.sleep(0)  # type: ignore[method-assign]
        await servers.one()
        assert not hangs.done()
        servers.may_listen.set()
        await hangs

    run(trial, at_once=1)


@pytest.mark.parametrize("how", ["fails", "is stopped"])
def test_a_start_that_ends_early_gives_its_turn_back(how: str) -> None:
    async def trial(servers: Servers) -> None:
        async def failing() -> int:
            raise RuntimeError("no disk")

        if how == "fails":
            with pytest.raises(RuntimeError, match="no disk"):
                await started(servers.turns, failing, servers.listens)
        else:
            stopped = asyncio.ensure_future(servers.one())
            await asyncio.sleep(0.05)
            stopped.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await stopped
        servers.may_listen.set()
        await servers.one()

    run(trial, at_once=1)
