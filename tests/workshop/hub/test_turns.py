"""Servers start in turn, and one that hangs or fails keeps nobody waiting for long."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import threading
import time
from collections.abc import Awaitable, Callable

import pytest

from workshop.hub import turns
from workshop.hub.turns import LONGEST, lull, started, wanting


@pytest.fixture(autouse=True)
def nobody_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "wanting", lambda: 1)


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


def waited(monkeypatch: pytest.MonkeyPatch, wanted: list[int]) -> list[float]:
    """Return the pauses of a lull on two cores; so many threads want one, the last for ever."""
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(turns, "at_once", lambda: 2)
    monkeypatch.setattr(turns, "wanting", lambda: wanted.pop(0) if wanted[1:] else wanted[0])
    monkeypatch.setattr(asyncio, "sleep", pause)
    monkeypatch.setattr(turns.time, "monotonic", lambda: sum(pauses))
    asyncio.run(lull(longest=1.0, pause=0.25))
    return pauses


@pytest.mark.parametrize(
    ("wanted", "pauses"), [([2], 0), ([5, 3, 2], 2), ([9], 4)], ids=["free", "soon", "never"]
)
def test_a_start_waits_for_a_free_core_and_not_for_ever(
    wanted: list[int], pauses: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert waited(monkeypatch, wanted) == [0.25] * pauses


def test_who_starts_waits_for_the_lull(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    async def tell_lull() -> None:
        said.append("lull")

    async def start() -> int:
        said.append("start")
        return 1

    async def listens(_: int) -> None:
        said.append("listens")

    monkeypatch.setattr(turns, "lull", tell_lull)
    asyncio.run(started(asyncio.Semaphore(1), start, listens))
    assert said == ["lull", "start", "listens", "listens"]


def test_threads_that_want_a_core_are_counted() -> None:
    """Forty that compute are seen beside what else runs; each C function lets the others run."""
    before, most, enough = wanting(), 0, threading.Event()
    workers = [threading.Thread(target=spin, args=(enough,), daemon=True) for _ in range(40)]
    for worker in workers:
        worker.start()
    end = time.monotonic() + 10
    while most < before + 20 and time.monotonic() < end:
        most = max(most, wanting())
        time.sleep(0.01)
    enough.set()
    for worker in workers:
        worker.join()
    assert most >= before + 20


def spin(enough: threading.Event) -> None:
    data = bytes(1 << 22)
    while not enough.is_set():
        hashlib.sha256(data).digest()
