"""Formulas in the texts of questions: drawn by KaTeX where the site is built, or refused there."""

from __future__ import annotations

import pytest
from sphinx.errors import ExtensionError

from site_builder.mathematics import configure_katex, drawn_formulas
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
