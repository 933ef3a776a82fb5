"""What can be counted of the prose: a page breaks few rules, and a rule finds its sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebook_pipeline.prose_rules import BOOK, broken, pages, sentences

LIMIT = 2  # for each page and rule


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.relative_to(BOOK).as_posix())
def test_a_page_keeps_the_rules_of_prose(path: Path) -> None:
    for rule, said in broken(path).items():
        assert len(said) <= LIMIT, "\n".join([f"{rule}, and {LIMIT} are enough:", *said])


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("for_means_because", "The two are equal, for the scale is a power of two."),
        ("begins_with_a_bracket", "(One of them saturates.)"),
        ("is_long", " ".join(["Word"] * 36) + "."),
        ("has_one_for_you", "So one can take the scale out of the sum."),
        ("gives_up", "The search gave up the outlier."),
        ("has_a_long_bracket", "It rounds (and here comes an exception that nobody expects now)."),
        ("speaks_of_the_notes", "The old notes take the other end."),
    ],
)
def test_a_sentence_that_breaks_a_rule_is_found(rule: str, sentence: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Title\n\nA plain sentence. {sentence} Another one.\n", "utf-8")
    assert broken(page) == {rule: [sentence]}


@pytest.mark.parametrize(
    "text",
    [
        "A scale for each row, for a layer of ten rows.",
        "One observer can see one tensor.",
        "```python\n(one can give up)\n```",
        "(a-target)=\n## Heading that is (in brackets)",
        "| (a cell) | of a table |",
        "1. First.\n2. Second.",
    ],
    ids=["for a thing", "one as a number", "code", "a target", "a table", "a list"],
)
def test_other_text_breaks_none(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, "utf-8")
    assert broken(page) == {}


def test_sentences_end_where_a_reader_takes_breath() -> None:
    text = "It is 0.5. See `a.b` (here). Then:\n\n- one item\n- another item\n\n$$\nx. Y\n$$\nEnd."
    assert list(sentences(text)) == [
        "It is 0.5.",
        "See X (here).",
        "Then:",
        "one item",
        "another item",
        "End.",
    ]
