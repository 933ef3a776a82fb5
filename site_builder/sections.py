"""The sections of a page: what each is called, where it lies in the site, and how long it takes.

    python -m site_builder.sections start/tonight      # the minutes of each section of a page

A section is named as in ``start/tonight#four-bits-in-groups``: the page below book/, and what the
site calls the section in an address. Without ``#`` it is the opening of the page.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat
from docutils.nodes import make_id
from nbformat import NotebookNode

from site_builder.reading_time import BOOK, Content, headed, pieces

TITLE = re.compile(r"\A(?:\([^)]*\)=\n)*# (.*)$", re.MULTILINE)
MARKED_UP = re.compile(r"[`*]|\{[a-z:]+\}")


@dataclass(frozen=True)
class Section:
    """A section of a page: its name in an address, its title, and what a reader meets there.

    The content of a section holds that of the sections below it.
    """

    page: str
    slug: str
    title: str
    level: int  # 1 for the opening, else as many as its heading has marks
    content: Content

    @property
    def name(self) -> str:
        """The name, as in ``start/tonight#four-bits-in-groups``."""
        return f"{self.page}#{self.slug}" if self.slug else self.page


@cache
def sections(page: str) -> dict[str, Section]:
    """Return the sections of a page by their slugs, in their order; the opening has "".

    Raises:
        FileNotFoundError: there is no such page.
    """
    path = file_of(page)
    titles, contents = {"": title_of(path)}, {"": Content()}
    levels = open_now = {"": 1}
    for heading, content in pieces(path):
        if heading:
            open_now = opened(open_now, heading)
            *_, slug = open_now
            titles[slug], contents[slug] = plain(heading), Content()
            levels = levels | open_now
        for slug in open_now:
            contents[slug] += content
    return {s: Section(page, s, titles[s], levels[s], contents[s]) for s in titles}


def opened(open_now: dict[str, int], heading: str) -> dict[str, int]:
    """Return the sections that lie open behind a heading, with their levels; its own is the last.

    >>> opened({"rules": 2, "first": 3}, "### The second")
    {'rules': 2, 'the-second': 3}
    """
    level = len(heading.partition(" ")[0])
    outer = {slug: outer for slug, outer in open_now.items() if 1 < outer < level}
    return outer | {make_id(plain(heading)): level}


def plain(heading: str) -> str:
    """Return the title of a heading without its marks."""
    return MARKED_UP.sub("", heading.lstrip("#")).strip()


def places(notebook: NotebookNode) -> Iterator[tuple[str, ...]]:
    """Yield for each cell the slugs of the sections that it lies in, the innermost at the end."""
    open_now = {"": 1}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for heading, _ in headed(cell.source):
                open_now = opened(open_now, heading) if heading else open_now
        yield tuple(open_now)


def section(name: str) -> Section:
    """Return the section of a name.

    Raises:
        KeyError: the page has no such section; the message says which it has.

    >>> section("start/tonight#four-bits-in-groups").title
    'Four bits, in groups'
    """
    page, _, slug = name.partition("#")
    found = sections(page)
    if slug not in found:
        raise KeyError(f"{page} has no section {slug!r}: it has {', '.join(filter(None, found))}")
    return found[slug]


def file_of(page: str) -> Path:
    """Return the notebook or the text of a page, as it is named below book/."""
    path = BOOK / f"{page}.ipynb"
    path = path if path.is_file() else path.with_suffix(".md")
    if not path.is_file():
        raise FileNotFoundError(f"there is no page {page} in {BOOK}")
    return path


def title_of(path: Path) -> str:
    """Return the title that a page opens with."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = nbformat.reads(text, as_version=4).cells[0].source
    return title_in(text)


def title_in(text: str) -> str:
    r"""Return the title that a text opens with, or an empty string.

    >>> title_in("(here)=\n# Two `bits`")
    'Two bits'
    """
    found = TITLE.search(text)
    return plain(found[1]) if found else ""


def main(pages: list[str]) -> int:
    """Print the minutes of each section."""
    for page in pages:
        for each in sections(page).values():
            print(f"{each.content.seconds / 60:5.1f}  {each.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
