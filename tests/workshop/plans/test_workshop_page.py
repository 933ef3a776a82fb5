"""The page for instructors: its timetables, and the commands that it names."""

from __future__ import annotations

import re

import pytest
from sphinx.errors import ExtensionError

from site_builder import workshop_page
from site_builder.contents import ROOT
from site_builder.workshop_page import PAGE, timetable
from workshop.plans import blocks, three_plans
from workshop.plans.blocks import ONE_NUMBER
from workshop.plans.plan import Day, Pause, Plan
from workshop.plans.problems import problems

SOURCE = (ROOT / f"{PAGE}.md").read_text(encoding="utf-8")
MAKE = re.compile(r"`(?:[A-Z_]+=\S+ )?make ([a-z-]+)")


def strange_commands(text: str, makefile: str) -> set[str]:
    """Return the targets that a text names and the Makefile has not."""
    return set(MAKE.findall(text)) - set(re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE))


def test_a_problem_stops_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workshop_page, "problems", lambda plans: ["Mine: no section"])
    with pytest.raises(ExtensionError, match="would not be true: Mine: no section"):
        workshop_page.parts()


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


def test_two_evenings_of_two_hours_hold_what_the_page_says() -> None:
    [half] = three_plans.HALF_A_DAY.days
    at = half.items.index(three_plans.BREAK)
    first = (*half.items[:at], blocks.NO_ZERO, three_plans.CLOSE)
    second = (three_plans.RECALL, *half.items[at + 1 :])
    evenings = Day("first", 120, first), Day("second", 120, second)
    assert not problems([Plan("two-evenings", evenings)])
    too_long = Day("first", 120, (*first, blocks.RULER_END))
    assert problems([Plan("two-evenings", (too_long,))])


def test_the_commands_of_the_page_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert MAKE.findall(SOURCE)
    assert strange_commands(SOURCE, makefile) == set()
    assert strange_commands("Run `X=1 make boook` or `make book`.", makefile) == {"boook"}
