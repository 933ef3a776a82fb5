"""What stands around the chapters: the title, the contents, the parts, and the appendix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import yaml
from bs4 import Tag

from site_builder.contents import ROOT
from workshop.book_pdf.articles import Chapter
from workshop.book_pdf.paper import element
from workshop.book_pdf.parts import Part

CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
TITLE: str = CITATION["title"]
AUTHOR: str = CITATION["authors"][0]["name"]
SOLUTIONS = "solutions"
PREFACE = (
    "A picture that moves on the site stands here in its opening state. To work on its task, to "
    "press a button, and to have an answer checked, open the site.",
    "The solutions stand at the end. Each question names the page of its solution; what lies "
    "“above” a solution is above its question.",
    "What is folded on the site stands open here, code and outputs.",
)


def title_page() -> Tag:
    """Return the first page, which says what is otherwise than on the site."""
    page = element("section", class_="qb-title-page")
    page.append(element("p", TITLE, class_="qb-book-title"))
    page.append(element("p", "How PyTorch quantizes neural networks", class_="qb-subtitle"))
    for line in (f"Version {CITATION['version']}", *PREFACE):
        page.append(element("p", line, class_="qb-note"))
    return page


def contents(wanted: Sequence[Part], chapters: Mapping[str, Chapter], *, solved: bool) -> Tag:
    """Return the contents, whose links get their page numbers after the first print."""
    nav = element("nav", class_="qb-contents", data_pages="contents", aria_label="Contents")
    nav.append(element("h1", "Contents"))
    for part in wanted:
        lines = [
            entry(chapters[page].name, chapters[page].title, depth) for page, depth in part.pages
        ]
        nav.extend(captioned(part.caption, lines))
    if solved:
        nav.extend(captioned("Appendix", [entry(SOLUTIONS, "Solutions", 0)]))
    return nav


def captioned(caption: str, lines: Iterable[Tag]) -> list[Tag]:
    """Return a list of the contents below the name of its part."""
    items = element("ul")
    items.extend(lines)
    return [element("p", caption, class_="qb-caption"), items] if caption else [items]


def entry(name: str, title: str, depth: int) -> Tag:
    """Return a line of the contents."""
    item = element("li", class_=f"qb-depth-{depth}")
    link = element("a", href=f"#{name}", class_="qb-entry")
    link.append(element("span", title))
    item.append(link)
    return item


def part_of(part: Part, chapters: Mapping[str, Chapter]) -> Tag:
    """Return a part: its chapters, with its caption above the first."""
    section = element("section", class_="qb-part")
    for place, (page, _) in enumerate(part.pages):
        chapter = chapters[page]
        frame = element("div", class_="bd-content qb-chapter", data_pages=chapter.name)
        if place == 0 and part.caption:
            frame.append(element("h1", part.caption, class_="qb-caption"))
        heading = chapter.article.find("h2")
        assert isinstance(heading, Tag), "read_chapter has looked"
        heading["id"] = chapter.name
        frame.append(chapter.article.extract())
        section.append(frame)
    return section


def appendix(solved: Iterable[Tag]) -> Tag:
    """Return the solutions of all chapters."""
    frame = element("div", class_="bd-content qb-chapter", data_pages=SOLUTIONS)
    frame.append(element("h1", "Solutions", class_="qb-caption", id=SOLUTIONS))
    article = element("article", class_="bd-article")
    article.extend(solved)
    frame.append(article)
    return frame
