"""What would be cut off on paper: boxes that are wider than the page, or than what shows them."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

FIND = Path(__file__).with_name("overflow.js").read_text(encoding="utf-8")


def too_wide(page: Page, width: int) -> list[str]:
    """Return a sentence for each box that does not fit on paper of this width, in CSS pixels."""
    page.set_viewport_size({"width": width, "height": 1000})
    found: list[str] = page.evaluate(FIND)
    return found
