"""Break a hub in use, and attack it: is a saved edit lost, do others work on, what does one see?

Everything happens at a real hub with four students of its own, one thing after the other. A row
says what was done, whether it was withstood, and how long the neighbour stood still meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import re
import sys
from functools import partial
from typing import Any

from workshop.hub.trial.breakages import (
    BREAKAGES,
    WHEN_ALL_HAVE_GONE,
    Breakage,
    settle,
    timed,
)
from workshop.hub.trial.neighbour import Neighbour
from workshop.hub.trial.room import Room, machine, remember
from workshop.hub.trial.strangers import ATTEMPTS
from workshop.hub.trial.student import Student, wait_for

Row = dict[str, Any]


def words(function: Any) -> str:
    """Return what a function does, from its name.

    >>> words(words)
    'words'
    """
    return (
        function.__name__.replace("_", " ")
        .replace("anothers", "another's")
        .replace("yesterdays", "yesterday's")
    )


async def broken(room: Room, struck: Student, neighbour: Neighbour) -> list[Row]:
    """Break one thing after the other."""
    rows = []
    for breakage in BREAKAGES:
        neighbour.interruption()
        seen, seconds, wrong = await timed(breakage, room, struck)
        await asyncio.sleep(2)
        if "machine" in breakage.__name__:
            await neighbour.come_back()
            await asyncio.sleep(2)
        stood_still = neighbour.interruption()
        if not wrong and not await neighbour.edit_is_there():
            wrong = "the neighbour's edit is gone"
        if not wrong and not await neighbour.works_on():
            wrong = "the neighbour works no longer"
        rows.append({
            "what": words(breakage), "seen": seen, "works_again_s": round(seconds, 1),
            "neighbour_s": round(stood_still, 1), "wrong": wrong,
        })  # fmt: skip
        print(line(rows[-1]), flush=True)
        if wrong:
            with contextlib.suppress(Exception):
                await settle(struck)
    return rows


async def left(room: Room, struck: Student, breakage: Breakage) -> Row:
    """Break something when nobody else is there."""
    seen, seconds, wrong = await timed(breakage, room, struck)
    row = {
        "what": words(breakage),
        "seen": seen,
        "works_again_s": round(seconds, 1),
        "wrong": wrong,
    }
    print(line(row), flush=True)
    return row


async def attacked(room: Room, thief: Student) -> list[Row]:
    """Try one thing after the other, and look for it in the log."""
    rows = []
    for attempt, logged in ATTEMPTS:
        before = told(room, logged)
        try:
            seen, wrong = await attempt(room, thief), ""
        except Exception as error:
            seen, wrong = "", f"{type(error).__name__}: {error}"[:600]
        if not wrong and not await wait_for(10, partial(told_more, room, logged, before)):
            wrong = f"no line of the logs that is new has {logged}"
        rows.append({"what": words(attempt), "seen": seen, "logged": not wrong, "wrong": wrong})
        print(line(rows[-1]), flush=True)
    return rows


def told(room: Room, logged: str) -> int:
    """Return how often the logs say it: an attempt must add to what others left there."""
    return len(re.findall(logged, room.log()))


async def told_more(room: Room, logged: str, before: int) -> bool:
    """Return whether it stands in the logs more often than before."""
    return told(room, logged) > before


def line(row: Row) -> str:
    """Return a row of the table."""
    seconds = f"{'logged' if row.get('logged') else '':>10}{'':>9}"
    if "works_again_s" in row:
        stood_still = f"{row['neighbour_s']:7.1f} s" if "neighbour_s" in row else ""
        seconds = f"{row['works_again_s']:7.1f} s {stood_still:>9}"
    mark = f"   WRONG: {row['wrong']}" if row["wrong"] else f"   {row['seen']}"
    return f"{row['what']:<32}{seconds}{mark}"


async def trial(record: bool) -> int:
    """Run the trial; return 0 if everything was withstood."""
    before = machine()
    with Room(4) as room:
        struck, thief = room.student(0), room.student(2)
        neighbour = Neighbour(room.student(1))
        await neighbour.begin()
        for one in (struck, thief):
            await one.log_in()
            await one.come_in()
        await settle(struck)
        print(f"{'':<32}{'again':>9} {'neighbour':>9}   what is seen")
        breakages = await broken(room, struck, neighbour)
        await thief.come_in()
        attempts = await attacked(room, thief)
        await neighbour.end()
        await thief.close()
        breakages += [await left(room, struck, breakage) for breakage in WHEN_ALL_HAVE_GONE]
        await struck.close()
    rows = [*breakages, *attempts]
    wrong = sum(bool(row["wrong"]) for row in rows)
    print(f"{len(rows)} things, {wrong} not withstood; load before {before['load_before']}")
    if record:
        remember("faults", before | {"breakages": breakages, "attempts": attempts})
    return int(bool(wrong))


def main() -> None:
    """Run the trial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="keep the table for the page")
    sys.exit(asyncio.run(trial(parser.parse_args().record)))


if __name__ == "__main__":
    main()
