"""What a reader needs of a page, asked of the page itself in a browser."""

import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import BrowserContext, Locator, Page, TimeoutError, ViewportSize

from site_checks.axe import axe_script
from site_checks.browser import DESKTOP, PHONE, tab

KINDS = ("console", "network", "drawing", "inputs", "accessibility", "layout", "mathematics")


class View(NamedTuple):
    """A way to look at a page, and whether axe-core compares colors then, or asks all else."""

    size: ViewportSize
    theme: Literal["light", "dark"]
    of_colors: tuple[bool, ...]


# The rules that compare colors. Size changes nothing there, and the theme nothing in the others.
COLORS = ("color-contrast", "link-in-text-block")
RULES = {True: {"runOnly": COLORS}, False: {"rules": {name: {"enabled": False} for name in COLORS}}}
VIEWS = (
    View(DESKTOP, "light", (True, False)),
    View(DESKTOP, "dark", (True,)),
    View(PHONE, "light", (False,)),
)
# Those in which a sign has no number above or below it, or a fraction one half.
BROKEN_FORMULAS = """
() => {
  const ofTwo = "msub, msup, munder, mover, mfrac, mroot";
  const parts = (sign) => (sign.matches(ofTwo) ? 2 : 3);
  return [...document.querySelectorAll(`${ofTwo}, msubsup, munderover`)]
    .filter((sign) => sign.children.length !== parts(sign))
    .map((sign) => sign.closest("math").textContent);
}
"""
SERIOUS = ("serious", "critical")
RAW_FORMULA = re.compile(r"\$[^$\s][^$]*\$|\\(?:[a-zA-Z]{3,}|[()[\]])")
LIVE = "[aria-live], output, [role=status]"
RUN_AXE = Path(__file__).with_name("run_axe.js").read_text(encoding="utf-8")
# What a page has stored would change the next one that is inspected on the same visit.
FORGET = "try { localStorage.clear(); } catch { /* an empty page has none */ }"
# The theme waits 300 ms after a change of size before it looks again which boxes scroll.
RESIZED_AFTER_MS = 400
DRAWN_WITHIN_MS = 6000
# A key at the end of its range changes nothing; so each key gets a short time before any gets long.
REDRAWN_WITHIN_MS = (150, 1000)
# The keys that change an input, one for either end of its range.
KEYS = {
    "input[type=range]": ("ArrowRight", "ArrowLeft"),
    "input[type=number]": ("ArrowUp", "ArrowDown"),
    "select": ("ArrowDown", "ArrowUp"),
    "input[type=checkbox]": ("Space",),
}

ALL_DRAWN = "() => !document.querySelector('.qb-widget-host:not([data-drawn])')"
READ_LIVE = "(root, live) => [...root.querySelectorAll(live)].map(e => e.textContent).join('|')"
NAME = """e => e.getAttribute("aria-label")
  || [...e.labels].map(label => label.textContent.trim()).join(" ") || e.textContent.trim()"""
PROSE = Path(__file__).with_name("prose.js").read_text(encoding="utf-8")


def inspect(
    visit: BrowserContext, base: str, path: str, kinds: Collection[str] = KINDS
) -> dict[str, list[str]]:
    """Open one page of the site and return what is wrong with it, by kind."""
    problems: dict[str, list[str]] = {kind: [] for kind in kinds}
    with tab(visit, base) as (page, record):
        page.add_init_script(FORGET)
        page.goto(base + path, wait_until="load")
        if "mathematics" in kinds:
            problems["mathematics"] += mathematics_problems(page)
        if {"drawing", "inputs"} & set(kinds):
            wait_for_widgets(page)
        if "drawing" in kinds:
            problems["drawing"] += drawing_problems(page)
        if "inputs" in kinds:
            problems["inputs"] += input_problems(page)
        for view in VIEWS if {"layout", "accessibility"} & set(kinds) else ():
            show(page, view)
            if "layout" in kinds:
                problems["layout"] += layout_problems(page)
            if "accessibility" in kinds:
                problems["accessibility"] += accessibility_problems(page, view)
        if "console" in kinds:
            problems["console"] += record.console
        if "network" in kinds:
            problems["network"] += record.network
    return {kind: [f"{path}: {problem}" for problem in problems[kind]] for kind in kinds}


def show(page: Page, view: View) -> None:
    """Give the window its size and the page its theme."""
    if page.viewport_size != view.size:
        page.set_viewport_size(view.size)
        page.wait_for_timeout(RESIZED_AFTER_MS)
    page.emulate_media(color_scheme=view.theme)
    page.locator(f"html[data-theme={view.theme}]").wait_for(state="attached")


def mathematics_problems(page: Page) -> list[str]:
    """Every formula is drawn, and readable by a screen reader; none is left in TeX."""
    problems = [f"in TeX: {raw}" for raw in RAW_FORMULA.findall(page.evaluate(PROSE))]
    if errors := page.locator(".katex-error").count():
        problems.append(f"{errors} formulas that KaTeX refused")
    problems += [f"has parts missing: {formula}" for formula in page.evaluate(BROKEN_FORMULAS)]
    undrawn = page.locator(".math:not(:has(.katex-html)), .math:not(:has(.katex-mathml math))")
    return problems + [f"not drawn: {formula}" for formula in undrawn.all_text_contents()]


def layout_problems(page: Page) -> list[str]:
    """The page does not scroll sideways."""
    width, room = page.evaluate("[document.scrollingElement.scrollWidth, innerWidth]")
    return [f"{width} pixels wide in a window of {room}"] if width > room else []


def accessibility_problems(page: Page, view: View) -> list[str]:
    """Return what axe-core calls serious or critical."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe_script())
    return [
        f"{violation['id']} ({view.theme}): {node['html'][:200]}"
        for of_colors in view.of_colors
        for violation in page.evaluate(
            RUN_AXE, {"ofColors": of_colors, "options": RULES[of_colors]}
        )
        if violation["impact"] in SERIOUS
        for node in violation["nodes"]
    ]


def wait_for_widgets(page: Page) -> None:
    """Give the widgets their time to be drawn."""
    with suppress(TimeoutError):
        page.wait_for_function(ALL_DRAWN, timeout=DRAWN_WITHIN_MS)


def drawing_problems(page: Page) -> list[str]:
    """Every widget is drawn."""
    return [
        f"a widget was not drawn: {host.inner_text()!r}"
        for host in page.locator(".qb-widget-host").all()
        if host.get_attribute("data-drawn") != "" or not host.locator(".qb-widget").count()
    ]


def input_problems(page: Page) -> list[str]:
    """Each input of a widget changes what is read out; those of a form wait for its button."""
    problems = []
    for host in page.locator(".qb-widget-host:not(:has(form))").all():
        for selector, keys in KEYS.items():
            for control in host.locator(f"{selector}:enabled").all():
                if control.count():  # what was moved before may have taken it away
                    problems += control_problems(host, control, keys)
        # What a button does shows only once something else has been moved.
        for button in host.locator("button:enabled").all():
            for slider in host.locator("input[type=range]:enabled").all():
                if slider.count():
                    slider.press("ArrowLeft")
            # The answer that was given stays so, and from the first step there is none back.
            if button.count() and not {"aria-pressed", "aria-disabled"} & attributes_on(button):
                problems += control_problems(host, button, ("Enter",))
    return problems


def attributes_on(button: Locator) -> set[str]:
    """Return the names of the attributes that are "true"."""
    script = "e => e.getAttributeNames().filter(name => e.getAttribute(name) === 'true')"
    return set(button.evaluate(script))


def control_problems(host: Locator, control: Locator, keys: tuple[str, ...]) -> list[str]:
    """The input has a label, and at least one of the keys changes what is read out."""
    name = control.evaluate(NAME)
    problems = [] if name else ["an input without a label"]
    if not keys_change(host, control, [(key, ms) for ms in REDRAWN_WITHIN_MS for key in keys]):
        problems.append(f"{' and '.join(keys)} on {name!r} change nothing that is read out")
    return problems


def keys_change(host: Locator, control: Locator, tries: list[tuple[str, int]]) -> bool:
    """Tell whether one of the keys, each pressed in turn, changes what the widget reads out.

    On a busy machine a change may come when its time is over, so it is looked for once more
    before the next key: an answer that is given already would not change anything again.
    """
    before = host.evaluate(READ_LIVE, LIVE)
    for key, wait in tries:
        if host.evaluate(READ_LIVE, LIVE) != before or key_changes(
            host, control, key, wait, before
        ):
            return True
    return False


def key_changes(host: Locator, control: Locator, key: str, wait: int, before: str) -> bool:
    """Tell whether pressing a key changes what the widget reads out, within some milliseconds."""
    control.press(key)
    try:
        host.page.wait_for_function(
            f"([root, live, before]) => ({READ_LIVE})(root, live) !== before",
            arg=[host.element_handle(), LIVE, before],
            timeout=wait,
        )
    except TimeoutError:
        return False
    return True
