"""The notes of terms: which words get one, and which do not."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx.addnodes import glossary
from sphinx.search import WordCollector
from sphinx.search.en import SearchEnglish

from site_builder.terms import FORMS, PAGE, Note, Term, show_terms, terms_of

ROOT = Path(__file__).resolve().parents[2]
SAID = {"zero point": "The code that means 0.", "scale": "One step.", "code": "An integer."}


def glossary_page() -> nodes.document:
    items = [
        nodes.definition_list_item(
            "",
            nodes.term("", word, ids=[f"term-{word.replace(' ', '-')}"]),
            nodes.definition("", nodes.paragraph("", says)),
        )
        for word, says in SAID.items()
    ]
    document = new_document("notation")
    document += glossary("", nodes.definition_list("", *items))
    return document


def shown(*parts: nodes.Node, page: str = "book/x") -> nodes.document:
    document = new_document("page")
    document += parts
    app = SimpleNamespace(
        env=SimpleNamespace(get_doctree=lambda _: glossary_page()),
        builder=SimpleNamespace(get_relative_uri=lambda _, page: f"../{page}.html"),
    )
    show_terms(app, document, page)
    return document


def noted(document: nodes.document) -> list[str]:
    """Return the words that became buttons."""
    raw = [node.astext() for node in document.findall(nodes.raw)]
    return [text.split(">")[1].split("<")[0] for text in raw if text.startswith("<button")]


def test_the_glossary_is_read():
    assert [term.says.astext() for term in terms_of(glossary_page())] == list(SAID.values())


def test_the_first_use_of_each_term_gets_its_note():
    text = "Two codes share a scale. The zero point and the scale, and codes."
    document = shown(nodes.paragraph("", text), nodes.paragraph("", "A scale."))
    assert noted(document) == ["codes", "scale", "zero point"]
    _, scale, _ = document.findall(Note)
    assert [part.astext() for part in scale["says"]] == ["One step."]
    assert scale["entry"] == "../book/notation.html#term-scale"


def test_the_search_knows_the_words_of_a_page_and_not_those_of_its_notes() -> None:
    document = shown(nodes.paragraph("", "Two codes share a ruler."))
    collector = WordCollector(document, SearchEnglish({}))
    document.walk(collector)
    assert {"codes", "ruler"} <= set(collector.found_words)
    assert "integer" not in map(str.lower, collector.found_words)


def test_what_stands_around_a_term_stays():
    document = shown(nodes.paragraph("", "Divide by the scale, then round."))
    texts = [node.astext() for node in document.findall(nodes.Text) if node.parent == document[0]]
    assert texts == ["Divide by the ", ", then round."]


@pytest.mark.parametrize(
    "part",
    [
        nodes.title("", "The scale"),
        nodes.paragraph("", "", nodes.literal("", "scale")),
        nodes.paragraph("", "", nodes.reference("", "the scale", refuri="other.html")),
        nodes.paragraph("", "upscaled, rescale, scale-free"),
        nodes.table("", nodes.entry("", nodes.paragraph("", "scale"))),
    ],
    ids=["a title", "code", "a link", "a part of a word", "a table"],
)
def test_no_note_comes_into(part: nodes.Node):
    assert noted(shown(part)) == []


def test_a_link_to_the_glossary_becomes_the_note():
    link = nodes.reference("", "the ruler's step", refuri="../notation.html#term-scale")
    document = shown(nodes.paragraph("", "", link), nodes.paragraph("", "The scale."))
    assert noted(document) == ["the ruler&#x27;s step"]


def test_the_glossary_itself_has_no_notes():
    assert noted(shown(nodes.paragraph("", "The scale."), page=PAGE)) == []


def test_each_form_is_of_a_term_of_the_glossary():
    text = (ROOT / f"{PAGE}.md").read_text("utf-8")
    assert [word for word in FORMS if f"\n{word}\n  " not in text] == []


def test_a_form_must_match_its_words():
    term = Term("quantization-aware training", "", nodes.paragraph())
    assert "QAT" in term.form
    assert Term("tie", "", nodes.paragraph()).form == "ties?"
