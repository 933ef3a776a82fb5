"""The page for instructors: the timetable of each plan, the records, and what is counted."""

from __future__ import annotations

from itertools import pairwise

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from site_builder.markdown import table
from site_builder.reading_time import PACE
from site_builder.workshop_records import records
from workshop.core_pages import core_pages
from workshop.plans import pace
from workshop.plans.cell_times import record
from workshop.plans.plan import Block, Day, Pause, Plan
from workshop.plans.problems import blocks, problems
from workshop.plans.three_plans import PLANS

PAGE = "book/reference/workshop"


def parts(_: Sphinx | None = None) -> dict[str, str]:
    """Return the timetables, the records and the numbers, by their marks.

    Raises:
        ExtensionError: a plan names what is not there, or is too full.
    """
    if found := problems(PLANS):
        raise ExtensionError("the plans for workshops would not be true: " + "; ".join(found))
    times = {f"plan: {plan.key}": timetable(plan) for plan in PLANS}
    return times | records() | numbers(PLANS)


def numbers(plans: tuple[Plan, ...]) -> dict[str, str]:
    """Return what the page says of the plans, counted, and what they assume."""
    longest = max(blocks(plans), key=pace.waits)
    return {
        "decks": str(len(core_pages())),
        "words": f"{60 / PACE['words']:.0f}",
        "code": str(PACE["code_lines"]),
        "output": str(PACE["output_lines"]),
        "figure": f"{PACE['figures'] / 60:g}",
        "guess": str(PACE["guesses"]),
        "aloud": f"{60 / PACE['words'] / pace.SPOKEN:.0f}",
        "spoken": f"{pace.SPOKEN:g}",
        "question": str(pace.QUESTION),
        "last": str(pace.LAST),
        "slow": str(pace.SLOW),
        "round": str(pace.ROUND),
        "wait": f"{60 * pace.waits(longest):.0f}",
        "short": str(round(without_what_can_wait(plans[0].days[0]))),
        "machine": f"{record()['machine']}, {record()['date']}",
    }


def without_what_can_wait(day: Day) -> float:
    """Return the minutes of a day if each block is cut short."""
    cut = sum(pace.saved(item) for item in day.items if isinstance(item, Block))
    return sum(map(pace.exact, day.items)) - cut


def timetable(plan: Plan) -> str:
    """Return a table for each day of a plan."""
    return "\n\n".join(map(day_table, plan.days))


def day_table(day: Day) -> str:
    """Return a Markdown table: when each block begins, and how many minutes it has."""
    times = [*pace.times(day), day.minutes]
    rows = [*map(in_table, day.items), "*in reserve*"]
    lines = [
        (pace.clock(at), row, end - at)
        for row, (at, end) in zip(rows, pairwise(times), strict=True)
    ]
    return table(["at", day.title, "min"], lines, align="rlr", look="timetable")


def in_table(item: Block | Pause) -> str:
    """Return the link to a block, or what a pause is for."""
    if isinstance(item, Block):
        return f"[{item.title}](#room-{item.key})"
    return f"*{item.title}.* {item.what}" if item.what else f"*{item.title}*"
