"""A browser that can reach nothing but the site, and a record of all that goes wrong in it."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    Route,
    ViewportSize,
    sync_playwright,
)

from environment.find_browser import find_browser
from site_checks.firefox.start import firefox

LOCAL_DATA = ("data:", "blob:")
# The tests run beside others, so that a page may be slow.
PATIENCE_MS = 60_000
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the machine's Chromium, without a window."""
    path = find_browser()  # which may ask playwright, and only one can be open at a time
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path,
            args=["--no-sandbox", "--disable-dev-shm-usage"],
        )
        yield browser
        browser.close()


def asked_for() -> str:
    """Return which browser the tests run in: chromium, unless TEST_BROWSER names firefox."""
    name = os.environ.get("TEST_BROWSER") or "chromium"
    if name not in ("chromium", "firefox"):
        raise ValueError(f"TEST_BROWSER is {name}; it may be chromium or firefox.")
    return name


@contextmanager
def started() -> Iterator[Browser]:
    """Start the browser that the tests run in."""
    with chromium() if asked_for() == "chromium" else firefox() as browser:
        yield browser


# What Firefox says if it draws a formula whose end has not arrived; inspection counts the parts of
# those that have.
HALF_A_FORMULA = re.compile(r"Incorrect number of children for <m\w+/> tag")


@dataclass
class Record:
    """What a page complained of, and each request that failed or went to another host."""

    base: str
    console: list[str] = field(default_factory=list)
    network: list[str] = field(default_factory=list)

    def guard(self, route: Route) -> None:
        """Let through what belongs to the site, and nothing else."""
        url = route.request.url
        if url.startswith((self.base, *LOCAL_DATA)):
            route.continue_()
        else:
            self.network.append(f"asked for {url}")
            route.abort()

    def on_console(self, message: ConsoleMessage) -> None:
        """Note errors and warnings, not the theme's chatter."""
        if message.type in ("error", "warning") and not HALF_A_FORMULA.match(message.text):
            self.console.append(message.text)

    def on_error(self, error: Exception) -> None:
        """Note what was thrown and not caught."""
        self.console.append(str(error))

    def on_failure(self, request: Request) -> None:
        """Note what did not load at all."""
        self.network.append(f"{request.url} did not load: {request.failure}")

    def on_response(self, response: Response) -> None:
        """Note what the server had not got."""
        if response.status >= 400:
            self.network.append(f"{response.url} answered {response.status}")


@contextmanager
def visitor(browser: Browser) -> Iterator[BrowserContext]:
    """Begin a visit that reaches nothing but what its tabs let through."""
    with browser.new_context(
        viewport=DESKTOP, color_scheme="light", reduced_motion="reduce"
    ) as context:
        context.set_default_timeout(PATIENCE_MS)
        context.route("**/*", lambda route: route.abort())
        context.new_page()  # which stays: without a tab, Chromium clears all away, and begins anew
        yield context


@contextmanager
def tab(context: BrowserContext, base: str) -> Iterator[tuple[Page, Record]]:
    """Open an empty page that can reach only what lies below `base`.

    A tab more on a visit takes half the time of a visit more, but they share what they store.
    """
    record = Record(base)
    page = context.new_page()
    page.route("**/*", record.guard)
    page.on("console", record.on_console)
    page.on("pageerror", record.on_error)
    page.on("requestfailed", record.on_failure)
    page.on("response", record.on_response)
    yield page, record
    page.close()


@contextmanager
def opened(browser: Browser, base: str) -> Iterator[tuple[Page, Record]]:
    """Open an empty page on a visit of its own."""
    with visitor(browser) as context, tab(context, base) as (page, record):
        yield page, record
