"""What is wrong with a plan, in sentences. A plan with a problem stops the build of the site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from site_builder.sections import section
from workshop.plans.asked import asked
from workshop.plans.cell_times import waiting
from workshop.plans.pace import RESERVE, exact
from workshop.plans.plan import Block, Day, Plan, Way


def problems(plans: Iterable[Plan]) -> list[str]:
    """Return what is wrong with some plans that stand on one page."""
    plans = list(plans)
    found = [said for block in blocks(plans) for said in of_block(block)]
    keys = Counter(block.key for block in blocks(plans))
    found += [f"{count} blocks have the key {key!r}" for key, count in keys.items() if count > 1]
    return found or [said for plan in plans for day in plan.days for said in of_day(day)]


def blocks(plans: Iterable[Plan]) -> list[Block]:
    """Return the blocks of all plans, each once, in the order in which they come first."""
    return list(dict.fromkeys(block for plan in plans for block in plan.blocks()))


def of_block(block: Block) -> Iterator[str]:
    """Yield what is wrong with a block: a section or question that is none, or cells untimed."""
    asking = [step for step in block.steps if step.way is Way.ASK]
    if len(asking) != 1:
        yield f"{block.title}: {len(asking)} steps ask, and one should"
    checks: list[Callable[[], object]] = [
        partial(waiting if step.way is Way.RUN else section, step.section) for step in block.steps
    ]
    checks += [partial(asked, block)] if len(asking) == 1 else []
    for check in checks:
        try:
            check()
        except (KeyError, FileNotFoundError) as error:
            yield f"{block.title}: {error.args[0]}"


def of_day(day: Day) -> Iterator[str]:
    """Yield that a day is too full."""
    taken, wanted = sum(map(exact, day.items)), day.minutes * (1 - RESERVE)
    if taken > wanted:
        yield (
            f"{day.title}: its blocks take {taken:.0f} of {day.minutes} minutes, and "
            f"{day.minutes - wanted:.0f} are for what nobody foresees: take a block out"
        )
