"""Words of the book's drawings in the narrowest box that a page gives them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.course.widgets.page import WIDE_LETTERS, assert_in_sight

ROOT = Path(__file__).parents[3]
BOOK = ROOT / "book"
STYLE = ROOT / "site_builder" / "static" / "book.css"
NARROWEST = 342  # pixels: a narrower page scrolls
PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ font: 1rem/1.5 sans-serif; margin: 0 }} div {{ width: {width}px; margin: 0 200px }}
</style><main>{drawings}</main>"""
CUT = """all => all.filter((words) => {
  const [{ left, right }, box] =
    [words, words.closest(".qb-drawing")].map((each) => each.getBoundingClientRect());
  return left < box.left - 2 || right > box.right + 2; // a letter is narrower than its place
}).map((words) => words.textContent)"""
# With wide letters some are longer than the box: its page scrolls to the right, never to the left.
CUT_LEFT = CUT.replace(" || right > box.right + 2", "")


def drawings() -> Iterator[str]:
    """Yield the drawings that the notebooks store, as HTML."""
    for path in sorted(BOOK.rglob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", ()):
                html = "".join(output.get("data", {}).get("text/html", ""))
                if 'class="qb-drawing"' in html:
                    yield html


@pytest.mark.parametrize(
    ("style", "cut"), [("* {}", CUT), (WIDE_LETTERS, CUT_LEFT)], ids=["letters", "wide letters"]
)
def test_no_word_leaves_a_narrow_box(browser: Browser, style: str, cut: str) -> None:
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    page.set_content(PAGE.format(width=NARROWEST, drawings="".join(drawings())))
    assert_in_sight(page, ".qb-drawing text", style, cut, words=500, wider=50)
    page.close()


def test_no_page_makes_a_drawing_narrower(browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 320, "height": 900})
    page.set_content("".join(drawings()))
    page.add_style_tag(path=STYLE)
    widths = page.locator(".qb-drawing").evaluate_all("all => all.map((one) => one.offsetWidth)")
    assert len(widths) > 50 and set(widths) == {NARROWEST}
    page.close()
