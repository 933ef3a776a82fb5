"""Formulas in the texts of questions: drawn by KaTeX where the site is built, or refused there."""

from __future__ import annotations

import pytest
from sphinx.errors import ExtensionError
from sphinxcontrib.katex import KaTeXError

from site_builder.mathematics import configure_katex, drawn, drawn_formulas, mended
from tests.course.question.questions import CODE
from tests.course.widgets.figures import markup


@pytest.fixture(autouse=True)
def katex() -> None:
    configure_katex()


def test_a_question_shows_what_katex_has_drawn(node: str) -> None:
    state = CODE.state() | {"tries": ["78"], "solved": True}
    assert list(CODE.formulas) == ["x / s"]
    drawn = state | {"formulas": drawn_formulas(CODE.formulas, "the page")}
    by_katex, as_text = markup(node, CODE.entry(), drawn, state)
    assert '<span class="math"><span class="katex">' in by_katex
    assert "<math xmlns=" in by_katex  # for screen readers
    assert "<em>x / s</em> is 57.4 steps" in as_text and "katex" not in as_text


def test_a_formula_that_katex_refuses_stops_the_build() -> None:
    with pytest.raises(ExtensionError, match=r"the page: .* in a formula of \['x_'\]"):
        drawn_formulas({"x_": "x_"}, "the page")


def test_each_element_of_mathml_has_the_children_it_may_have() -> None:
    assert "<msub><mi>q</mi><mi>max</mi></msub>" in drawn(r"q_{\max} - q_{\min}")
    assert "<msubsup><mi>q</mi><mi>max</mi><mn>2</mn></msubsup>" in drawn(r"q_{\max}^2")
    applied = drawn(r"\frac{\max x}{2} < 1")  # here it is applied to something, and stays
    assert "<mi>max</mi><mo>\N{FUNCTION APPLICATION}</mo>" in applied
    assert "<mo>&lt;</mo>" in applied and '<span class="katex-html"' in applied


def test_mathml_that_cannot_be_mended_stops_the_build() -> None:
    three = "<math><mfrac><mn>1</mn><mn>2</mn><mn>3</mn></mfrac></math>"
    with pytest.raises(KaTeXError, match="3 children in <mfrac>"):
        mended(three)
