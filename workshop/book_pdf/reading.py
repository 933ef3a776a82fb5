"""Reading the book back: every sentence and every line of code of the document is in the PDF.

The reader is PDFium, which does not know the document. What is compared are letters and digits:
where a line ends, and what a font draws as one glyph, differs between the two.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import pypdfium2
from playwright.sync_api import Page

TEXTS = Path(__file__).with_name("texts.js").read_text(encoding="utf-8")
MARGIN = 48  # points above and below, in which head and page number stand
SHORTEST = 6  # letters; what is shorter stands everywhere


def texts(page: Page) -> list[str]:
    """Return the pieces of text that an open document shows, in their order."""
    found: list[str] = page.evaluate(TEXTS)
    return found


def letters(text: str) -> str:
    """Return the letters and digits alone.

    >>> letters("The ﬁrst, in 2 lines.")
    'thefirstin2lines'
    """
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def read(pdf: Path) -> Iterator[str]:
    """Yield what stands on each page between its head and its foot."""
    book = pypdfium2.PdfDocument(pdf)
    try:
        for page in book:
            _, height = page.get_size()
            words = page.get_textpage()
            yield words.get_text_bounded(bottom=MARGIN, top=height - MARGIN)
    finally:
        book.close()


def missing(pieces: Iterable[str], pages: Iterable[str]) -> list[str]:
    """Return the pieces that are not on the pages.

    >>> missing(["One sentence.", "A second one."], ["One sen-", "tence. Another one."])
    ['A second one.']
    """
    read = [letters(page) for page in pages]
    whole, place, lost = "".join(read), 0, []
    for piece in pieces:
        wanted = letters(piece)
        if len(wanted) < SHORTEST:
            continue
        found = whole.find(wanted, place)
        if found < 0 and wanted not in whole and not goes_on(wanted, read):
            lost.append(" ".join(piece.split()))
        place = max(place, found)
    return lost


def goes_on(wanted: str, pages: list[str]) -> bool:
    """Tell whether the letters begin on a page and go on on the next.

    They may be neither the last of the one nor the first of the other: Chromium paints boxes that
    are placed relative to themselves last on their page, and the labels of a list first.

    >>> goes_on("onesentence", ["aonesenatitle", "labeltenceb"])
    True
    >>> goes_on("onesentence", ["aoneseatitle", "labeltenceb"])
    False
    """
    return any(
        wanted[:cut] in before and wanted[cut:] in here
        for before, here in pairwise(pages)
        for cut in range(1, len(wanted))
    )
