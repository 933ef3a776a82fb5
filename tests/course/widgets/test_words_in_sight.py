"""Words of the widgets' pictures in a page as narrow as WCAG asks for, wide letters too."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.course.widgets.page import WIDE_LETTERS, assert_in_sight, opener, write_entries
from tests.course.widgets.test_every_widget import entries

NARROW = 320  # pixels: 1280 at 400 %, as in WCAG 1.4.10
# Nothing scrolls to words of an SVG that leave their box.
CUT = """all => all.filter((words) => {
  const { left, right, width } = words.getBoundingClientRect();
  return width && (left < 0 || right > innerWidth);
}).map((words) => `${words.closest(".qb-widget").ariaLabel}: ${words.textContent}`)"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_entries(tmp_path_factory.mktemp("narrow"), entries())


@pytest.mark.parametrize("style", ["* {}", WIDE_LETTERS], ids=["letters", "wide letters"])
def test_no_word_of_a_picture_leaves_a_narrow_page(
    browser: Browser, address: str, style: str
) -> None:
    with opener(browser) as open_page:
        page = open_page(address, width=NARROW)
        assert_in_sight(page, ".qb-widget svg text", style, CUT, words=100, wider=20)
