"""The contents of the book, as `_toc.yml` gives them: its pages in their order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from sphinx_external_toc.api import SiteMap
from sphinx_external_toc.parsing import parse_toc_yaml

ROOT = Path(__file__).resolve().parent.parent


@cache
def pages(toc: Path = ROOT / "_toc.yml") -> tuple[str, ...]:
    """Return the pages below the first, each before those that stand below it."""
    site = parse_toc_yaml(toc)
    return tuple(below(site, site.root.docname))


def below(site: SiteMap, page: str) -> Iterator[str]:
    """Yield the pages that the contents show below a page, and those below these."""
    for child in site[page].child_files():
        yield child
        yield from below(site, child)


def chapters() -> list[str]:
    """Return the pages that are notebooks."""
    return [page for page in pages() if (ROOT / f"{page}.ipynb").is_file()]
