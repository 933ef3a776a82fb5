"""How long a page takes to read, counted from what stands on it.

What is counted, and at which pace, is in :data:`PACE`. The quiz, exercises, their solutions, what
is listed for further reading, and folded code are not read on the way.

    python -m site_builder.reading_time        # the minutes of all pages, and what they are made of
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from notebook_pipeline.cells import tags
from notebook_pipeline.find_notebooks import find_notebooks
from notebook_pipeline.outputs import WIDGET_VIEW

BOOK = Path(__file__).parent.parent / "book"
GUESS = re.compile(r"\{admonition\} (Before you open the result|Try this first)")
EXERCISE = re.compile(r"^```+\{(?:exercise|solution)-(start|end)\}(?:.*\n```+)?", re.MULTILINE)
QUESTION = "Question "  # a question as text begins so; it takes as long as a guess
HEADING = re.compile(r"^(#{2,3} .*)$", re.MULTILINE)
FOR_LATER = ("## Quiz", "## Further reading")
NO_PROSE = [
    re.compile(pattern, re.MULTILINE | re.DOTALL)
    for pattern in (
        r"^\$\$.*?^\$\$",  # a formula
        r"\$[^$\n]+\$",
        r"^(```|:::)+\{?math.*?^(```|:::)",
        r"^(```|:::)+.*?$",  # the fences of other directives; what they hold is read
        r"^:[a-z-]+:.*?$",
        r"\{[a-z:]+\}",  # a role
        r"\]\([^)]*\)",  # where a link leads
        r"<[^>\n]*>",
    )
]


@dataclass(frozen=True)
class Content:
    """What a reader meets on a page."""

    words: int = 0
    code_lines: int = 0
    output_lines: int = 0
    guesses: int = 0
    figures: int = 0

    def __add__(self, other: Content) -> Content:
        return Content(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def seconds(self) -> float:
        """Return the seconds that the content takes, by the pace.

        >>> Content(words=3, guesses=1).seconds
        91.0
        """
        return sum(getattr(self, name) * pace for name, pace in PACE.items())

    @property
    def minutes(self) -> int:
        """Return the same in whole minutes, one at least."""
        return max(1, round(self.seconds / 60))


# Seconds for each: 180 words a minute; a figure is one to move.
PACE = {
    "words": 60 / 180,
    "code_lines": 4,
    "output_lines": 2,
    "guesses": 90,
    "figures": 240,
}


def prose(markdown: str) -> Content:
    """Return the words and guesses of a text.

    >>> prose("One code of $2^8$, says [the chapter](../numbers/x).")
    Content(words=6, code_lines=0, output_lines=0, guesses=0, figures=0)
    """
    guesses = len(GUESS.findall(markdown))
    for pattern in NO_PROSE:
        markdown = pattern.sub(" ", markdown)
    return Content(words=sum(bool(re.search(r"\w", w)) for w in markdown.split()), guesses=guesses)


def code(cell: NotebookNode) -> Content:
    """Return the lines of a cell and of its outputs that a reader sees."""
    tagged = tags(cell)
    if {"remove-cell", "hide-cell"} & set(tagged):
        return Content()
    shown = "hide-input" not in tagged and "remove-input" not in tagged
    lines = sum(bool(line.strip()) for line in cell.source.splitlines()) if shown else 0
    found = [output_of(output) for output in cell.outputs] if "remove-output" not in tagged else []
    return sum(found, Content(code_lines=lines))


def output_of(output: NotebookNode) -> Content:
    """Return what an output is: an interactive figure, a picture (not counted), or lines."""
    data = output.get("data", {})
    if WIDGET_VIEW in data and data.get("text/plain", "").startswith(QUESTION):
        return Content(guesses=1)
    if WIDGET_VIEW in data:
        return Content(figures=1)
    if any(kind.startswith("image/") for kind in data):
        return Content()
    text = output.get("text") or data.get("text/plain", "")
    return Content(output_lines=sum(bool(line.strip()) for line in text.splitlines()))


def pieces(path: Path) -> Iterator[tuple[str, Content]]:
    """Yield the pieces of a page in their order, each with the heading that it begins with.

    A piece goes on to the next cell, heading or edge of an exercise, and those that begin with no
    heading have "". What is not read on the way is empty.
    """
    if path.suffix == ".md":
        for heading, text in headed(path.read_text(encoding="utf-8")):
            yield heading, prose(heading + text)
        return
    aside, left_out = False, False  # in an exercise; in a section for later
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "markdown":
            yield "", Content() if aside or left_out else code(cell)
            continue
        for heading, text in headed(cell.source):
            if heading.startswith("## "):
                left_out = heading in FOR_LATER
            before, *turns = EXERCISE.split(heading + text)
            yield heading, Content() if aside or left_out else prose(before)
            for turn, after in zip(turns[::2], turns[1::2], strict=True):
                aside = turn == "start"
                yield "", Content() if aside or left_out else prose(after)


def headed(markdown: str) -> Iterator[tuple[str, str]]:
    r"""Yield the parts of a text, each with its heading, or with "" where it begins without.

    >>> list(headed("One.\n## Two\nThree."))
    [('', 'One.\n'), ('## Two', '\nThree.')]
    """
    before, *parts = HEADING.split(markdown)
    yield "", before
    yield from zip(parts[::2], parts[1::2], strict=True)


def content_of(path: Path) -> Content:
    """Return what a reader meets on a page, without its exercises."""
    return sum((content for _, content in pieces(path)), Content())


def main() -> int:
    """Print each page's minutes, the chapters' sum, and what they are made of."""
    total: Counter[str] = Counter()
    for path in find_notebooks([BOOK]):
        content = content_of(path)
        total["minutes"] += content.minutes
        parts = ", ".join(f"{getattr(content, f.name)} {f.name}" for f in fields(content))
        print(f"{content.minutes:4}  {path.relative_to(BOOK)}: {parts.replace('_', ' ')}")
    print(f"{total['minutes']:4}  in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
