"""Paragraphs of a built page: as they are said, in the notes, and sentence by sentence."""

from __future__ import annotations

import copy
import html
import re
from collections.abc import Iterable, Iterator
from itertools import accumulate

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PageElement

ENDS = re.compile(r"[.!?…][”’\")\]]*(\s+)")
NO_END = re.compile(r"\b(?:Fig|Eq|al|vs|e\.g|i\.e|No)\.$")
# What a deck has not: folded cells, the page as a notebook, and what a check says of `...`.
FOLDED = re.compile(r"\b(?:hidden|closed|folded) cells?\b")
ON_THE_PAGE = re.compile(r"\b(?:as a notebook|empty function|function is empty)\b")
# What only goes on from the sentence before.
GOES_ON = re.compile(
    r"(?:\(|(?:It|Its|They|Their|This|These|That|Those|There|Then|So|But|And|Or|Only|In all|Both|"
    r"The other|The (?:first|second|third)|You can)\b|Why\?)"
)
BEFORE_COLON = 1.5  # times as many letters for what a sentence with a colon refers to


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
    """Return the markup of each sentence of a paragraph that speaks of what a slide can show.

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
    return list(for_slides(sentence for each in found if (sentence := each.strip())))


def for_slides(every: Iterable[str]) -> Iterator[str]:
    """Yield the sentences but for those about what stands on the page alone.

    What follows a folded cell in its paragraph goes on about it.

    >>> list(for_slides(["It is 3.", "A hidden cell adds up.", "Put your numbers in."]))
    ['It is 3.']
    """
    for sentence in every:
        text = text_of(sentence)
        if FOLDED.search(text):
            return
        if not ON_THE_PAGE.search(text):
            yield sentence


def pieces(text: NavigableString) -> Iterator[str]:
    """Yield the parts of a text between the ends of sentences in it."""
    start = 0
    for end in ENDS.finditer(text):
        before, after = text[start : end.start(1)], text[end.end() :]
        mark = end[0][0]
        if NO_END.search(before) or not begins(after or text_after(text, mark), mark):
            continue
        yield before
        start = end.end()
    yield text[start:]


def text_after(text: PageElement, mark: str) -> str:
    """Return a letter that stands for the element after a text, which may begin a sentence."""
    return "A" if isinstance(text.next_sibling, Tag) and mark != "…" else ""


def begins(text: str, mark: str) -> bool:
    """Tell whether a text can begin a sentence after a mark; a small letter does not.

    After “…” only a capital letter does, because it stands within ranges, as in 0 … 127.
    """
    return text[:1].isupper() if mark == "…" else not text[:1].islower()


def key(paragraph: Tag, letters: float) -> str:
    """Return the first sentence of a paragraph, and others while there are letters left."""
    return " ".join(while_short(sentences(paragraph), letters))


def opening_of(paragraph: Tag, letters: float) -> str:
    """Return what a paragraph says of the thing that it introduces.

    This is its last sentence if a colon ends it, with those before it while there are letters
    left, and else its key. None of these begins with what only goes on from a sentence left out.
    """
    said_there = sentences(paragraph)
    if not (said_there and text_of(said_there[-1]).endswith(":")):
        return key(paragraph, letters)
    found = while_short(said_there[::-1], letters * BEFORE_COLON)[::-1]
    while 1 < len(found) < len(said_there) and GOES_ON.match(text_of(found[0])):
        del found[0]
    return " ".join(found)


def while_short(every: list[str], letters: float) -> list[str]:
    """Return the first of some sentences, and those next to it while there are letters left.

    >>> while_short(["A long one.", "It is.", "One more."], 20)
    ['A long one.', 'It is.']
    """
    lengths = accumulate(len(text_of(each)) + 1 for each in every)
    ends = zip(every, lengths, strict=True)
    return [each for at, (each, end) in enumerate(ends) if at == 0 or end - 1 <= letters]


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
