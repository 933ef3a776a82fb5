"""The page of the blocks of all workshops: for each plan those that no plan before it has.

Minutes are counted from the sections of pages, and questions say themselves what is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

from sphinx.application import Sphinx

from qlearn.course.question.texts import PARTS
from site_builder.markdown import escaped, table
from site_builder.reading_time import BOOK
from workshop.plans import pace
from workshop.plans.asked import Asked, asked
from workshop.plans.plan import Block, Plan, Step
from workshop.plans.problems import blocks
from workshop.plans.three_plans import PLANS

PAGE = "book/reference/workshop_blocks"


def parts(app: Sphinx) -> dict[str, str]:
    """Return the blocks of each plan, by their marks.

    The book is the one that is being built: in that of the students no question has its answer.
    """
    book = Path(app.srcdir) / "book"
    return {
        f"blocks: {key}": "\n\n".join(described(block, book) for block in found)
        for key, found in new_blocks(PLANS).items()
    }


def new_blocks(plans: tuple[Plan, ...]) -> dict[str, list[Block]]:
    """Return of each plan, by its key, the blocks that no plan before it has."""
    seen = {plan.key: blocks(plans[:place]) for place, plan in enumerate(plans)}
    return {p.key: [block for block in blocks([p]) if block not in seen[p.key]] for p in plans}


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
    pages = dict.fromkeys(step.page for step in block.steps)
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
