"""Printing by Chromium, twice: the first print says which page each thing is on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import pikepdf
from playwright.sync_api import Browser, Page

from site_checks.browser import opened
from workshop.book_pdf.overflow import too_wide
from workshop.book_pdf.reading import texts

SCALE = 0.75
MARGINS_MM = 2 * 18  # those of paper.css
WIDTHS_MM = {"a4": 210.0, "letter": 215.9}
PRINTS_AT_MOST = 6
FILL = Path(__file__).with_name("page_numbers.js").read_text(encoding="utf-8")
HEADINGS = """() => [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")]
  .filter((heading) => heading.checkVisibility())
  .map((heading) => heading.textContent.replace(/\\s+/g, " ").trim())"""


class PrintError(RuntimeError):
    """The print would not be right."""


class Printed(NamedTuple):
    """A document as Chromium prints it, the titles of its headings, and all its pieces of text."""

    pdf: bytes
    titles: list[str]
    texts: list[str]


def print_book(browser: Browser, document: Path, paper: str) -> Printed:
    """Print the document.

    Raises:
        PrintError: if a box does not fit on the paper, if a file is missing, or if the page numbers
            that are shown are not those of the pages.
    """
    with laid_out(browser, document) as page:
        if wide := too_wide(page, round((WIDTHS_MM[paper] - MARGINS_MM) / 25.4 * 96 / SCALE)):
            raise PrintError("\n".join(wide))
        numbers: dict[str, int] = {}
        for _ in range(PRINTS_AT_MOST):
            page.evaluate(FILL, numbers)
            pdf = printed(page)
            if (found := page_numbers(pdf)) == numbers:
                return Printed(pdf, page.evaluate(HEADINGS), texts(page))
            numbers = found
    raise PrintError(f"After {PRINTS_AT_MOST} prints the page numbers still change.")


@contextmanager
def laid_out(browser: Browser, document: Path) -> Iterator[Page]:
    """Open the document as it is for print, and complain of what did not load."""
    with opened(browser, "file://") as (page, record):
        page.emulate_media(media="print")
        page.goto(document.as_uri())
        page.evaluate("document.fonts.ready.then(() => null)")
        if record.network:
            raise PrintError("\n".join(record.network))
        yield page


def printed(page: Page) -> bytes:
    """Return the page as a PDF with bookmarks and tags."""
    return page.pdf(
        prefer_css_page_size=True, scale=SCALE, outline=True, tagged=True, print_background=True
    )


def page_numbers(pdf: bytes) -> dict[str, int]:
    """Return on which page each thing lies that a link leads to."""
    with pikepdf.open(BytesIO(pdf)) as book:
        number = {page.objgen: place for place, page in enumerate(book.pages, start=1)}
        places = book.Root.get("/Dests", pikepdf.Dictionary())
        return {name.removeprefix("/"): number[to[0].objgen] for name, to in places.items()}  # type: ignore[index]
