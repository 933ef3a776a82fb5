"""What a test asks of a visit, its pages see, in each browser that the tests run in."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from site_checks.browser import asked_for, opened, visitor
from site_checks.firefox.devtools import DevTools
from site_checks.firefox.start import tab_settings

SEEN = """queries => queries.filter((query) => matchMedia(query).matches)"""
QUERIES = [
    "print",
    "(prefers-color-scheme: dark)",
    "(prefers-color-scheme: light)",
    "(prefers-reduced-motion: reduce)",
]
PAGE = """<!doctype html><html lang="en"><title>A page</title><body>
<noscript><p>No script</p></noscript><p id="ran"></p>
<button onpointerup="this.textContent = event.pointerType" style="height: 3rem">none</button>
<script>document.getElementById("ran").textContent = "ran";</script>"""


@pytest.fixture
def address(tmp_path: Path) -> str:
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    return (tmp_path / "page.html").as_uri()


def seen(page: Page) -> list[str]:
    """Return which of the queries hold on the page."""
    return page.evaluate(SEEN, QUERIES)


def test_a_page_sees_the_media_that_a_test_asks_for(browser: Browser, address: str) -> None:
    with browser.new_context(color_scheme="dark", reduced_motion="reduce") as context:
        page, other = context.new_page(), context.new_page()
        for _ in range(2):  # as it is opened, and in another page of the same tab
            page.goto(address)
            assert seen(page) == [QUERIES[1], QUERIES[3]]
            page.goto("about:blank")
        page.emulate_media(color_scheme="light")
        page.goto(address)
        assert seen(page) == QUERIES[2:]
        page.emulate_media(media="print")
        assert "print" in seen(page)
        assert seen(other) == [QUERIES[1], QUERIES[3]]
    with browser.new_context() as context:
        assert seen(context.new_page()) == [QUERIES[2]]


def test_a_page_runs_no_script_where_a_test_asks_for_none(browser: Browser, address: str) -> None:
    for enabled, words in ((True, "ran"), (False, "No script")):
        with browser.new_context(java_script_enabled=enabled) as context:
            page = context.new_page()
            page.goto(address)
            shown = page.locator("p").all_inner_texts()
            assert [text for text in shown if text] == [words]


def test_a_tap_is_of_a_finger_and_a_click_of_a_mouse(browser: Browser, address: str) -> None:
    with browser.new_context(has_touch=True) as context:
        page = context.new_page()
        page.goto(address)
        button = page.get_by_role("button")
        button.tap()
        expect(button).to_have_text("touch")
        button.tap(position={"x": 5, "y": 30})
        button.click()
        expect(button).to_have_text("mouse")


def test_what_is_filled_in_stands_in_the_place_of_what_was_there(browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.set_content('<input type="number" value="0.5"><input value="a number">')
        for field in page.locator("input").all():
            field.fill("7")
            expect(field).to_have_value("7")


def test_a_visit_reaches_nothing_but_the_site(browser: Browser, address: str) -> None:
    base = address.removesuffix("page.html")
    with opened(browser, base) as (page, record):
        page.goto(address)
        page.evaluate("fetch('http://example.invalid/').catch(() => null)")
        assert "asked for http://example.invalid/" in record.network
    with visitor(browser) as visit:
        assert visit.new_page().evaluate("fetch('http://example.invalid/').catch(() => 'none')")


def test_no_third_browser_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_BROWSER", "safari")
    with pytest.raises(ValueError, match="TEST_BROWSER is safari; it may be chromium or firefox"):
        asked_for()


def test_what_is_told_to_firefox_is_taken_from_the_options() -> None:
    options = {"media": "print", "color_scheme": "null", "reduced_motion": None, "locale": "de"}
    assert tab_settings(options) == {
        "mediumOverride": "print",
        "prefersColorSchemeOverride": "none",
    }
    assert options == {"locale": "de"}


# ------------------------------------------------------------------ the line to Firefox's process

GREETING = [
    {"from": "root", "applicationType": "browser"},
    {"from": "root", "processDescriptor": {"actor": "process"}},
    {"from": "process", "process": {"consoleActor": "console"}},
]
Listen = Callable[..., Path]


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[Listen]:
    """Return a function that listens as Firefox does, and says these packets to whoever comes."""
    with ExitStack() as ended:

        def listen(*packets: dict[str, object]) -> Path:
            line = ended.enter_context(socket.socket(socket.AF_UNIX))
            line.bind(str(tmp_path / "line"))
            line.listen()
            texts = [json.dumps(packet, ensure_ascii=False).encode() for packet in packets]
            said = b"".join(b"%d:%s" % (len(text), text) for text in texts)
            thread = Thread(target=answer, args=(line, said))
            thread.start()
            ended.callback(thread.join)
            return tmp_path / "line"

        yield listen


def answer(line: socket.socket, said: bytes) -> None:
    """Say all, no more, and hear the other side out."""
    caller, _ = line.accept()
    with caller:
        caller.sendall(said)
        caller.shutdown(socket.SHUT_WR)
        while caller.recv(1000):
            pass


def test_a_value_comes_back_among_other_news(listening: Listen) -> None:
    news = {"from": "process", "type": "frameUpdate"}
    result = {"from": "console", "hasException": False, "result": '{"size": "½"}'}
    path = listening(*GREETING, news, {"from": "console", "resultID": 1}, result)
    with DevTools(path) as tools:
        assert tools.evaluate("measure()") == {"size": "½"}


def test_a_long_value_is_asked_for_in_full(listening: Listen) -> None:
    text = {"type": "longString", "actor": "text", "initial": '"lo', "length": 6}
    result = {"from": "console", "hasException": False, "result": text}
    whole = {"from": "text", "substring": '"long"'}
    with DevTools(listening(*GREETING, result, whole)) as tools:
        assert tools.evaluate("measure()") == "long"


def test_what_firefox_refuses_is_said(listening: Listen) -> None:
    thrown = {"from": "console", "hasException": True, "exceptionMessage": "no such tab"}
    refused = {"from": "console", "error": "unknownMethod"}
    with DevTools(listening(*GREETING, thrown, refused)) as tools:
        with pytest.raises(RuntimeError, match="In Firefox: no such tab\nmeasure"):
            tools.evaluate("measure()")
        with pytest.raises(RuntimeError, match="Firefox refused evaluateJSAsync: unknownMethod"):
            tools.evaluate("measure()")
        with pytest.raises(ConnectionError, match="Firefox has closed the line"):
            tools.evaluate("measure()")
