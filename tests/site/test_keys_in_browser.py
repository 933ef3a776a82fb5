"""Who uses keys keeps the place on the page, sees it, and hears what a button is called."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from site_checks.site import built_site

PAGE = built_site() / "book/numbers/quantized_tensors.html"
NARROW = {"width": 320, "height": 640}  # 1280 pixels at 400 %
TITLES = ["integers/requantization", "formats/float8_and_microscaling", "reference/progress"]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        page.goto(PAGE.as_uri())
        yield page


def pressed(button: Locator) -> Locator:
    button.focus()
    button.press("Enter")
    return button


def test_a_button_keeps_the_focus_when_it_is_pressed(page: Page) -> None:
    for button in (".copybtn", ".theme-switch-button:visible"):
        expect(pressed(page.locator(button).first)).to_be_focused()


@pytest.mark.parametrize(
    ("button", "name"),
    [
        (".primary-toggle", "Contents"),
        (".secondary-toggle", "Contents of this page"),
        (".search-button", "Search"),
    ],
    ids=["book", "page", "search"],
)
def test_the_focus_comes_back_from_a_dialog(page: Page, button: str, name: str) -> None:
    page.set_viewport_size(NARROW)
    opener = pressed(page.locator(f"{button}:visible").first)
    dialog = page.locator("dialog[open]")
    expect(dialog).to_have_attribute("aria-label", name)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(opener).to_be_focused()


def test_the_switch_of_colours_says_which_mode_there_is(page: Page) -> None:
    switch = page.locator(".theme-switch-button:visible").first
    modes = [switch.get_attribute("aria-label")]
    for _ in range(3):
        modes.append(pressed(switch).get_attribute("aria-label"))
    assert set(modes) == {f"Color mode: {mode}" for mode in ("auto", "dark", "light")}
    assert modes[0] == modes[3]


def test_escape_closes_the_note_of_a_button(page: Page) -> None:
    page.locator(".theme-switch-button:visible").first.hover()
    expect(page.locator(".tooltip")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".tooltip")).to_have_count(0)


def test_a_solution_has_a_button_that_is_called_what_stands_on_it(page: Page) -> None:
    button = page.get_by_role("button", name="Click to show: Solution to Exercise").first
    name = button.get_attribute("aria-label")
    assert name is not None
    button.click()
    opened = page.get_by_role("button", name=name.replace("show", "hide"), exact=True)
    expect(opened).to_have_attribute("aria-expanded", "true")


@pytest.mark.parametrize("forced", ["none", "active"])
def test_what_has_the_focus_has_a_ring(browser: Browser, forced: str) -> None:
    with browser.new_context(forced_colors=forced) as context:
        page = context.new_page()
        page.goto(PAGE.as_uri())
        page.keyboard.press("Tab")  # from now on, the focus is to be seen
        places = [".bd-header-article .btn:visible"]
        if forced == "active":
            places += ["nav.bd-links li > a:visible", ".page-toc .nav-link:visible"]
        for place in places:
            page.locator(place).first.focus()
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline == "solid", place


@pytest.mark.parametrize("name", TITLES)
def test_a_page_is_no_wider_than_a_window_at_400_percent(page: Page, name: str) -> None:
    page.set_viewport_size(NARROW)
    page.goto((built_site() / f"book/{name}.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]


def test_each_note_can_be_reached_by_the_pointer(page: Page) -> None:
    page.goto((built_site() / "book/integers/requantization_to_the_bit.html").as_uri())
    right = "it => it.getBoundingClientRect().right"
    for note in page.locator(".qb-term:visible").all():
        term, says = note.get_by_role("button"), note.locator("[role=tooltip]")
        assert says.evaluate(right) >= term.evaluate("it => it.getBoundingClientRect().left")
