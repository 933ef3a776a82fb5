"""The field on the page of symptoms finds the entry for what people paste and say.

`asked_symptoms.json` has 90 queries that were written before their writer saw the page: messages
after threads on GitHub, shortened, and what somebody may type. Which entries answer each was
decided from the page, before the field was tried. Of 23 no entry answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from site_builder.symptom_finder import PAGE, SCRIPT
from site_checks.axe import axe_script
from site_checks.browser import PHONE, opened
from site_checks.inspection import layout_problems
from site_checks.site import built_site, served

SITE = built_site()
ADDRESS = f"{PAGE}.html"
HEADING = re.compile(r"^\(symptom-([\w-]+)\)=\n### (.+)$", re.MULTILINE)
ROOT = Path(__file__).parents[2]
HEADINGS = dict(HEADING.findall((ROOT / f"{PAGE}.md").read_text(encoding="utf-8")))
ASKED = json.loads(Path(__file__).with_name("asked_symptoms.json").read_text(encoding="utf-8"))
ANSWERED = [asked for asked in ASKED if asked["right"]]
NOT_QUOTED = "No entry quotes this message. The nearest:"
# Sets the field and says so, as if somebody had pasted; returns the names of the entries.
FIND = """query => {
  const form = document.querySelector(".qb-finder");
  form.querySelector("textarea").value = query;
  form.querySelector("textarea").dispatchEvent(new Event("input"));
  return [...form.querySelectorAll("li a")].map((link) => link.hash.replace("#symptom-", ""));
}"""
TRACEBACK = """Traceback (most recent call last):
  File "/home/ana/net.py", line 44, in forward
    raise AssertionError("Fusion only for eval!")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/home/ana/torch/ao/quantization/fuse_modules.py", line 58, in fuse_known_modules
    fuser_method = get_fuser_method(types, additional_fuser_method_mapping)
RuntimeError: Didn't find engine for operation quantized::linear_prepack NoQEngine"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """Open the page as a file, on a telephone."""
    with opened(browser, f"{SITE.as_uri()}/") as (page, record):
        page.set_viewport_size(PHONE)
        page.goto((SITE / ADDRESS).as_uri())
        yield page
        assert record.console + record.network == []


@pytest.fixture
def find(page: Page) -> Callable[[str], list[str]]:
    """Return a function that gives the names of the entries for what is pasted."""
    return lambda query: page.evaluate(FIND, query)


Find = Callable[[str], list[str]]


def test_the_heading_of_each_entry_finds_it(find: Find) -> None:
    first = {name: find(heading)[:1] for name, heading in HEADINGS.items()}
    assert first == {name: [name] for name in HEADINGS}


def test_what_else_an_entry_is_called_names_an_entry() -> None:
    words = (ROOT / "site_builder/symptom_finder/words.js").read_text(encoding="utf-8")
    named = re.findall(r'^  "?([\w-]+)"?:', words, re.MULTILINE)
    assert len(named) > 30 and set(named) <= HEADINGS.keys()


def test_most_questions_of_others_are_answered_by_the_first_three(find: Find) -> None:
    places = [[name in asked["right"] for name in find(asked["query"])] for asked in ANSWERED]
    assert len(places) == 67
    assert sum(any(of_one[:1]) for of_one in places) >= 55
    assert sum(any(of_one[:3]) for of_one in places) >= 62
    assert max(map(len, places)) == 5


def test_what_no_entry_quotes_is_said_to_be_quoted_by_none(page: Page, find: Find) -> None:
    said = {}
    for asked in ASKED:
        find(asked["query"])
        said[asked["query"]] = page.locator(".qb-finder output").inner_text()
    messages = [asked for asked in ASKED if re.search(r"Error|Could not run", asked["query"])]
    without = [said[asked["query"]] for asked in messages if not asked["right"]]
    quoted = [said[asked["query"]] for asked in messages if asked["right"]]
    assert len(without) > 10 and without.count(NOT_QUOTED) >= 0.8 * len(without)
    assert len(quoted) > 20 and quoted.count(NOT_QUOTED) <= 0.3 * len(quoted)


def test_the_frames_of_a_traceback_do_not_count(find: Find) -> None:
    assert find(TRACEBACK)[0] == "no-engine"
    assert "fusion" not in find(TRACEBACK)
    assert find("AssertionError: Fusion only for eval!") == ["fusion"]


def test_words_may_have_other_endings_and_names(find: Find) -> None:
    assert find("the checkpoint is bigger")[0] == find("size of checkpoints")[0] == "size"
    assert find("fp32 was trained")[0] == find("float training")[0]


def test_where_no_word_is_known_it_says_so_and_leads_on(page: Page, find: Find) -> None:
    assert find("xyzzy plugh") == []
    expect(page.locator(".qb-finder output")).to_have_text("No entry has any of these words.")
    search = page.locator(".qb-finder").get_by_role("link", name="Search the whole book for it")
    assert str(search.get_attribute("href")).endswith("/search.html?q=xyzzy%20plugh")
    find(TRACEBACK)
    assert "/search.html?q=RuntimeError%3A%20Didn't%20find" in str(search.get_attribute("href"))
    find("  ")
    expect(page.locator(".qb-finder output")).to_be_empty()
    expect(search).to_have_count(0)


def test_the_keyboard_goes_from_the_field_to_an_entry(page: Page) -> None:
    field = page.get_by_label("Paste the message, or say what happens")
    field.fill("Could not run 'quantized::conv2d.new' with arguments from the 'CPU' backend")
    field.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**#symptom-quantized-linear")
    heading = page.get_by_role("heading", name="Could not run ‘quantized::linear’")
    expect(heading).to_be_in_viewport()


def test_the_list_of_what_was_found_passes_axe_and_fits_a_telephone(page: Page, find: Find) -> None:
    assert len(find("quantized")) == 5
    page.evaluate(axe_script())
    found = page.evaluate("axe.run('.qb-finder', { resultTypes: ['violations'], preload: false })")
    assert layout_problems(page) + found["violations"] == []


def test_the_search_hands_over_what_was_asked(browser: Browser) -> None:
    with served(SITE) as base, opened(browser, base) as (page, _):
        page.goto(f"{base}search.html?q=xyzzy_layer fused as ConvReLU2d instead of ConvBnReLU2d")
        page.locator("#search-results").get_by_role("link", name="Symptoms").first.click()
        page.wait_for_url(f"**/{ADDRESS}?q=*")
        field = page.get_by_label("Paste the message, or say what happens")
        expect(field).to_have_value("xyzzy_layer fused as ConvReLU2d instead of ConvBnReLU2d")
        expect(page.locator(".qb-finder li").first).to_be_visible()


def test_without_scripts_there_is_the_list_alone(browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((SITE / ADDRESS).as_uri())
        assert not page.locator(".qb-finder").is_visible()


def test_no_other_page_loads_the_script() -> None:
    having = [
        path.relative_to(SITE).as_posix()
        for path in SITE.rglob("*.html")
        if SCRIPT in path.read_text(encoding="utf-8")
    ]
    assert having == [ADDRESS]
