"""The deck of a day of a plan: the slides of its blocks, one after the other.

A block begins with its title and goal. Where all do something, a slide without the page's numbers
stands before those with them, so that nobody reads what is to be found. What a plan says to the
instructor is in the notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from itertools import pairwise, takewhile

from workshop.plans.pace import clock, times
from workshop.plans.plan import Block, Day, Pause, Plan, Step, Way
from workshop.slides.page import Page, Section
from workshop.slides.plan import section_slides
from workshop.slides.slide import Slide, code, prose

Read = Callable[[str], Page]  # a page of the site by its name
WORK = {
    Way.DO: "All do: with a pencil, or on the page",
    Way.RUN: "All run: the cells of the chapter, from its top",
}


def days(plan: Plan) -> list[tuple[str, Day]]:
    """Return the days of a plan, each with the name of its deck."""
    if len(plan.days) == 1:
        return [(f"plans/{plan.key}", plan.days[0])]
    return [(f"plans/{plan.key}-{at}", day) for at, day in enumerate(plan.days, start=1)]


def day_slides(day: Day, read: Read) -> list[Slide]:
    """Return the slides of a day, each part of it in a column that begins with the time."""
    slides = [Slide(escape(day.title), "", day.title, begins=True, kind="title")]
    for (at, end), item in zip(pairwise(times(day)), day.items, strict=True):
        if isinstance(item, Block):
            found = block_slides(item, end - at, read)
        else:
            found = [pause_slide(item)]
        for slide in found:
            slide.begins = slide is found[0]
        found[0].above = clock(at)
        slides += found
    return slides


def block_slides(block: Block, minutes: int, read: Read) -> list[Slide]:
    """Return the slides of a block: what each can do after it, and its steps."""
    slide = Slide(escape(block.title), "", block.title, kind="title")
    slide.parts.append(prose("goal", f"After {minutes} minutes each {escape(block.goal)}"))
    return [slide, *(slide for step in block.steps for slide in step_slides(step, read))]


def pause_slide(item: Pause) -> Slide:
    """Return the slide of what belongs to no page, such as a break."""
    slide = Slide(escape(item.title), "", item.title, kind="title")
    slide.parts.append(prose("goal", f"{item.minutes} minutes"))
    slide.notes += [f"<p>{marked_up(item.what)}</p>"] if item.what else []
    return slide


def marked_up(text: str) -> str:
    """Return the markup of a sentence of a plan, with its code and its titles.

    >>> marked_up("Run `a < b` of *Tonight*.")
    'Run <code>a &lt; b</code> of <i>Tonight</i>.'
    """
    code = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
    return re.sub(r"\*([^*]+)\*", r"<i>\1</i>", code)


def step_slides(step: Step, read: Read) -> list[Slide]:
    """Return the slides of a step, before whose notes stands what the instructor does."""
    page = read(f"book/{step.page}")
    found = [each for part in sections_of(step, page) for each in section_slides(page, part)]
    told = [f"<p><b>{step.way.value}.</b> {marked_up(step.how)}</p>"]
    told += [f"<p>{marked_up(step.finds)}</p>"] if step.finds else []
    if step.way not in WORK:
        found[0].notes[:0] = told
        return found
    first = Slide(found[0].heading, found[0].above, step.section, notes=told, kind="work")
    first.parts.append(prose("lead", WORK[step.way]))
    if step.code:
        first.parts.append(prose("lead", "Then add this cell:"))
        first.parts.append(code("code", escape(step.code, quote=False), step.section))
    return [first, *found]


def sections_of(step: Step, page: Page) -> Iterator[Section]:
    """Yield a step's section and those below it.

    Raises:
        KeyError: the page has no such section.
    """
    slug = step.section.partition("#")[2]
    opening, *others = page.sections
    if not slug:
        yield opening
        return
    before = list(takewhile(lambda section: section.name != slug, others))
    if len(before) == len(others):
        raise KeyError(f"{step.section} is no section of the built page: run `make book`")
    section, *behind = others[len(before) :]
    if step.begins_above:
        yield next(outer for outer in before[::-1] if outer.level < section.level)
    yield section
    yield from takewhile(lambda below: below.level > section.level, behind)
