"""The student who works while something breaks: one who stands still is noticed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from workshop.hub.trial import neighbour
from workshop.hub.trial.neighbour import Neighbour


class Working:
    """Counts as a kernel does, and forgets the count when the kernel ends."""

    def __init__(self) -> None:
        self.count, self.kernel = 0, True

    async def run(self, code: str) -> str:
        self.count += 1
        return str(self.count) if self.kernel else "NameError: name 'count' is not defined"

    async def save(self, path: str, notebook: dict[str, Any]) -> None:
        """Keep nothing."""

    async def connect(self) -> None:
        """Find the server as it was."""


def test_a_neighbour_who_lost_the_kernel_works_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbour, "PAUSE", 0.01)

    async def watched() -> list[bool]:
        student = Working()
        one = Neighbour(student)  # type: ignore[arg-type]
        one.task = asyncio.create_task(one.work())
        found = [await one.works_on()]
        student.kernel = False
        await asyncio.sleep(0.1)
        found.append(await one.works_on(0.3))
        one.task.cancel()
        return found

    assert asyncio.run(watched()) == [True, False]
