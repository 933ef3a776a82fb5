"""Sentences of a paragraph, and the paragraph as the speaker gets it."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup, Tag

from workshop.slides.prose import said, sentences, text_of


def paragraph(markup: str) -> Tag:
    found = BeautifulSoup(f"<p>{markup}</p>", "html.parser").p
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("markup", "wanted"),
    [
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ("Scale 0.5, see Fig. 3. Then 4.5 bits.", ["Scale 0.5, see Fig. 3.", "Then 4.5 bits."]),
        ("Frantar <em>et al.</em> say so.", ["Frantar <em>et al.</em> say so."]),
        ("He et al. [X] say so.", ["He et al. [X] say so."]),
        ("It is so. <code>f</code> is too.", ["It is so.", "<code>f</code> is too."]),
        ("“It is.” So be it.", ["“It is.”", "So be it."]),
        ("The codes 0 … 127 are safe. So.", ["The codes 0 … 127 are safe.", "So."]),
        ("From 0 … <code>last</code>.", ["From 0 … <code>last</code>."]),
        ("And so on … Then it ends.", ["And so on …", "Then it ends."]),
        ("A, i.e. b &lt; c.", ["A, i.e. b &lt; c."]),
        (
            'See <a href="x">Scale. And zero</a>. Now.',
            ["See <span>Scale. And zero</span>.", "Now."],
        ),
    ],
)
def test_a_paragraph_has_its_sentences(markup: str, wanted: list[str]) -> None:
    assert sentences(paragraph(markup)) == wanted


@pytest.mark.parametrize(
    ("markup", "wanted"),
    [
        ("It is 9. The hidden cell above adds up. Put your own in.", ["It is 9."]),
        ("Open this page as a notebook. It takes a model.", ["It takes a model."]),
        ("Do it. You see what the check says of the empty function:", ["Do it."]),
        ("The model has a hidden layer. Each cell of an LSTM too.", 2),
    ],
)
def test_what_stands_on_the_page_alone_is_on_no_slide(markup: str, wanted: list[str] | int) -> None:
    found = sentences(paragraph(markup))
    assert found == wanted or len(found) == wanted
    assert text_of(markup) in text_of(said(paragraph(markup)))


TERM = (
    '<span class="qb-term"><button>code</button><span role="tooltip"><span>An integer. '
    '<a href="g">Glossary</a></span></span></span>'
)


def test_the_notes_explain_the_terms_of_a_paragraph() -> None:
    found = said(paragraph(f"A {TERM} is small."))
    assert text_of(found) == "A code is small. code: An integer."


def test_a_slide_has_the_term_alone() -> None:
    assert sentences(paragraph(f"A {TERM} is small.")) == ["A code is small."]


def test_a_formula_of_the_notes_is_drawn_by_the_browser() -> None:
    katex = (
        '<span class="katex"><span class="katex-mathml"><math><mi>x</mi><annotation>x'
        '</annotation></math></span><span class="katex-html">x</span></span>'
    )
    assert said(paragraph(f"See {katex}.")) == "<p>See <math><mi>x</mi></math>.</p>"
