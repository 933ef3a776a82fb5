"""The page for instructors: its tables and blocks, its links, and the commands that it names."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from sphinx.errors import ExtensionError

from site_builder import workshop_page
from site_builder.contents import ROOT
from site_builder.reading_time import BOOK
from site_builder.workshop_page import (
    BLOCKS,
    PAGE,
    SectionLink,
    as_markdown,
    described,
    new_blocks,
    timetable,
)
from workshop.editions.strip import without_solutions
from workshop.plans import pace
from workshop.plans.blocks import ONE_NUMBER
from workshop.plans.plan import Day, Pause, Plan
from workshop.plans.problems import blocks
from workshop.plans.three_plans import PLANS

SOURCES = {page: (ROOT / f"{page}.md").read_text(encoding="utf-8") for page in (PAGE, BLOCKS)}
SOURCE = SOURCES[PAGE]
MAKE = re.compile(r"`(?:[A-Z_]+=\S+ )?make ([a-z-]+)")


def strange_commands(text: str, makefile: str) -> set[str]:
    """Return the targets that a text names and the Makefile has not."""
    return set(MAKE.findall(text)) - set(re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE))


def test_the_pages_have_each_plan_and_each_block_once() -> None:
    names = [plan.key for plan in PLANS]
    assert re.findall(r"<!-- plan: (\S+) -->", SOURCE) == names
    assert re.findall(r"<!-- blocks: (\S+) -->", SOURCES[BLOCKS]) == names
    assert [block for new in new_blocks(PLANS).values() for block in new] == blocks(PLANS)


def test_a_problem_stops_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workshop_page, "problems", lambda plans: ["Mine: no section"])
    with pytest.raises(ExtensionError, match="would not be true: Mine: no section"):
        workshop_page.parts(SimpleNamespace(srcdir=ROOT))


def test_a_timetable_says_when_each_block_begins() -> None:
    items = (Pause("Arrive", 10, "All sit."), ONE_NUMBER, Pause("Break", 50))
    lines = timetable(Plan("mine", (Day("Mine", 120, items),))).splitlines()
    assert lines[4:] == [
        "| 0:00 | *Arrive.* All sit. | 10 |",
        "| 0:10 | [One number, by hand](#room-one-number) | 25 |",
        "| 0:35 | *Break* | 50 |",
        "| 1:25 | *in reserve* | 35 |",
        "```",
    ]


def test_a_block_says_what_to_ask_and_what_to_skip() -> None:
    text = described(ONE_NUMBER)
    assert "\n\nAfter 25 minutes each has computed" in text
    pages = "{section}`numbers/scale_and_zero_point` and {section}`integers/journey`"
    assert f" Open {pages}.\n\n" in text
    assert "**Ask the room.** Which code does the weight 0.838 get on the affine ruler?" in text
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
    assert "**Ask the room.** Which code does the weight 0.838" in text
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


def linked(name: str) -> tuple[str, str]:
    """Return the address and the words of a link from the page."""

    def relative(page: str, other: str) -> str:
        return f"{other} seen from {page}"

    env = SimpleNamespace(docname=PAGE, app=SimpleNamespace())
    env.app.builder = SimpleNamespace(get_relative_uri=relative)
    role = SectionLink()
    role.text = role.rawtext = name
    role.inliner = SimpleNamespace(document=SimpleNamespace(settings=SimpleNamespace(env=env)))
    [link], _ = role.run()
    return link["refuri"], link.astext()


def test_a_link_leads_to_a_section() -> None:
    address = f"book/start/tonight seen from {PAGE}"
    slug = "four-bits-in-groups"
    assert linked(f"start/tonight#{slug}") == (f"{address}#{slug}", "Four bits, in groups")
    assert linked("start/tonight") == (address, "Quantize a model tonight")
    with pytest.raises(KeyError, match="no section 'none'"):
        linked("start/tonight#none")


def test_the_commands_of_the_page_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert MAKE.findall(SOURCE)
    assert strange_commands(SOURCE, makefile) == set()
    assert strange_commands("Run `X=1 make boook` or `make book`.", makefile) == {"boook"}
