"""One HTML document of all chapters, ready for print."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bs4 import Tag

from workshop.book_pdf.articles import (
    Chapter,
    dead_links,
    link_within,
    move_files,
    name_all,
    read_chapter,
)
from workshop.book_pdf.frame import SOLUTIONS, TITLE, appendix, contents, part_of, title_page
from workshop.book_pdf.paper import element, for_paper
from workshop.book_pdf.parts import Part
from workshop.book_pdf.solutions import move_solutions

STYLE = Path(__file__).parent / "paper.css"


class BrokenDocumentError(ValueError):
    """The document would have links that lead nowhere."""


def write_document(site: Path, wanted: Sequence[Part], path: Path, paper: str) -> None:
    """Write the document that Chromium prints.

    Raises:
        BrokenDocumentError: if a name in it stands twice, or a link leads nowhere.
    """
    top = os.path.relpath(site, path.parent)
    chapters = {page: read_chapter(site, page) for part in wanted for page, _ in part.pages}
    solved = list(prepared(chapters, top))
    body = element("body")
    body.extend([title_page(), contents(wanted, chapters, solved=bool(solved))])
    body.extend(part_of(part, chapters) for part in wanted)
    if solved:
        body.append(appendix(solved))
    if wrong := list(dead_links(body)):
        raise BrokenDocumentError("\n".join(wrong))
    html = element("html", lang="en", data_theme="light", data_mode="light")
    html.extend([head(wanted, chapters, top, paper), body])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"<!doctype html>\n{html}\n", encoding="utf-8")


def prepared(chapters: Mapping[str, Chapter], top: str) -> Iterator[Tag]:
    """Make each chapter ready for paper, and yield its solutions."""
    for chapter in chapters.values():
        for_paper(chapter.article)
        name_all(chapter)
        link_within(chapter, chapters)
        move_files(chapter, top)
        if (solved := move_solutions(chapter)) is not None:
            yield solved


def head(wanted: Sequence[Part], chapters: Mapping[str, Chapter], top: str, paper: str) -> Tag:
    """Return the head of the document: all style sheets of the site, and those for paper."""
    made = element("head")
    made.extend([element("meta", charset="utf-8"), element("title", TITLE)])
    sheets = dict.fromkeys(sheet for chapter in chapters.values() for sheet in chapter.styles)
    made.extend(element("link", rel="stylesheet", href=f"{top}/{sheet}") for sheet in sheets)
    rules = [STYLE.read_text("utf-8"), f"@page {{ size: {paper}; }}\n"]
    rules += [running_head("contents", "", "Contents"), running_head(SOLUTIONS, "", "Solutions")]
    for part in wanted:
        for page, _ in part.pages:
            rules.append(running_head(chapters[page].name, part.caption, chapters[page].title))
    made.append(element("style", "".join(rules)))
    return made


def running_head(name: str, left: str, right: str) -> str:
    r"""Return the style of the pages of that name.

    >>> print(running_head("x", "", 'Say "no"'), end="")
    @page x { @top-left { content: ""; } @top-right { content: "Say \"no\""; } }
    [data-pages="x"] { page: x; }
    """
    left, right = (text.replace("\\", "\\\\").replace('"', '\\"') for text in (left, right))
    boxes = f'@top-left {{ content: "{left}"; }} @top-right {{ content: "{right}"; }}'
    return f'@page {name} {{ {boxes} }}\n[data-pages="{name}"] {{ page: {name}; }}\n'
