"""What Chromium leaves to be done: the titles of the bookmarks, who wrote the book, its weight."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pikepdf


class BookmarkError(ValueError):
    """The bookmarks are not those of the headings."""


def bind(pdf: bytes, titles: list[str], author: str, target: Path) -> int:
    """Write the book, and return its number of pages.

    Raises:
        BookmarkError: if there is not one bookmark for each heading.
    """
    with pikepdf.open(BytesIO(pdf)) as book:
        name_bookmarks(book, titles)
        book.docinfo["/Author"] = author
        book.docinfo["/Creator"] = "make pdf"
        book.Root.PageMode = pikepdf.Name.UseOutlines
        book.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        # Packed, the tags of a page take a tenth.
        book.save(target, object_stream_mode=pikepdf.ObjectStreamMode.generate)
        return len(book.pages)


def name_bookmarks(book: pikepdf.Pdf, titles: list[str]) -> None:
    """Give each bookmark the words of its heading.

    Chromium's own say the words twice where it tried a heading on a page that it then left, and
    join two words where a heading has two lines.
    """
    marks = list(bookmarks(book.Root.Outlines))
    if len(marks) != len(titles):
        raise BookmarkError(f"There are {len(marks)} bookmarks for {len(titles)} headings.")
    for mark, title in zip(marks, titles, strict=True):
        mark.Title = pikepdf.String(title)


def bookmarks(parent: pikepdf.Object) -> Iterator[pikepdf.Object]:
    """Yield the bookmarks below one, each before those below it."""
    mark = parent.get("/First")
    while mark is not None:
        yield mark
        yield from bookmarks(mark)
        mark = mark.get("/Next")
