"""Every widget, as its page of the book opens it: what all have, and how a script takes it over."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from notebook_pipeline.outputs import WIDGET_STATE
from site_checks.axe import axe_script
from tests.course.widgets.examples import EXAMPLES
from tests.course.widgets.page import DRAWN, write_entries
from tests.course.widgets.stored import BOOK

# What a script does to the parts of widgets once the page is read. It may tell a control its own
# value again, and make the link to the state, which only a script can.
WATCH = """() => {
  window.touched = [];
  new MutationObserver((records) => {
    for (const { type, target, attributeName: name, oldValue } of records) {
      const element = target.nodeType === 1 ? target : target.parentElement;
      const inside = element?.closest(".qb-widget-host > .qb-widget");
      if (document.readyState === "loading" || !inside) continue;
      if (type === "attributes" && element.getAttribute(name) === oldValue) continue;
      if (name === "href" && element.matches("a.qb-link")) continue;
      window.touched.push(`${inside.className}: ${type} ${name} of ${element.outerHTML}`);
    }
  }).observe(document, {
    attributes: true, attributeOldValue: true, characterData: true, childList: true, subtree: true,
  });
}"""
# Inside each widget: its name, how many titles and hints it has, and the sign of its task
PARTS = """all => all.map((widget) => [widget.className, widget.ariaLabel,
  ...[".qb-title", ".qb-hint"].map((part) => widget.querySelectorAll(part).length),
  ...[...widget.querySelectorAll(".qb-task b")].map((sign) => sign.textContent)])"""
TOO_SMALL = """axe.run(".qb-widget", {runOnly: ["target-size"]}).then(({ violations, passes }) =>
  [passes.length, violations.flatMap(({ nodes }) => nodes.map(({ html }) => html))])"""


def entries() -> dict[str, Any]:
    """Return what the notebooks store of all their widgets; questions are none."""
    found = {}
    for path in sorted(BOOK.rglob("*.ipynb")):
        widgets = json.loads(path.read_text(encoding="utf-8"))["metadata"].get("widgets", {})
        for id_, entry in widgets.get(WIDGET_STATE, {}).get("state", {}).items():
            name = entry["state"].get("_anywidget_id", "")
            if re.match(r"qlearn\.course\.widgets\.", name):
                found[id_] = entry
    shown = {each["state"]["_anywidget_id"].rpartition(".")[2] for each in found.values()}
    for name in set(EXAMPLES) - shown:
        pytest.fail(f"{name} is on no page: show it in a chapter, and run `make outputs`")
    assert shown == set(EXAMPLES)
    return found


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_entries(tmp_path_factory.mktemp("every"), entries())


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        page.add_init_script(f"({WATCH})()")
        page.goto(address)
        page.wait_for_function(DRAWN)
        yield page


def test_the_script_takes_each_over_without_changing_a_node(page: Page) -> None:
    assert page.evaluate("window.touched") == []
    page.locator(".qb-link").first.evaluate("link => { link.textContent = 'Another'; }")
    assert "childList" in page.evaluate("window.touched.pop()")


def test_each_has_a_title_a_hint_and_an_open_task(page: Page) -> None:
    for name, label, *parts in page.locator(".qb-widget").evaluate_all(PARTS):
        assert label and parts[0] == 1 and parts[1] >= 1, name
        assert parts[2:] == ["Your task:"], name


def test_each_target_is_large_enough(page: Page) -> None:
    page.evaluate(axe_script())
    tried, small = page.evaluate(TOO_SMALL)
    assert tried and small == []
    tiny = "min-height: 0 !important; min-width: 0 !important; height: 9px; width: 9px"
    page.add_style_tag(content=f".qb-bits button {{ {tiny} }}")
    assert page.evaluate(TOO_SMALL)[1] != []
