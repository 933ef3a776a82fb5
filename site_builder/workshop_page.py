"""The plans for instructors, and links to sections of pages.

For each plan there are its timetable and the blocks that it has and no plan before it, with minutes
counted from their sections and with what the questions themselves say. A link to a section is
written ``{section}`start/tonight#why-fewer-bits` `` and shows the section's title.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxRole

from qlearn.course.question.texts import PARTS
from site_builder.markdown import escaped, table
from site_builder.reading_time import BOOK, PACE
from site_builder.sections import section
from site_builder.ways import FOLDER
from site_builder.workshop_records import records
from workshop.core_pages import core_pages
from workshop.plans import pace
from workshop.plans.asked import Asked, asked
from workshop.plans.cell_times import record
from workshop.plans.plan import Block, Day, Pause, Plan, Step
from workshop.plans.problems import blocks, problems
from workshop.plans.three_plans import PLANS

PAGE = "book/reference/workshop"
BLOCKS = "book/reference/workshop_blocks"


def setup(app: Sphinx) -> None:
    """Let pages link to sections."""
    app.add_role("section", SectionLink())


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


def parts(app: Sphinx) -> dict[str, str]:
    """Return the timetables, the blocks, the records and the numbers, by their marks.

    The book is the one that is being built: in that of the students no question has its answer.

    Raises:
        ExtensionError: a plan names what is not there, or is too full.
    """
    if found := problems(PLANS):
        raise ExtensionError("the plans for workshops would not be true: " + "; ".join(found))
    book = Path(app.srcdir) / "book"
    new = {f"blocks: {key}": described_all(found, book) for key, found in new_blocks(PLANS).items()}
    times = {f"plan: {plan.key}": timetable(plan) for plan in PLANS}
    return times | new | records() | numbers(PLANS)


def new_blocks(plans: tuple[Plan, ...]) -> dict[str, list[Block]]:
    """Return of each plan, by its key, the blocks that no plan before it has."""
    seen = {plan.key: blocks(plans[:place]) for place, plan in enumerate(plans)}
    return {p.key: [block for block in blocks([p]) if block not in seen[p.key]] for p in plans}


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
    lines: list[tuple[str, str, int]] = []
    at = 0
    for item in day.items:
        lines.append((clock(at), in_table(item), pace.length(item)))
        at += pace.length(item)
    lines.append((clock(at), "*in reserve*", pace.reserve(day)))
    return table(["at", day.title, "min"], lines, align="rlr", look="timetable")


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


def described_all(found: list[Block], book: Path) -> str:
    """Return blocks, one after the other."""
    return "\n\n".join(described(block, book) for block in found)


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
    rows = [(as_markdown(said), as_markdown(why)) for said, why in found.wrong]
    yield table(["they say", "you say"], rows, align="ll", look="mistakes")


def as_markdown(text: str) -> str:
    r"""Return a text of a question as Markdown, which shows all but code and formulas as it is.

    >>> as_markdown("`a_b` is 2 * c_d")
    '`a_b` is 2 \\* c\\_d'
    """
    parts = PARTS.split(text)
    return "".join(
        part.replace("|", r"\|") if PARTS.fullmatch(part) else escaped(part) for part in parts
    )
