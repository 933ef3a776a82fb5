"""The first use of a term on a page shows what the glossary says of it.

The words of the glossary are found in the text of the pages; nobody marks them. The first of each
becomes a button with a note beside it, which the style shows while the button has the pointer or
the focus: no script is needed, and a tap is enough. The note ends with a link to the glossary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape

from docutils import nodes
from sphinx.addnodes import glossary
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

PAGE = "book/notation"
WITHOUT = {PAGE, "book/reference", "book/proofs", "book/bibliography", "book/today/api_status"}
WITHOUT |= {"book/reference/workshop"}  # its kernels are those of Jupyter
# How a term looks in a sentence, where it is not the term itself with or without an s.
FORMS = {
    "calibration": "calibrat(?:ion|e|es|ed|ing)",
    "code": "codes",  # a single code may be a program's
    "dB": "dB|decibels?",
    "folding": "folded|folding",
    "fuse": "fuse[sd]?",
    "group": "groups? of|group size",
    "multiplier": "(?<!Lagrange )multiplier",  # several are parts of a processor
    "observer": "observers?",
    "quantization-aware training": "quantization-aware training|QAT",
    "reduced range": "reduced ranges?|reduce_range",
    "saturate": "saturat(?:e|es|ed|ing|ion)",
    "straight-through estimator": "straight-through(?: estimators?)?",
}
ASIDES = (nodes.table, nodes.figure, nodes.legend)
SKIPPED = (nodes.reference, nodes.literal, nodes.title, nodes.math, nodes.footnote_reference)


@dataclass(frozen=True)
class Term:
    """A word of the glossary, the place of its entry there, and what the entry says."""

    word: str
    anchor: str
    says: nodes.paragraph

    @property
    def form(self) -> str:
        """Return the pattern of the term in a sentence."""
        return FORMS.get(self.word) or re.escape(self.word) + "s?"


class Note(nodes.Element):
    """What the glossary says, as `says`: without children, it has no words for the search."""


def setup(app: Sphinx) -> None:
    """Have the terms shown when a page is about to be written."""
    app.add_node(Note, html=(write_note, None))
    app.connect("doctree-resolved", show_terms)
    app.add_js_file("terms.js")


def show_terms(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Give the first use of each term in the paragraphs of a page its note."""
    if page in WITHOUT:
        return
    terms = list(terms_of(app.env.get_doctree(PAGE)))
    address = app.builder.get_relative_uri(page, PAGE)
    notes = Notes({term.word: term for term in terms}, address)
    for paragraph in list(doctree.findall(nodes.paragraph)):
        if paragraph["classes"] or stands_in(paragraph, ASIDES):
            continue
        for part in list(paragraph.findall(lambda n: isinstance(n, nodes.Text | nodes.reference))):
            notes.put_in(part)


def terms_of(document: nodes.document) -> Iterator[Term]:
    """Yield the terms of the glossary on a page."""
    for entries in document.findall(glossary):
        for item in entries.findall(nodes.definition_list_item):
            term = next(item.findall(nodes.term))
            says = next(item.findall(nodes.paragraph))
            yield Term(term.astext().strip(), term["ids"][0], says)


def stands_in(node: nodes.Node, kinds: tuple[type[nodes.Node], ...]) -> bool:
    """Return whether a node stands in one of these kinds, however deep."""
    parent = node.parent
    return parent is not None and (isinstance(parent, kinds) or stands_in(parent, kinds))


class Notes:
    """The notes of one page: which terms are still to come on it."""

    def __init__(self, terms: Mapping[str, Term], address: str) -> None:
        self.left = dict(terms)
        self.address = address

    def put_in(self, part: nodes.Text | nodes.reference) -> None:
        """Put notes into a piece of text, or in place of a link to the glossary."""
        if isinstance(part, nodes.reference):
            anchor = part.get("refuri", "").partition("#")[2]
            known = [term for term in self.left.values() if term.anchor == anchor]
            if known:
                part.parent.replace(part, self.note(known[0], part.astext()))
        elif not stands_in(part, SKIPPED):
            part.parent.replace(part, list(self.pieces(part.astext())))

    def pieces(self, text: str) -> Iterator[nodes.Node]:
        """Yield a text in pieces: what stands between terms, and terms with their notes."""
        while found := self.first(text):
            term, match = found
            yield nodes.Text(text[: match.start()])
            yield self.note(term, match[0])
            text = text[match.end() :]
        yield nodes.Text(text)

    def first(self, text: str) -> tuple[Term, re.Match[str]] | None:
        """Return the first term in a text, the longest of those that begin there."""
        found = [
            (term, match)
            for term in self.left.values()
            if (match := re.search(rf"(?<![\w-])(?:{term.form})(?![\w-])", text))
        ]
        return min(found, key=lambda pair: (pair[1].start(), -pair[1].end()), default=None)

    def note(self, term: Term, words: str) -> nodes.inline:
        """Return the words as a button, and beside it what the glossary says."""
        del self.left[term.word]
        name = f"note-{term.anchor}"
        button = f'<button type="button" aria-describedby="{name}">{escape(words)}</button>'
        says = [plain(child) for child in term.says.children]
        note = Note(name=name, says=says, entry=f"{self.address}#{term.anchor}")
        button_and_note = nodes.raw("", button, format="html"), note
        return nodes.inline("", "", *button_and_note, classes=["qb-term"])


def write_note(writer: HTML5Translator, note: Note) -> None:
    """Write a note as HTML, with a link to its entry in the glossary."""
    writer.body.append(f'<span role="tooltip" id="{note["name"]}"><span>')
    for part in note["says"]:
        part.walkabout(writer)
    writer.body.append(f' <a href="{note["entry"]}">Glossary</a></span></span>')
    raise nodes.SkipNode


def plain(node: nodes.Node) -> nodes.Node:
    """Return a copy of a part of a definition; what refers elsewhere becomes its words."""
    if isinstance(node, nodes.Text | nodes.math | nodes.literal | nodes.emphasis):
        return node.deepcopy()
    return nodes.Text(node.astext())
