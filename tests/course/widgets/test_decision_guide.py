"""The decision guide: the way it takes against Python's, its view and changes, its Python side."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from traitlets import TraitError

from qlearn.course.decision_paths import follow, paths
from qlearn.course.decisions import LEAVES, QUESTIONS
from qlearn.course.widgets import DecisionGuide
from qlearn.course.widgets.decision_guide import as_json
from tests.course.widgets.figures import call, markup, with_other
from tests.course.widgets.page import WIDE_LETTERS, opener, write_page
from tests.course.widgets.stored import opening, task

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ENTRY = DecisionGuide.entry()
PATH = ENTRY.with_name("path.js")
TREE = as_json()
COMPLETE = [{step.question: step.answer.name for step in path.steps} for path in paths()]
# Each way, each of its beginnings, and each with an answer that no question on it asks for
GIVEN = [dict(itertools.islice(way.items(), n)) for way in COMPLETE for n in range(len(way) + 1)]
GIVEN += [way | {"life": "long"} for way in COMPLETE]
STATE = {"tree": TREE, "answers": {"device": "card", "card_kind": "linear"}}


# ------------------------------------------------------------------ the way


def ways_that_differ(node: str, module: Path) -> int:
    """Return for how many answers the module takes another way than Python."""
    found = call(node, module, [["follow", TREE, answers] for answers in GIVEN])
    wrong = 0
    for answers, way in zip(GIVEN, found, strict=True):
        path = follow(answers)
        steps = [(s["name"], s["answer"]["name"]) for s in way["steps"] if s["answer"]]
        same = steps == [(step.question, step.answer.name) for step in path.steps]
        wrong += not (same and way["leaf"] == (path.end if path.leaf else None))
    return wrong


def test_the_browser_takes_pythons_way(node: str) -> None:
    assert ways_that_differ(node, PATH) == 0


def test_a_way_that_ends_too_early_is_seen(node: str, tmp_path: Path) -> None:
    two = "Object.fromEntries(Object.entries(answers).slice(0, 2))"
    short = f"(tree, answers) => right.follow(tree, {two})"
    assert ways_that_differ(node, with_other(tmp_path, PATH, "follow", short)) > 0


# ------------------------------------------------------------------ view and changes


@pytest.mark.parametrize("answers", COMPLETE, ids=lambda answers: "-".join(answers.values()))
def test_the_view_says_why_and_what(node: str, answers: dict[str, str]) -> None:
    (shown,) = markup(node, ENTRY, STATE | {"answers": answers})
    path = follow(answers)
    plain = shown.replace("&quot;", '"').replace("&gt;", ">").replace("&amp;", "&")
    for step in path.steps:
        assert QUESTIONS[step.question].text in plain
        assert step.answer.because in plain
    leaf = LEAVES[path.end]
    assert f"Method: <b>{leaf.method}</b>" in plain
    assert leaf.config.strip("\n") in plain
    assert f'href="../{leaf.page}.html"' in plain


def test_the_task_is_done_by_one_way_alone(node: str) -> None:
    page = opening("start/which_one", "DecisionGuide")
    states = [page, *(page | {"answers": answers} for answers in COMPLETE)]
    opened, *ends = markup(node, ENTRY, *states)
    assert not task(opened)[0]
    done = [answers for answers, drawn in zip(COMPLETE, ends, strict=True) if task(drawn)[0]]
    assert [follow(answers).end for answers in done] == ["smoothquant"]


def test_an_open_question_has_no_reason_yet(node: str) -> None:
    (shown,) = markup(node, ENTRY, STATE)
    assert "How many rows does a layer get at once?" in shown
    assert shown.count('aria-pressed="true"') == 2
    assert "undefined" not in shown and "<pre" not in shown


@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("card_kind", "conv", {"answers": {"device": "card", "card_kind": "conv"}}),
        ("device", "phone", {"answers": {"device": "phone", "card_kind": "linear"}}),
        ("again", "", {"answers": {}, "focus": TREE["root"]}),
        ("nothing", "x", {}),
    ],
    ids=["an answer", "an earlier answer", "start again", "no question"],
)
def test_what_a_button_changes(node: str, name: str, value: str, change: dict) -> None:
    assert call(node, ENTRY, [["changed", STATE, name, value]]) == [change]


def test_the_focus_goes_back_to_the_first_question(browser: Browser, tmp_path: Path) -> None:
    way = max(COMPLETE, key=len)
    with opener(browser, height=600) as open_page:
        page = open_page(write_page(tmp_path, DecisionGuide(way)), width=390, has_touch=True)
        again = page.get_by_role("button", name="Start again")
        again.press("Enter")
        first = page.get_by_role("group", name=QUESTIONS[TREE["root"]].text)
        expect(first.get_by_role("button").first).to_be_focused()
        expect(first).to_be_in_viewport(ratio=1)
        expect(page.get_by_role("button", pressed=True)).to_have_count(0)


# The control that has the focus, where its widget's task covers a part of it, else null
COVERED = """() => {
  const { top, bottom } = document.activeElement.getBoundingClientRect();
  const task = document.querySelector(".qb-task").getBoundingClientRect();
  const seen = top >= 0 && bottom <= innerHeight;
  return seen && (task.top >= bottom || task.bottom <= top) ? null
    : document.activeElement.textContent;
}"""


@pytest.mark.parametrize("style", ["* {}", WIDE_LETTERS], ids=["letters", "wide letters"])
@pytest.mark.parametrize(
    ("width", "height", "position"),
    [
        (320, 256, "static"),
        (320, 480, "static"),
        (320, 568, "sticky"),
        (360, 640, "sticky"),
        (390, 844, "sticky"),
        (844, 390, "sticky"),
    ],
)
def test_the_task_covers_nothing_that_has_the_focus(
    browser: Browser, tmp_path: Path, width: int, height: int, position: str, style: str
) -> None:
    guide = write_page(tmp_path, DecisionGuide({"device": "phone", "phone_kind": "linear"}))
    with opener(browser, height=height) as open_page:
        page = open_page(guide, width=width)
        page.add_style_tag(content=style)
        expect(page.locator(".qb-task")).to_have_css("position", position)
        stops = page.locator(".qb-guide :is(a, button:not([aria-disabled]), pre)").count()
        covered = []
        for _ in range(stops):
            page.keyboard.press("Tab")
            page.evaluate("new Promise(requestAnimationFrame)")
            covered.append(page.evaluate(COVERED))
        assert stops == 10 and covered == [None] * stops


# What the site's host script does, and what a notebook does: the same in an element of its own
IN_A_NOTEBOOK = """async (esm) => {
  const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  const [{ state }] = Object.values(JSON.parse(
    document.getElementById("qb-widget-models").textContent));
  const model = { get: (name) => state[name], on() {}, off() {} };
  const el = document.body.appendChild(document.createElement("div"));
  (await import(url)).default.render({ model, el });
}"""


def test_a_link_leads_to_a_page_on_the_site_and_to_a_notebook_elsewhere(
    browser: Browser, tmp_path: Path
) -> None:
    page = browser.new_page()
    page.goto(write_page(tmp_path, DecisionGuide({"device": "phone", "phone_kind": "conv"})))
    page.locator(".qb-widget-host[data-drawn]").wait_for()
    page.evaluate(IN_A_NOTEBOOK, DecisionGuide.source(".js"))
    links = page.locator(".qb-guide a:not(.qb-link)").all()
    leaf = follow({"device": "phone", "phone_kind": "conv"}).leaf
    assert leaf
    assert [(link.get_attribute("href"), link.get_attribute("target")) for link in links] == [
        (f"../{leaf.page}.html", None),
        (f"../{leaf.page}.ipynb", "_blank"),
    ]
    page.close()


# ------------------------------------------------------------------ Python


def test_says_where_the_answers_lead() -> None:
    widget = DecisionGuide()
    assert repr(widget) == "DecisionGuide(: Where will it run?)"
    widget.set_state({"answers": {"device": "processor", "weights": "embedding"}})
    assert repr(widget).endswith("→ an embedding table: int8 rows in the table)")


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"device": "watch"}, "device has no answer 'watch': it takes processor, other, card"),
        ({"colour": "blue"}, "there is no question 'colour': they are device"),
    ],
)
def test_an_answer_to_no_question_is_refused(answers: dict[str, str], message: str) -> None:
    widget = DecisionGuide()
    with pytest.raises(ValueError, match=message):
        widget.answers = answers
    assert widget.answers == {}


def test_the_tree_is_not_the_readers_to_change() -> None:
    with pytest.raises(TraitError, match="tree"):
        DecisionGuide().tree = {}
