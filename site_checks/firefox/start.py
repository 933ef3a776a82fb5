"""Start Firefox so that the same tests run in it as in Chromium.

Playwright speaks WebDriver BiDi with a Firefox that is not its own build. Over that, some of its
methods do nothing and do not say so: print, reduced motion, JavaScript off, a tap. It measures
paper in inches where Firefox wants centimetres. And Firefox 153, Debian's, does not know the
command with which each visit begins. What is filled into a number's field comes behind the number
that is there, since such a field has no selection. `inside.js` gives Firefox's own process what is
missing, and here Playwright's methods are led there.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from playwright.sync_api import Browser, BrowserContext, Locator, Page, Position, sync_playwright

from environment.find_browser import FIREFOX, find_browser
from site_checks.firefox import devtools
from site_checks.firefox.devtools import DevTools

INSIDE = Path(__file__).with_name("inside.js").read_text(encoding="utf-8")
FOR_TESTS = (
    "ChromeUtils.importESModule('chrome://remote/content/webdriver-bidi/modules/root/"
    "emulation.sys.mjs').emulation.forTests"
)
# Scrollbars lie over the page and take no room, as in Playwright's Chromium.
PREFERENCES: dict[str, str | float | bool] = {**devtools.PREFERENCES, "ui.useOverlayScrollbars": 1}
Settings = dict[str, object]
# What Playwright calls a medium's feature, and what a tab of Firefox calls it
FEATURES = {
    "media": "mediumOverride",
    "color_scheme": "prefersColorSchemeOverride",
    "reduced_motion": "prefersReducedMotionOverride",
    "forced_colors": "forcedColorsOverride",
}
PAPER = {"A4": {"width": 21.0, "height": 29.7}}  # in centimetres
# What is led elsewhere, as Playwright has it
new_context, new_page, fill = Browser.new_context, BrowserContext.new_page, Locator.fill


@contextmanager
def firefox() -> Iterator[Browser]:
    """Start the machine's Firefox, without a window."""
    path = find_browser(FIREFOX)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        line = Path(folder) / "line"
        browser = playwright.firefox.launch(
            channel="moz-firefox",
            executable_path=path,
            args=[f"--start-debugger-server={line}"],
            firefox_user_prefs=PREFERENCES,
        )
        with DevTools(line) as tools, completed(tools):
            yield browser
        browser.close()


def tab_settings(options: dict[str, Any]) -> Settings:
    """Take out of Playwright's options what Firefox is told of, and return it as Firefox has it."""
    settings: Settings = {}
    for name, override in FEATURES.items():
        if (value := options.pop(name, None)) is not None:
            none = "" if name == "media" else "none"
            settings[override] = none if value == "null" else value
    return settings


class Completed:
    """Methods in the place of Playwright's; they remember which number Firefox gave to what."""

    def __init__(self, tools: DevTools) -> None:
        """Say to Firefox's process what `inside.js` says."""
        self.tools = tools
        self.visits: dict[BrowserContext, int] = {}
        self.tabs: dict[Page, int] = {}
        tools.evaluate(INSIDE.strip().removesuffix(";"))

    def inside(self, method: str, *values: object) -> Any:
        """Call one of the functions that `inside.js` has defined."""
        return self.tools.evaluate(f"{FOR_TESTS}.{method}(...{json.dumps(values)})")

    def new_context(self, browser: Browser, **options: Any) -> BrowserContext:
        """Begin a visit with its media, with or without JavaScript and touch."""
        settings = {"prefersColorSchemeOverride": "light"} | tab_settings(options)
        settings["allowJavascript"] = options.pop("java_script_enabled", True)
        settings["touchEventsOverride"] = "enabled" if options.get("has_touch") else "none"
        context = new_context(browser, **options)
        self.visits[context] = self.inside("newestVisit")
        self.inside("setVisit", self.visits[context], settings)
        return context

    def new_page(self, context: BrowserContext) -> Page:
        """Open a tab, and remember which it is."""
        page = new_page(context)
        self.tabs[page] = self.inside("newestTab", self.visits[context])
        return page

    def emulate_media(self, page: Page, **options: Any) -> None:
        """Change the media of a tab."""
        self.inside("setTab", self.tabs[page], tab_settings(options))

    def pdf(self, page: Page, format: str = "", width: str = "", height: str = "") -> bytes:
        """Print on paper without margins: of a known format, or of a size such as "1280px"."""
        size = {"width": centimetres(width), "height": centimetres(height)}
        return b64decode(self.inside("print", self.tabs[page], PAPER[format] if format else size))

    def tap(self, locator: Locator, position: Position | None = None) -> None:
        """Touch an element with a finger, at its middle where nothing else is said."""
        locator.click(trial=True, position=position)  # waits, scrolls, and clicks nothing
        box = locator.bounding_box()
        assert box is not None  # it was found just now
        at = position or {"x": box["width"] / 2, "y": box["height"] / 2}
        self.inside("tap", self.tabs[locator.page], box["x"] + at["x"], box["y"] + at["y"])

    def fill(self, locator: Locator, value: str) -> None:
        """Put a text in the place of what a field holds."""
        if locator.get_attribute("type") == "number":
            fill(locator, "")
        fill(locator, value)


def centimetres(pixels: str) -> float:
    """Return how long so many pixels of CSS are, of which 96 are an inch.

    >>> centimetres("960px")
    25.4
    """
    return float(pixels.removesuffix("px") or 0) / 96 * 2.54


@contextmanager
def completed(tools: DevTools) -> Iterator[None]:
    """Put these methods in the place of Playwright's."""
    own = Completed(tools)
    replaced: dict[tuple[type, str], Callable[..., Any]] = {
        (Browser, "new_context"): lambda *given, **options: own.new_context(*given, **options),
        (Browser, "new_page"): lambda *given, **options: own.new_context(
            *given, **options
        ).new_page(),
        (BrowserContext, "new_page"): lambda context: own.new_page(context),
        (Page, "emulate_media"): lambda page, **options: own.emulate_media(page, **options),
        (Page, "pdf"): lambda page, **options: own.pdf(page, **options),
        (Locator, "tap"): lambda *given, **options: own.tap(*given, **options),
        (Locator, "fill"): lambda locator, value: own.fill(locator, value),
    }
    with ExitStack() as patches:
        for (owner, name), method in replaced.items():
            patches.enter_context(patch.object(owner, name, method))
        yield
