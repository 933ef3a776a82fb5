"""The notes of terms open by pointer and focus, and Escape closes them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from site_checks.site import built_site


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 390, "height": 800}) as context:
        page = context.new_page()
        page.goto((built_site() / "book/numbers/quantized_tensors.html").as_uri())
        yield page


def test_a_note_opens_at_the_focus_and_closes_at_escape(page: Page):
    note = page.locator(".qb-term").first
    says = note.get_by_role("tooltip")
    assert not says.is_visible()
    note.get_by_role("button").focus()
    assert says.is_visible()
    assert says.evaluate("it => it.getBoundingClientRect().right <= innerWidth")
    page.keyboard.press("Escape")
    assert not says.is_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    assert says.is_visible()


def test_a_note_opens_under_the_pointer_which_can_move_into_it(page: Page):
    note = page.locator(".qb-term").first
    note.get_by_role("button").hover()
    link = note.get_by_role("link", name="Glossary")
    assert link.is_visible()
    link.hover()
    assert link.is_visible()


def test_a_closed_note_opens_again_when_the_pointer_comes_and_not_when_it_goes(page: Page):
    note = page.locator(".qb-term").first
    button, says = note.get_by_role("button"), note.get_by_role("tooltip")
    button.click()  # which has the focus now, and the pointer
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    assert not says.is_visible()
    button.hover()
    assert says.is_visible()
    page.mouse.move(0, 0)
    page.keyboard.press("Escape")
    assert not says.is_visible()
    button.hover()
    assert says.is_visible()
