"""The deck of a day has the slides of its blocks, in their order, and what the plan says to do."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from site_builder.reading_time import Content
from tests.workshop.slides.pages import NAME, cell, section, write_page
from workshop.plans import pace
from workshop.plans.plan import Block, Day, Pause, Plan, Step, Way
from workshop.slides.days import day_slides, days
from workshop.slides.page import Page, read_page
from workshop.slides.prose import text_of
from workshop.slides.slide import Slide

SHORT = NAME.removeprefix("book/")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(pace, "section", lambda name: SimpleNamespace(content=Content(words=1200)))
    monkeypatch.setattr(pace, "waiting", lambda name: 0.0)
    return write_page(
        tmp_path,
        "<p>After this chapter you can read.</p><p>It lost.</p>",
        section("first", "<p>One.</p>", section("below", "<p>Two.</p>", level=3)),
        section("second", cell("1", "2"), "<p>Three.</p>"),
    )


def deck(site: Path, *steps: Step) -> list[Slide]:
    def read(name: str) -> Page:
        return read_page(site, name)

    block = Block("key", "A <block>", "knows three numbers.", "none", steps)
    return day_slides(Day("Half a day", 90, (Pause("Arrive", 10, "Open it."), block)), read)


def shown(slide: Slide) -> str:
    return " ".join(text_of(part.markup) for part in slide.parts)


def test_a_day_begins_its_parts_with_the_time_and_the_goal(site: Path) -> None:
    title, arrive, block, *_ = deck(site, Step(Way.TELL, f"{SHORT}#first"))
    assert (title.heading, title.kind) == ("Half a day", "title")
    assert (arrive.above, shown(arrive), arrive.notes) == (
        "0:00",
        "10 minutes",
        ["<p>Open it.</p>"],
    )
    assert (block.above, block.heading) == ("0:10", "A &lt;block&gt;")
    assert shown(block) == "After 10 minutes each knows three numbers."


def test_a_step_brings_its_section_and_those_below_it(site: Path) -> None:
    *_, first, below = deck(site, Step(Way.SHOW, f"{SHORT}#first", "Point at <it>."))
    assert [first.heading, below.heading] == ["First", "Below"]
    assert [text_of(note) for note in first.notes] == ["Show. Point at <it>.", "One."]
    *_, above, below = deck(site, Step(Way.SHOW, f"{SHORT}#below", begins_above=True))
    assert [shown(above), shown(below)] == ["One.", "Two."]
    *_, title, opening = deck(site, Step(Way.TELL, SHORT))
    assert (title.heading, shown(opening)) == ("Title", "It lost.")


def test_where_all_do_something_a_slide_comes_first_that_gives_nothing_away(site: Path) -> None:
    step = Step(Way.RUN, f"{SHORT}#second", "Run it.", code="a < b", finds="It is 2.")
    *_, work, section = deck(site, step)
    assert (work.heading, work.kind) == ("Second", "work")
    assert shown(work).startswith("All run: ") and shown(work).endswith("a < b")
    assert [text_of(note) for note in work.notes] == ["All run. Run it.", "It is 2."]
    assert "2" in shown(section) and "2" not in shown(work)


def test_each_part_is_a_column(site: Path) -> None:
    steps = Step(Way.SHOW, f"{SHORT}#first"), Step(Way.DO, f"{SHORT}#second")
    begins = [slide.begins for slide in deck(site, *steps)]
    assert begins == [True, True, True, False, False, False, False]


def test_a_section_that_is_gone_is_named(site: Path) -> None:
    with pytest.raises(KeyError, match="part/page#gone is no section of the built page"):
        deck(site, Step(Way.TELL, f"{SHORT}#gone"))


def test_each_day_has_a_deck_with_a_name_of_its_own() -> None:
    one, two = Day("One", 90, ()), Day("Two", 90, ())
    assert days(Plan("short", (one,))) == [("plans/short", one)]
    assert [name for name, _ in days(Plan("long", (one, two)))] == ["plans/long-1", "plans/long-2"]
