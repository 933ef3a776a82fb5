"""The answer key of a built page has all that the page asks."""

from __future__ import annotations

from pathlib import Path

from bs4 import BeautifulSoup
from playwright.sync_api import Browser

from site_checks.browser import opened
from site_checks.site import built_site
from workshop.editions.answer_key import write_key

PAGE = "book/integers/dynamic_linear"


def test_the_key_of_a_page_is_whole(tmp_path: Path, browser: Browser) -> None:
    site, target = built_site(), tmp_path / "key"
    page = BeautifulSoup((site / f"{PAGE}.html").read_text(encoding="utf-8"), "html.parser")
    questions, exercises = write_key(site, target, [PAGE])
    assert questions == len(page.select(".qb-widget-host .qb-question")) > 6
    assert exercises == len(page.select("div.solution")) > 3
    with opened(browser, f"{target.as_uri()}/") as (tab, record):
        tab.goto(f"{target.as_uri()}/index.html", wait_until="load")
        assert tab.locator(".question").count() == questions
        assert tab.locator(".worked .solved").count() == exercises
        width, room = tab.evaluate("[document.body.scrollWidth, innerWidth]")
        assert width <= room
        assert record.console + record.network == []
