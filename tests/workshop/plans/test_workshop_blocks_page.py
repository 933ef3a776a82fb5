"""The page of blocks: each once, with what to ask, to say and to skip."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from site_builder.reading_time import BOOK
from site_builder.workshop_blocks_page import as_markdown, described, new_blocks
from workshop.editions.strip import without_solutions
from workshop.plans import pace
from workshop.plans.blocks import ONE_NUMBER
from workshop.plans.problems import blocks
from workshop.plans.three_plans import PLANS


def test_each_block_of_a_plan_is_described_once() -> None:
    assert [block for new in new_blocks(PLANS).values() for block in new] == blocks(PLANS)


def test_a_block_says_what_to_ask_and_what_to_skip() -> None:
    text = described(ONE_NUMBER)
    assert "\n\nAfter 25 minutes each has computed" in text
    pages = "{section}`numbers/scale_and_zero_point` and {section}`integers/journey`"
    assert f" Open {pages}.\n\n" in text
    assert "**Ask the room.** The affine ruler has the scale 0.01459 and the zero point 21." in text
    assert "Right: **78**." in text and "\n| 79 | 57.4 rounds to 57. |\n" in text
    assert text.endswith("**Late?** Skip {section}`integers/journey`. That saves 7 minutes.")
    kept = ONE_NUMBER._replace(steps=ONE_NUMBER.steps[:2])
    assert "Late?" not in described(kept)
    assert described(kept._replace(can_wait=True)).endswith(
        "Late?** No later block needs this one."
    )
    assert "*Show:* the opening of {section}`integers/journey`, 7 min." in text


def test_one_minute_is_no_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "saved", lambda block: 1)
    assert described(ONE_NUMBER).endswith("That saves 1 minute.")


def test_a_book_without_solutions_has_no_answers(tmp_path: Path) -> None:
    page = "numbers/scale_and_zero_point.ipynb"
    notebook = nbformat.read(BOOK / page, as_version=4)
    (tmp_path / page).parent.mkdir()
    nbformat.write(without_solutions(notebook), tmp_path / page)
    text = described(ONE_NUMBER, tmp_path)
    assert "**Ask the room.** The affine ruler" in text and "weight 0.838 get?" in text
    assert "Right:" not in text and "they say" not in text and "**78**" not in text


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("2 * 3 < x_1", r"2 \* 3 \< x\_1"),
        ("`a_b | c` and $s_x$", r"`a_b \| c` and $s_x$"),
    ],
)
def test_a_text_of_a_question_is_shown_as_it_is(text: str, markdown: str) -> None:
    assert as_markdown(text) == markdown
