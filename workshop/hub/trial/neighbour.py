"""A student who works while something breaks: runs cells, saves, and counts what did not work."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # it imports what only the hub's environment has
    from workshop.hub.trial.student import Student

PAUSE = 0.5  # seconds between two steps
NOTEBOOK = "course/work.ipynb"


def notebook(*cells: str) -> dict:
    """Return a notebook of these cells."""
    return {
        "cells": [
            {"cell_type": "code", "id": f"c{number}", "metadata": {}, "source": source,
             "outputs": [], "execution_count": None}
            for number, source in enumerate(cells)
        ],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip


class Neighbour:
    """Counts up in a kernel and in a saved notebook, and notices when either stands still."""

    def __init__(self, student: Student):
        self.student = student
        self.count = 0
        self.saved = 0
        self.last = time.monotonic()
        self.longest = 0.0
        self.task: asyncio.Task | None = None

    async def begin(self) -> None:
        """Log in, start a kernel, and go on until told to stop."""
        await self.student.log_in()
        await self.student.come_in()
        await self.student.save(NOTEBOOK, notebook("0"))
        await self.student.start_kernel(NOTEBOOK)
        await self.student.run("count = 0")
        self.student.patience = 5.0
        self.task = asyncio.create_task(self.work())

    async def come_back(self) -> None:
        """Start the server again, as one does after the machine was restarted, and work on."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)
        await self.student.come_in()
        await self.student.start_kernel(NOTEBOOK)
        await self.student.run(f"count = {self.saved}")
        self.task = asyncio.create_task(self.work())

    async def work(self) -> None:
        """Work on; where a connection was cut, connect again, as a page does."""
        while True:
            try:
                await self.step()
                self.longest = max(self.longest, time.monotonic() - self.last)
                self.last = time.monotonic()
            except Exception:
                with contextlib.suppress(Exception):
                    await self.student.connect()
            await asyncio.sleep(PAUSE)

    async def step(self) -> None:
        """Run a cell, save, and read back what was saved.

        Raises:
            RuntimeError: a value or an edit was lost.
        """
        said = await self.student.run("count += 1; print(count)")
        if "Error" in said:
            raise RuntimeError(said)
        self.count = int(said)
        await self.student.save(NOTEBOOK, notebook(str(self.count)))
        self.saved = self.count

    async def edit_is_there(self) -> bool:
        """Return whether the last saved edit can be read, or the one that was under way."""
        found = (await self.student.read(NOTEBOOK))["content"]["cells"][0]["source"]
        return int(found) >= self.saved

    async def works_on(self, seconds: float = 30.0) -> bool:
        """Return whether another cell is run, and its edit saved, in so many seconds."""
        before, end = self.saved, time.monotonic() + seconds
        while self.saved == before and time.monotonic() < end:
            await asyncio.sleep(0.1)
        return self.saved != before

    def interruption(self) -> float:
        """Return the longest time between two steps since the last call."""
        longest = max(self.longest, time.monotonic() - self.last)
        self.longest, self.last = 0.0, time.monotonic()
        return longest

    async def end(self) -> None:
        """Stop working."""
        if self.task is not None:
            self.task.cancel()
        await self.student.close()
