"""Choices of the widgets, as their pages open them: the text of none is cut, nor a control."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.course.widgets.page import opener, write_entries
from tests.course.widgets.stored import entry
from tests.course.widgets.tasks import TASKS

# A choice as wide as its longest text is no wider than it is on the page.
CUT = """all => all.filter((select) => {
  const room = select.offsetWidth;
  select.style.width = "max-content";
  const cut = select.offsetWidth > room;
  select.style.width = "";
  return cut;
}).map((select) => `${select.ariaLabel}: ${[...select.options].map(({ text }) => text)}`)"""


BEYOND = """all => all.filter((control) => {
  const { right } = control.closest(".qb-widget").getBoundingClientRect();
  return control.getBoundingClientRect().right > right + 1;
}).map((control) => control.ariaLabel ?? control.textContent)"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    entries = {f"model{i}": entry(*each) for i, each in enumerate(TASKS)}
    return write_entries(tmp_path_factory.mktemp("choices"), entries)


@pytest.mark.parametrize("width", [390, 600, 712, 944, 1280])
def test_no_choice_is_cut(browser: Browser, address: str, width: int) -> None:
    with opener(browser) as open_page:
        choices = open_page(address, width=width).locator(".qb-widget select")
        assert choices.count() > 30
        if choices.evaluate_all(CUT):  # under load Chromium lays some out a second time
            choices.page.wait_for_timeout(1000)
        assert choices.evaluate_all(CUT) == []
        style = choices.page.add_style_tag(content=".qb-widget select { width: 5rem }")
        assert len(choices.evaluate_all(CUT)) > 20
        style.dispose()


@pytest.mark.parametrize("width", [320, 350, 390])
def test_no_control_leaves_its_widget(browser: Browser, address: str, width: int) -> None:
    with opener(browser) as open_page:
        page = open_page(address, width=width)
        controls = page.locator(":is(input, select, button):not(.qb-stage > *)")
        assert controls.count() > 150
        assert controls.evaluate_all(BEYOND) == []
        page.add_style_tag(content=".qb-widget select { min-width: 30rem }")
        assert len(controls.evaluate_all(BEYOND)) > 20
