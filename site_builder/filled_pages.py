"""What pages count, or tell from records, comes into its place.

Such a place is a mark, ``<!-- table of proofs -->`` or, in a sentence, ``{{ cells }}``. A page has
one function or more that return the text for each mark by name. A mark that none of them knows
stops the build, and so does a text that no mark asks for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from site_builder import (
    api_status_page,
    front_page,
    machines_page,
    progress,
    proofs_page,
    reference_page,
    symptom_finder,
    workshop_blocks_page,
    workshop_page,
)

MARK = re.compile(r"<!-- ([^>]+?) -->|\{\{ (\w+) \}\}")
FILLED: dict[str, tuple[Callable[[Sphinx], Mapping[str, str]], ...]] = {
    "book/intro": (front_page.parts,),
    proofs_page.PAGE: (proofs_page.parts, machines_page.parts),
    "book/reference": (reference_page.parts,),
    progress.PAGE: (progress.parts,),
    symptom_finder.PAGE: (symptom_finder.parts,),
    workshop_page.PAGE: (workshop_page.parts,),
    workshop_blocks_page.PAGE: (workshop_blocks_page.parts,),
    "book/today/api_status": (api_status_page.parts,),
}


def setup(app: Sphinx) -> None:
    """Have the pages filled in when Sphinx reads them."""
    app.connect("source-read", fill_in)


def fill_in(app: Sphinx, page: str, source: list[str]) -> None:
    """Put its parts into a page that has some."""
    if page in FILLED:
        source[0] = filled(source[0], parts_of(app, page), page)


def parts_of(app: Sphinx, page: str) -> dict[str, str]:
    """Return the text for each mark that a page may have."""
    return {name: text for parts in FILLED[page] for name, text in parts(app).items()}


def filled(text: str, parts: Mapping[str, str], page: str) -> str:
    """Return the source of a page with its marks replaced.

    Raises:
        ExtensionError: nothing fills a mark, or no mark asks for a part.
    """
    asked = {mark[1] or mark[2]: mark[0] for mark in MARK.finditer(text)}
    if unknown := [asked[name] for name in asked.keys() - parts.keys()]:
        raise ExtensionError(f"{page} says {unknown[0]}, and knows only: {', '.join(parts)}")
    if unasked := sorted(parts.keys() - asked.keys()):
        raise ExtensionError(f"{page} has no mark for: {', '.join(unasked)}")
    return MARK.sub(lambda mark: parts[mark[1] or mark[2]], text)
