"""The parts of the book, as the contents of the site name them, and which pages go on paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sphinx_external_toc.parsing import parse_toc_yaml

from site_builder.contents import ROOT, below

SCREEN_PAGES = {"book/reference/progress"}  # it shows what one browser remembers


@dataclass(frozen=True)
class Part:
    """A part of the book: its caption, and its pages with how deep each lies in the contents."""

    caption: str
    pages: tuple[tuple[str, int], ...]


def parts(toc: Path = ROOT / "_toc.yml") -> list[Part]:
    """Return the parts of the book; the first is the front page alone."""
    site = parse_toc_yaml(toc)
    found = [Part("", ((site.root.docname, 0),))]
    for tree in site.root.subtrees:
        pages: list[tuple[str, int]] = []
        for page in map(str, tree.items):
            pages += [(page, 0), *((deeper, 1) for deeper in below(site, page))]
        on_paper = (page for page in pages if page[0] not in SCREEN_PAGES)
        found.append(Part(tree.caption or "", tuple(on_paper)))
    return found


def only(all_parts: Iterable[Part], wanted: Sequence[str]) -> list[Part]:
    """Return the parts with the wanted pages alone.

    Raises:
        ValueError: if one of them is not among the pages.

    >>> only([Part("Numbers", (("a", 0), ("b", 0))), Part("Models", (("c", 0),))], ["b"])
    [Part(caption='Numbers', pages=(('b', 0),))]
    """
    cut = [
        Part(part.caption, tuple(page for page in part.pages if page[0] in wanted))
        for part in all_parts
    ]
    if unknown := set(wanted) - {page for part in cut for page, _ in part.pages}:
        raise ValueError(f"{sorted(unknown)}: no such page in _toc.yml, or one for the screen only")
    return [part for part in cut if part.pages]
