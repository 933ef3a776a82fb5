"""What stands behind the keys of citations, for the notes: a slide has no bibliography."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from bs4 import BeautifulSoup

from workshop.slides.prose import bare, inner, text_of
from workshop.slides.slide import Slide

CITED = re.compile(r"\[([\w+]+(?:, [\w+]+)*)\]")


@cache
def references(site: Path) -> dict[str, str]:
    """Return the entries of the bibliography by their keys."""
    text = (site / "book/bibliography.html").read_text(encoding="utf-8")
    found = BeautifulSoup(text, "html.parser").select("div.citation")
    pairs = [(entry.select_one(".label"), entry.p) for entry in found]
    return {text_of(key).strip("[]"): inner(bare(said)) for key, said in pairs if key and said}


def cited(slide: Slide, entries: Mapping[str, str]) -> Iterator[str]:
    """Yield a note for each work that a slide cites by its key, in their order.

    >>> from workshop.slides.slide import prose
    >>> slide = Slide("A", "", "a", [prose("lead", "In [Kri18, Jac17], and x[0].")])
    >>> list(cited(slide, {"Jac17": "Jacob.", "Kri18": "Krishnamoorthi."}))
    ['<p><small>Kri18: Krishnamoorthi.</small></p>', '<p><small>Jac17: Jacob.</small></p>']
    """
    text = " ".join(text_of(part.markup) for part in slide.parts)
    keys = [key for keys in CITED.findall(text) for key in keys.split(", ")]
    for key in dict.fromkeys(key for key in keys if key in entries):
        yield f"<p><small>{key}: {entries[key]}</small></p>"
