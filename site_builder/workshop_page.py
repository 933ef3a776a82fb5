"""A Sphinx extension: the plans on the pages for instructors, and links to sections of pages.

Where a page says ``<!-- plan: 90-minutes -->`` the timetable of that plan comes, and where it says
``<!-- blocks: 90-minutes -->`` the blocks that this plan has and no plan before it, with minutes
counted from their sections and with what the questions themselves say. ``{{ name }}`` is a number:
see :func:`numbers`. A link to a section is written ``{section}`start/tonight#why-fewer-bits` `` and
shows the section's title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxRole

from qlearn.course.question.texts import PARTS
from site_builder.reading_time import BOOK, PACE
from site_builder.sections import section
from site_builder.ways import FOLDER
from site_builder.workshop_records import plain, records
from workshop.core_pages import core_pages
from workshop.plans import pace
from workshop.plans.asked import Asked, asked
from workshop.plans.cell_times import record
from workshop.plans.plan import Block, Day, Pause, Plan, Step
from workshop.plans.problems import blocks, problems
from workshop.plans.three_plans import PLANS

PAGE = "book/reference/workshop"
BLOCKS = "book/reference/workshop_blocks"
NUMBER = re.compile(r"\{\{ (\w+) \}\}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Have the pages filled in when Sphinx reads it, and let pages link to sections."""
    app.connect("source-read", fill_in)
    app.add_role("section", SectionLink())
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class SectionLink(SphinxRole):
    """A link to a section of a page, with the section's title; a wrong name stops the build."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the link."""
        found = section(self.text)
        builder = self.env.app.builder
        address = builder.get_relative_uri(self.env.docname, FOLDER + found.page)
        link = nodes.reference(self.rawtext, found.title, internal=True)
        link["refuri"] = f"{address}#{found.slug}" if found.slug else address
        return [link], []


def fill_in(app: Sphinx, page: str, source: list[str]) -> None:
    """Put the plans into the pages.

    Raises:
        ExtensionError: a plan names what is not there, or is too full.
    """
    if page not in (PAGE, BLOCKS):
        return
    if found := problems(PLANS):
        raise ExtensionError("the plans for workshops would not be true: " + "; ".join(found))
    source[0] = filled(source[0], PLANS, Path(app.srcdir) / "book")


def filled(text: str, plans: tuple[Plan, ...], book: Path = BOOK) -> str:
    """Return a page with its marks replaced; an unknown number is a KeyError.

    The book is the one that is being built: in that of the students no question has its answer.
    """
    marks = {f"plan: {plan.key}": timetable(plan) for plan in plans}
    for place, plan in enumerate(plans):
        before = blocks(plans[:place])
        new = [block for block in blocks([plan]) if block not in before]
        marks[f"blocks: {plan.key}"] = "\n\n".join(described(block, book) for block in new)
    for mark, part in (marks | records()).items():
        text = text.replace(f"<!-- {mark} -->", part)
    known = numbers(plans)
    return NUMBER.sub(lambda found: known[found[1]], text)


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


# ------------------------------------------------------------------ timetables


def timetable(plan: Plan) -> str:
    """Return a table for each day of a plan."""
    return "\n\n".join(map(day_table, plan.days))


def day_table(day: Day) -> str:
    """Return a Markdown table: when each block begins, and how many minutes it has."""
    lines = ["```{table}", ":class: timetable", f"| at | {day.title} | min |", "|--:|---|--:|"]
    at = 0
    for item in day.items:
        lines.append(f"| {clock(at)} | {in_table(item)} | {pace.length(item)} |")
        at += pace.length(item)
    left = pace.reserve(day)
    return "\n".join([*lines, f"| {clock(at)} | *in reserve* | {left} |", "```"])


def in_table(item: Block | Pause) -> str:
    """Return the link to a block, or what a pause is for."""
    if isinstance(item, Block):
        return f"[{item.title}](#room-{item.key})"
    return f"*{item.title}.* {item.what}" if item.what else f"*{item.title}*"


def clock(minutes: int) -> str:
    """Return a time since the beginning.

    >>> clock(65)
    '1:05'
    """
    return f"{minutes // 60}:{minutes % 60:02}"


# ------------------------------------------------------------------ blocks


def described(block: Block, book: Path = BOOK) -> str:
    """Return a block: its goal, its steps, its question, and what people get wrong."""
    question = asked(block, book)
    parts = [
        f"(room-{block.key})=\n### {block.title}",
        f"After {pace.length(block)} minutes each {block.goal} {open_these(block)}",
        "\n".join(f"1. {step_line(step, bool(question.right))}" for step in block.steps),
        *question_parts(question),
        late(block),
    ]
    return "\n\n".join(part for part in parts if part)


def open_these(block: Block) -> str:
    """Return which pages to open, in a sentence: on paper, a link does not say where it leads."""
    pages = dict.fromkeys(step.section.partition("#")[0] for step in block.steps)
    return f"Open {' and '.join(f'{{section}}`{page}`' for page in pages)}."


def step_line(step: Step, answers: bool) -> str:
    """Return a step: what is done, with which section, how long, and maybe what comes of it."""
    opening = "" if "#" in step.section else "the opening of "
    where = f"{opening}{{section}}`{step.section}`"
    line = f"*{step.way.value}:* {where}, {round(pace.minutes(step))} min."
    cell = f"\n\n```python\n{step.code}\n```\n\n" if step.code else ""
    finds = step.finds if answers else ""
    return indent(f"{line} {step.how}".strip() + (cell or " ") + finds, "   ").strip()


def late(block: Block) -> str:
    """Return what to skip in this block."""
    names = [f"{{section}}`{step.section}`" for step in block.steps if step.can_wait]
    parts = ["**Late?**"]
    if names:
        saved = pace.saved(block)
        minutes = f"{saved} minute{'' if saved == 1 else 's'}"
        parts.append(f"Skip {' and '.join(names)}. That saves {minutes}.")
    if block.can_wait:
        parts.append("No later block needs this one.")
    return " ".join(parts) if len(parts) > 1 else ""


def question_parts(found: Asked) -> Iterator[str]:
    """Yield the question with its options, and if it has its answer, that and the wrong ones."""
    yield f"**Ask the room.** {as_markdown(found.ask)}"
    if found.options:
        yield "\n".join(f"- {as_markdown(option)}" for option in found.options)
    if not found.right:
        return
    right = as_markdown(found.right.removesuffix("."))
    yield f"Right: **{right}**. {as_markdown(found.because)}"
    rows = [f"| {as_markdown(said)} | {as_markdown(why)} |" for said, why in found.wrong]
    table = ["```{table}", ":class: mistakes", "| they say | you say |", "|---|---|"]
    yield "\n".join([*table, *rows, "```"])


def as_markdown(text: str) -> str:
    r"""Return a text of a question as Markdown, which shows all but code and formulas as it is.

    >>> as_markdown("`a_b` is 2 * c_d")
    '`a_b` is 2 \\* c\\_d'
    """
    parts = PARTS.split(text)
    return "".join(
        part.replace("|", r"\|") if PARTS.fullmatch(part) else plain(part) for part in parts
    )
