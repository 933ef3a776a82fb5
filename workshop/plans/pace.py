"""How many minutes a block takes in a room: counted from its pages, not typed.

Reading is counted as on the pages, by :mod:`site_builder.reading_time`. A room is slower than one
reader. The numbers below say by how much; they are assumptions, and stand on the page.
"""

from __future__ import annotations

from itertools import accumulate

from site_builder.reading_time import PACE
from site_builder.sections import section
from workshop.plans.cell_times import waiting
from workshop.plans.plan import Block, Day, Pause, Step, Way

SPOKEN = 1.5  # one speaks 120 words a minute, and the pages count 180
QUESTION = 5  # minutes: alone, show of hands, with a neighbour, once more, and why
LAST = 3  # minutes until the last one is done, where all do or run something
SLOW = 3  # how many times as long a slow laptop computes as the machine of the record
ROUND = 5  # minutes: nobody steers a room more exactly
RESERVE = 0.1  # of a day is kept for what nobody foresees


def minutes(step: Step) -> float:
    """Return how long a step takes, without waiting for cells."""
    seconds = section(step.section).content.seconds
    if step.way is Way.ASK:
        return (seconds - PACE["guesses"]) / 60 * SPOKEN + QUESTION
    return seconds / 60 * SPOKEN + (LAST if step.way in (Way.DO, Way.RUN) else 0)


def waits(block: Block) -> float:
    """Return the minutes in which a slow laptop computes: each page from its top, once."""
    last = {step.page: step for step in block.steps if step.way is Way.RUN}
    return sum(waiting(step.section) for step in last.values()) * SLOW / 60


def exact(item: Block | Pause) -> float:
    """Return the minutes of a block as they are counted, or of a pause."""
    if isinstance(item, Pause):
        return item.minutes
    return sum(map(minutes, item.steps)) + waits(item)


def length(block: Block) -> int:
    """Return the minutes of a block alone, rounded."""
    return rounded(exact(block))


def rounded(count: float) -> int:
    """Return minutes as a plan names them.

    >>> rounded(27.4), rounded(28)
    (25, 30)
    """
    return ROUND * round(count / ROUND)


def saved(block: Block) -> int:
    """Return the minutes that are won by what can wait."""
    return round(sum(minutes(step) for step in block.steps if step.can_wait))


def times(day: Day) -> list[int]:
    """Return when each part of a day begins, in minutes, and when the last one ends.

    The time is rounded, and not the parts: else a day of parts that are rounded down ends too late.
    """
    return [rounded(at) for at in accumulate(map(exact, day.items), initial=0.0)]


def clock(minutes: int) -> str:
    """Return a time since the beginning.

    >>> clock(65)
    '1:05'
    """
    return f"{minutes // 60}:{minutes % 60:02}"
