"""A deck in a browser, from file://: nothing overflows, it prints, and what is alive stays alive.

One page's deck and one day's each time; with ALL_DECKS set, as `make slides-test` sets it, all.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from site_checks.browser import Record, opened
from site_checks.site import built_site
from tests.site.test_site_in_browser import sheets
from workshop.core_pages import core_pages
from workshop.plans.three_plans import PLANS
from workshop.slides.check import READY, opened_deck, problems
from workshop.slides.days import days
from workshop.slides.deck import write_decks

SIZES: list[ViewportSize] = [{"width": 1280, "height": 720}, {"width": 1920, "height": 1080}]
SAMPLE = "integers/dynamic_linear"  # it has formulas, a table, a widget, code and questions
ALL = bool(os.environ.get("ALL_DECKS"))
DAYS = [name for plan in PLANS for name, _ in days(plan)] if ALL else ["plans/90-minutes"]
NAMES = DAYS + [page.short for page in core_pages() if ALL or page.short == SAMPLE]

# What a screen reader is told of each slide, beside what it must be told, and what it must not.
TELL_ALL = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const words = (text) => (text ?? "").replace(/\\s+/g, " ").trim();
  const told = [];
  for (const slide of Reveal.getSlides()) {
    const { h, v } = Reveal.getIndices(slide);
    Reveal.slide(h, v);
    await frame();
    await frame();
    const picture = slide.querySelector(".qb-stage > svg[role=img], .qb-drawing > svg");
    const solution = slide.querySelector("details.qb-locked > p");
    told.push({
      told: document.querySelector(".aria-status").textContent,
      kind: slide.querySelector(".slide").className,
      label: words(picture?.ariaLabel),
      drawn: words(picture?.textContent),
      solution: words(solution?.textContent),
    });
  }
  return told;
}"""


TO_WIDGET = """() => {
  const { h, v } = Reveal.getIndices(document.querySelector(".slide.widget").parentElement);
  Reveal.slide(h, v);
}"""
ON_LINUX = platform.system() == "Linux"


@pytest.fixture(scope="module")
def decks(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, int]]:
    """Write the decks; return where they are, and how many slides each has."""
    target = tmp_path_factory.mktemp("decks")
    pages = [page for page in core_pages() if page.short in NAMES]
    return f"{target.as_uri()}/", write_decks(
        built_site(), target, pages, PLANS if ALL else PLANS[:1]
    )


@pytest.fixture
def tab(browser: Browser, decks: tuple[str, dict[str, int]]) -> Iterator[tuple[Page, Record, str]]:
    with opened(browser, decks[0]) as (page, record):
        page.set_viewport_size(SIZES[0])
        yield page, record, decks[0]


def test_there_is_a_deck_for_each_core_page_and_each_day(
    decks: tuple[str, dict[str, int]],
) -> None:
    assert len(core_pages()) > 20 and list(decks[1]) == NAMES


def test_each_section_of_a_plan_is_one_of_the_built_page() -> None:
    for step in [step for plan in PLANS for block in plan.blocks() for step in block.steps]:
        page = (built_site() / "book" / f"{step.page}.html").read_text(encoding="utf-8")
        slug = step.section.partition("#")[2]
        assert not slug or f'<section id="{slug}">' in page, step.section


@pytest.mark.parametrize("name", NAMES)
def test_no_slide_overflows(name: str, tab: tuple[Page, Record, str]) -> None:
    page, record, base = tab
    found: dict[int, list[str]] = {}
    for size in SIZES:
        page.set_viewport_size(size)
        opened_deck(page, f"{base}{name}.html")
        found[size["width"]] = problems(page)
    assert found == {1280: [], 1920: []}
    assert record.console + record.network == []


@pytest.mark.parametrize("name", NAMES)
def test_one_slide_is_one_sheet(
    name: str, tab: tuple[Page, Record, str], decks: tuple[str, dict[str, int]]
) -> None:
    page, _, base = tab
    page.goto(f"{base}{name}.html?print-pdf")
    page.wait_for_function(f"{READY} && document.querySelector('.pdf-page')")
    assert sheets(page.pdf(width="1280px", height="720px")) == decks[1][name]


def test_notes_are_printed_behind_their_slide(
    tab: tuple[Page, Record, str], decks: tuple[str, dict[str, int]]
) -> None:
    page, _, base = tab
    page.goto(f"{base}{SAMPLE}.html?print-pdf&notes")
    page.wait_for_function(f"{READY} && document.querySelector('.pdf-page')")
    assert page.locator(".pdf-page").count() == decks[1][SAMPLE]
    notes = page.locator(".pdf-page + .speaker-notes-pdf")
    assert notes.count() > 0.8 * decks[1][SAMPLE]
    assert "compute a linear layer with integers by hand" in notes.first.inner_text()


@pytest.mark.parametrize(
    ("style", "message"),
    [
        (".slide .highlight pre { min-height: 900px }", "too high"),
        (".slide .highlight pre { width: 1400px }", "too wide"),
        (".slide .points { font-size: 20px }", r"has 20.0 pixels (.body: 24)"),
        (".slide header { position: relative; left: 900px }", "stands beyond the slide"),
        (
            ".slide td:first-child { text-align: right !important; border-width: 4px !important }",
            "are 4.0 pixels apart",
        ),
    ],
)
def test_a_slide_that_overflows_is_named(
    style: str, message: str, tab: tuple[Page, Record, str]
) -> None:
    page, _, base = tab
    opened_deck(page, f"{base}{SAMPLE}.html")
    page.add_style_tag(content=style)
    found = problems(page)
    assert found and all(problem.startswith("book/integers/dynamic_linear, ") for problem in found)
    assert any(message in problem for problem in found)


@pytest.mark.parametrize(
    ("name", "style", "message"),
    [
        ("start/which_one", ".slide .fill pre { white-space: pre }", "PRE is"),
        ("integers/journey", ".slide .qb-journey .qb-grid { width: 200px }", "LABEL is"),
    ],
    ids=["code", "numbers"],
)
def test_what_a_widget_cuts_is_named(
    name: str, style: str, message: str, browser: Browser, tmp_path: Path
) -> None:
    write_decks(built_site(), tmp_path, [page for page in core_pages() if page.short == name])
    with opened(browser, f"{tmp_path.as_uri()}/") as (page, _):
        page.set_viewport_size(SIZES[0])
        opened_deck(page, f"{tmp_path.as_uri()}/{name}.html")
        assert problems(page) == []
        page.add_style_tag(content=style)
        assert any(message in problem for problem in problems(page))


def test_a_click_enlarges_small_type(tab: tuple[Page, Record, str]) -> None:
    page, record, base = tab
    opened_deck(page, f"{base}{SAMPLE}.html")
    page.evaluate(TO_WIDGET)
    label = page.locator("section.present .qb-stage svg text").first
    as_drawn = "(text) => text.getBoundingClientRect().height"
    before = label.evaluate(as_drawn)
    for factor in (2, 1):
        label.click(modifiers=["ControlOrMeta" if ON_LINUX else "Alt"], force=True)
        page.wait_for_timeout(1000)  # it grows for 0.8 seconds
        assert label.evaluate(as_drawn) == pytest.approx(factor * before, rel=0.01)
    assert record.console == []


def test_an_answer_does_not_turn_the_page(tab: tuple[Page, Record, str]) -> None:
    page, _, base = tab
    opened_deck(page, f"{base}{SAMPLE}.html")
    first = page.evaluate(
        "() => Reveal.getSlides().findIndex((slide) => slide.querySelector('[name=typed]'))"
    )
    page.evaluate("(at) => { for (let i = 0; i < at; i++) Reveal.next() }", first)
    question = page.locator("section.present .qb-question")
    shown = page.evaluate("Reveal.getState()")
    question.locator("input").fill("12")
    question.locator("input").press("ArrowLeft")
    question.get_by_role("button", name="Check").press("Space")
    expect(question.locator("output")).to_contain_text("Not 12.")
    assert page.evaluate("Reveal.getState()") == shown
    page.keyboard.press("Escape")
    page.keyboard.press("Space")
    assert page.evaluate("Reveal.getState()") != shown
    assert not page.evaluate("Reveal.isOverview()")


def test_a_rehearsal_is_forgotten(tab: tuple[Page, Record, str]) -> None:
    page, _, base = tab
    opened_deck(page, f"{base}{SAMPLE}.html")
    page.evaluate("localStorage.setItem('quantization-bit-by-bit', '{}')")
    assert page.evaluate("localStorage.getItem('quantization-bit-by-bit')") is None


def test_the_speaker_sees_the_notes(browser: Browser, decks: tuple[str, dict[str, int]]) -> None:
    context = browser.new_context()
    page = context.new_page()
    opened_deck(page, f"{decks[0]}{SAMPLE}.html")
    with context.expect_page() as opening:
        page.keyboard.press("s")
    notes = opening.value.locator(".speaker-controls-notes .value")
    opening.value.frame_locator("iframe").first.locator(".reveal.ready").wait_for()
    expect(notes).to_contain_text("compute a linear layer with integers by hand", timeout=15_000)
    page.keyboard.press("ArrowRight")
    expect(notes).to_contain_text("network reads 347 of 359 images")
    context.close()


def test_the_index_leads_to_the_decks(tab: tuple[Page, Record, str]) -> None:
    page, record, base = tab
    page.goto(f"{base}index.html")
    links = [link.get_attribute("href") for link in page.locator("li > a").all()]
    assert links == [f"{name}.html" for name in NAMES]
    page.locator("li > a").first.click()
    page.wait_for_function(READY)
    assert record.console + record.network == []


def test_a_screen_reader_is_told_a_slide_without_the_letters_of_its_drawings(
    tab: tuple[Page, Record, str],
) -> None:
    page, record, base = tab
    opened_deck(page, f"{base}{SAMPLE}.html")
    told: list[dict[str, str]] = page.evaluate(TELL_ALL)
    kinds = {slide["kind"] for slide in told}
    assert {"slide title", "slide widget", "slide question"} <= kinds
    for slide in told:
        assert slide["label"] in slide["told"] != ""
        for silent in filter(None, (slide["drawn"], slide["solution"])):
            assert silent not in slide["told"]
    assert sum(slide["drawn"] != "" for slide in told) > 1
    assert sum(slide["solution"] != "" for slide in told) > 1
    assert record.console == []
