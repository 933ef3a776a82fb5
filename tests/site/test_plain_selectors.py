"""Selectors without :has match what they did with it."""

import pytest
from playwright.sync_api import Browser
from sphinx.errors import ExtensionError

from site_builder.plain_selectors import PLAIN, plain

CODE = '<div class="cell_input">code</div>'
FOLD = f"<details><summary>show</summary>{CODE}</details>"
OUTPUT = '<div class="cell_output"><details><summary>more</summary></details></div>'
CELLS = [CODE, CODE + OUTPUT, FOLD, FOLD + OUTPUT, OUTPUT, FOLD + FOLD, CODE + FOLD + OUTPUT]
NOTE = """<div class="bd-content"><div class="dropdown admonition toggle {0}">
  <p class="admonition-title">Solution <button>show</button></p><div><p>words</p></div>
</div></div>"""
PAGE = "".join(f'<div class="cell">{cell}</div>' for cell in CELLS)
PAGE += NOTE.format("") + NOTE.format("toggle-hidden")
# A box is focused as the keyboard does it; a pseudo-element cannot be asked for.
MATCHED = """([selector, focused]) => {
  const button = document.querySelectorAll("button")[focused];
  if (button) button.focus({ focusVisible: true });
  const all = [...document.querySelectorAll("*")];
  return all.flatMap((one, place) => (one.matches(selector) ? [place] : []));
}"""
PAIRS = [pair for selectors in PLAIN.values() for pair in selectors.items()]


@pytest.mark.parametrize(("old", "new"), PAIRS, ids=[old for old, _ in PAIRS])
def test_the_same_is_matched(old: str, new: str, browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(PAGE)
    found = []
    for focused in (-1, 0, 1):
        had, has = (
            page.evaluate(MATCHED, [each.replace(":before", ""), focused]) for each in (old, new)
        )
        assert had == has
        found += had
    page.close()
    assert found  # else nothing was compared


def test_a_style_sheet_is_changed_once() -> None:
    css = plain("a:has(b) c{top:0}", {"a:has(b) c": "a c:has(b)"})
    assert css == "a c:has(b){top:0}" == plain(css, {"a:has(b) c": "a c:has(b)"})


def test_a_selector_that_is_gone_is_named() -> None:
    with pytest.raises(ExtensionError, match=r"'a:has\(b\) c' any more"):
        plain("a c{top:0}", {"a:has(b) c": "a c:has(b)"})
