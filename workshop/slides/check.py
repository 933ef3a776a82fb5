"""What is wrong with a deck in a browser: slides that overflow, columns that touch, small type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from workshop.slides.slide import CODE_PX, PROSE_PX, TABLE_PX

# The least pixels on a stage of 1280 by 720, by where a text stands. The labels of a widget are as
# large as its picture leaves room.
LEAST = {
    ".qb-question svg": 16,
    ".qb-question small": 16,
    ".qb-question": PROSE_PX - 2,
    ".widget .fill": 9,
    ".fill": 10,
    ".highlight": CODE_PX,
    ".above, .mark, .figure-number": CODE_PX,
    "code, sub, sup, small, .katex": CODE_PX,
    "table, .footnotes": TABLE_PX,
    ".body": PROSE_PX,
}
# Goes through all slides at once: layout and deck.js answer without waiting.
WALK = Path(__file__).with_name("check.js").read_text(encoding="utf-8")
# The fonts of formulas come when the first one is shown, which is later than they are measured.
FONTS = "Promise.all([...document.fonts].map((font) => font.load()))"
READY = "window.Reveal?.isReady() && !document.querySelector('.qb-widget-host:not([data-drawn])')"


def opened_deck(page: Page, address: str) -> int:
    """Open a deck and wait until it is drawn; return how many slides it has."""
    page.goto(address)
    page.wait_for_function(READY, timeout=30_000)
    page.evaluate(FONTS)
    return int(page.evaluate("Reveal.getTotalSlides()"))


def problems(page: Page) -> list[str]:
    """Return what is wrong with the slides of an open deck."""
    found: Any = page.evaluate(WALK, LEAST)
    return sorted(set(found))
