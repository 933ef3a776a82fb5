"""Paragraphs of a built page: as they are said, in the notes, and sentence by sentence."""

from __future__ import annotations

import copy
import html
import re
from collections.abc import Iterator

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PageElement

ENDS = re.compile(r"[.!?…][”’\")\]]*(\s+)")
NO_END = re.compile(r"\b(?:Fig|Eq|al|vs|e\.g|i\.e|No)\.$")


def bare(element: Tag) -> Tag:
    """Return a copy without links, anchors and the notes of terms, all of which are for readers."""
    found = copy.copy(element)
    for gone in found.select(".headerlink, [role=tooltip], script, style"):
        gone.decompose()
    for wrapped in found.select(".qb-term, .qb-term > button"):
        wrapped.unwrap()
    for link in found.select("a"):  # which stays one: a title may hold a full stop
        link.name, link.attrs = "span", {}
    return found


def inner(element: Tag) -> str:
    """Return the markup of what an element holds, without the spaces around it."""
    return element.decode_contents().strip()


def text_of(markup: str | Tag) -> str:
    """Return the text as it is seen: of a formula what is drawn, and not what is read out."""
    found = BeautifulSoup(markup, "html.parser") if isinstance(markup, str) else copy.copy(markup)
    for hidden in found.select(".katex-mathml"):
        hidden.decompose()
    return " ".join(found.get_text().split())


def sentences(paragraph: Tag) -> list[str]:
    """Return the markup of each sentence of a paragraph.

    >>> sentences(BeautifulSoup("<p>See Fig. 3. <b>All</b> 4.5 bits. ok</p>", "html.parser").p)
    ['See Fig. 3.', '<b>All</b> 4.5 bits. ok']
    """
    found = [""]
    for child in bare(paragraph).children:
        if not isinstance(child, NavigableString):
            found[-1] += str(child)
            continue
        first, *rest = pieces(child)
        found[-1] += html.escape(first, quote=False)
        found += [html.escape(piece, quote=False) for piece in rest]
    return [sentence for each in found if (sentence := each.strip())]


def pieces(text: NavigableString) -> Iterator[str]:
    """Yield the parts of a text between the ends of sentences in it."""
    start = 0
    for end in ENDS.finditer(text):
        before, after = text[start : end.start(1)], text[end.end() :]
        if NO_END.search(before) or not begins(after or text_after(text)):
            continue
        yield before
        start = end.end()
    yield text[start:]


def text_after(text: PageElement) -> str:
    """Return a letter that stands for the element after a text, which may begin a sentence."""
    return "A" if isinstance(text.next_sibling, Tag) else ""


def begins(text: str) -> bool:
    """Tell whether a text can begin a sentence, which a small letter does not."""
    return not text[:1].islower()


def said(paragraph: Tag) -> str:
    """Return a paragraph for the speaker's notes, and below it what the glossary says of its terms.

    The notes have no style of KaTeX's, so of a formula they get what browsers draw themselves.
    """
    notes = [
        (term.button, term.select_one("[role=tooltip]")) for term in paragraph.select(".qb-term")
    ]
    found = by_browsers(bare(paragraph))
    found.attrs = {}
    return str(found) + "".join(
        f"\n<p><small><b>{term.get_text()}:</b> {explained(note)}</small></p>"
        for term, note in notes
        if term is not None and note is not None
    )


def by_browsers(element: Tag) -> Tag:
    """Return the element, whose formulas are now MathML."""
    for formula in element.select(".katex"):
        mathml = formula.select_one(".katex-mathml > math")
        if mathml is not None:
            for source in mathml.select("annotation"):
                source.decompose()
            formula.replace_with(mathml.extract())
    return element


def explained(note: Tag) -> str:
    """Return the markup of what the glossary says, without the link to it."""
    words = copy.copy(note)
    for link in words.select("a"):
        link.decompose()
    return inner(by_browsers(words))
