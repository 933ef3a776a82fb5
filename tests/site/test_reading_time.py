"""The minutes of a page: what counts, what does not, and what the pace makes of it."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from notebook_pipeline.outputs import WIDGET_VIEW
from site_builder.contents import ROOT, chapters
from site_builder.reading_time import Content, content_of, prose

WORDS = "One two three four five six."
LONGEST = 25  # minutes


def written(tmp_path: Path, *cells: object) -> Path:
    path = tmp_path / "page.ipynb"
    nbformat.write(new_notebook(cells=list(cells)), path)
    return path


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        (WORDS, 6),
        ("$$\nx = y + 1\n$$\nTwo words", 2),
        ("See [the chapter](../numbers/a_long_name) now", 4),
        ("```{admonition} Mind this\n:class: dropdown\nTwo words\n```", 2),
        ("– — …", 0),
    ],
    ids=["words", "a formula", "a link", "an admonition", "dashes"],
)
def test_words_are_what_is_read_aloud(markdown: str, words: int) -> None:
    assert prose(markdown).words == words


def test_a_page_is_what_a_reader_meets_on_it(tmp_path: Path) -> None:
    lines = new_output("stream", text="1\n\n2\n")
    picture = new_output("display_data", data={"image/png": "", "text/plain": "<Figure>"})
    widget = new_output("display_data", data={WIDGET_VIEW: {}, "text/plain": "Quantizer()"})
    path = written(
        tmp_path,
        new_markdown_cell(f"# Title\n{WORDS}"),
        new_code_cell("x = 1\n\nprint(x)", outputs=[lines]),
        new_code_cell("folded = 1", metadata={"tags": ["hide-input"]}, outputs=[picture, widget]),
        new_code_cell("assert folded", metadata={"tags": ["hide-cell"]}),
        new_markdown_cell("```{admonition} Before you open the result\n:class: tip\nGuess\n```"),
        new_markdown_cell(f"{WORDS}\n\n```{{exercise-start}}\n:label: a\n```\nNot this."),
        new_markdown_cell("Nor this."),
        new_code_cell("solved = 1"),
        new_markdown_cell("```{exercise-end}\n```\n\n```{solution-start} a\n:class: dropdown\n```"),
        new_code_cell("solved = 2"),
        new_markdown_cell(f"```{{solution-end}}\n```\n{WORDS}\n\n## Further reading\n\nOne book."),
    )
    words = 8 + 2 * len(WORDS.split())
    assert content_of(path) == Content(words, code_lines=2, output_lines=2, guesses=1, figures=1)


def test_a_question_is_a_guess_and_the_quiz_is_left_for_later(tmp_path: Path) -> None:
    question = new_output(
        "display_data", data={WIDGET_VIEW: {}, "text/plain": "Question a: Which?"}
    )
    first, second, third = (
        new_code_cell("Question()", metadata={"tags": ["remove-input"]}, outputs=[question])
        for _ in range(3)
    )
    path = written(
        tmp_path,
        new_markdown_cell(WORDS),
        first,
        new_markdown_cell(f"## Take-away\n{WORDS}\n\n## Quiz\n\nSix questions."),
        second,
        new_markdown_cell(f"## Exercises\n{WORDS}"),
        third,
    )
    assert content_of(path) == Content(2 + 3 * len(WORDS.split()), guesses=2)


def test_minutes_follow_from_the_pace() -> None:
    assert Content(words=1800, code_lines=15, output_lines=30).minutes == 10 + 1 + 1
    assert Content(guesses=2, figures=3).minutes == 3 + 12
    assert Content().minutes == 1


CORE = [f"{page}.ipynb" for page in chapters() if not page.endswith("_to_the_bit")]


@pytest.mark.parametrize("page", CORE)
def test_a_chapter_is_read_in_one_sitting(page: str) -> None:
    minutes = content_of(ROOT / page).minutes
    assert minutes <= LONGEST, (
        f"{page} takes {minutes} minutes: move what is for the few to a page to the bit, or fold "
        "code that nobody reads on the way"
    )
