"""Measure what every chapter weighs, how soon its pictures are there, and how fast they answer.

Weight: every file that Chromium asks for, gzipped at level 6. First visits, with an empty cache,
are made on this machine as it is, and 4 times slower with 10 Mbps: when the first text is painted,
when the page is there (painted, and read to its end), the frame in which the first widget's picture
is laid out, and the frame that shows its answer to an input that comes as soon as its script has
taken the picture over. Absolute times depend on the machine and have no budget; their ratios in one
visit have. An answer is held to the page and not to its first text, because a processor that paints
early while it reads is no slower for that. Redraw: the time that the page works
between a key press on a range input (or a select, in a widget without any) and the new picture,
which is the handlers' time and the time of the frame that shows it. The wait for the screen
between the two, up to 17 ms, is no widget's doing: it is part of the figure "key to screen", which
has no budget. Whatever else the machine does can only add to these times; so keys are pressed in
rounds, and of each input the quietest round counts, which is the one with the least median. A drag
moves the first handle that lies there and back, and the first that stands: no frame may take
longer than 50 ms.

    python -m site_checks.page_budgets [word ...]      (make budgets WORDS=observers)

measures the pages whose path holds one of the words; without a word, all. It exits with 1 over a
budget.
"""

import re
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page

from site_checks.browser import chromium, opened
from site_checks.inspection import ALL_DRAWN
from site_checks.site import built_site, chapters, compressed, file_of, served

LOADS = 5
ROUNDS = 5
PRESSES = 40  # in a round
CPU_SLOWDOWN = 4
SLOW_BYTES_PER_SECOND = 10e6 / 8
MOST_KILOBYTES = 450  # of a core page with everything on it; others may weigh more
OF_WIDGETS = ("picture / text", "redraw", "longest frame")
WIDGET = re.compile(r'class="qb-widget (?!qb-question)')  # a question has no picture
LATE = {"picture": ("text", 1.2), "answer": ("page", 2.4)}  # times as late as what it is held to

WATCH_VISIT = Path(__file__).with_name("watch_visit.js").read_text(encoding="utf-8")
VISITED = """() => {
  const [text] = performance.getEntriesByName("first-contentful-paint");
  const [{ domInteractive: read }] = performance.getEntriesByType("navigation");
  return text && window.visit.picture && window.visit.answer
    && { text: text.startTime, page: Math.max(text.startTime, read), ...window.visit };
}"""
# Chromium tells of each frame that took longer than 50 ms.
WATCH_FRAMES = """() => {
  window.slow = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.slow.push(duration);
  }).observe({ type: "long-animation-frame" });
}"""
THUMB = Path(__file__).with_name("thumb.js").read_text(encoding="utf-8")

TIME_KEYS = Path(__file__).with_name("time_keys.js").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Result:
    """One measured figure of a page, beside its budget if it has one."""

    page: str
    what: str
    value: float
    unit: str
    budget: float | None = None

    @property
    def over(self) -> bool:
        """Tell whether the budget is broken."""
        return self.budget is not None and self.value > self.budget

    def row(self) -> str:
        """Return the line of the table."""
        limit = "" if self.budget is None else f"{self.budget:g} {self.unit}"
        mark = "OVER" if self.over else ""
        return (
            f"{self.page:<38} {self.what:<40} {self.value:>8.2f} {self.unit:<3} {limit:>9} {mark}"
        )


def weight(browser: Browser, site: Path, base: str, path: str) -> Result:
    """Add up the compressed files that the page asks for."""
    urls: set[str] = set()
    with opened(browser, base) as (page, _):
        page.on("request", lambda request: urls.add(request.url))
        page.goto(base + path, wait_until="networkidle")
    files = {file_of(site, url) for url in urls if url.startswith(base)}
    kilobytes = sum(len(compressed(file)) for file in files) / 1000
    budget = None if path.endswith("_to_the_bit.html") else MOST_KILOBYTES
    return Result(path, f"{len(files)} files, compressed", kilobytes, "kB", budget)


def slow_down(page: Page) -> None:
    """Make the page's machine and network slow."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})
    network = {"offline": False, "latency": 0, "uploadThroughput": -1}
    session.send(
        "Network.emulateNetworkConditions", network | {"downloadThroughput": SLOW_BYTES_PER_SECOND}
    )


def visits(
    browser: Browser, base: str, path: str, prepare: Callable[[Page], None]
) -> list[dict[str, float]]:
    """Return when text, page, picture and answer came in some first visits, in milliseconds."""
    found = []
    for _ in range(LOADS):
        page = browser.new_context().new_page()
        page.add_init_script(WATCH_VISIT)
        prepare(page)
        page.goto(base + path)
        found.append(page.wait_for_function(VISITED).json_value())
        page.context.close()
    return found


def first_visits(browser: Browser, base: str, path: str) -> Iterator[Result]:
    """Yield the medians of first visits, and how many times as late as others some come."""
    kinds = {"": lambda page: None, ", 4x slower, 10 Mbps": slow_down}
    for kind, prepare in kinds.items():
        found = visits(browser, base, path, prepare)
        for what in ("text", "page", *LATE):
            seconds = statistics.median(visit[what] for visit in found) / 1000
            yield Result(path, f"first {what}{kind}", seconds, "s")
        for what, (held_to, budget) in LATE.items():
            ratio = statistics.median(visit[what] / visit[held_to] for visit in found)
            yield Result(path, f"first {what} / {held_to}{kind}", ratio, "x", budget)


Timings = list[dict[str, float]]


def time_keys(control: Locator) -> Timings:
    """Press arrow keys on an input, there and back again, and return the quietest round's timings.

    Keys that changed nothing have none.
    """
    control.evaluate(TIME_KEYS)
    control.focus()
    rounds = [time_round(control.page) for _ in range(ROUNDS)]
    return min(filter(None, rounds), key=median_redraw, default=[])


def time_round(page: Page) -> Timings:
    """Press arrow keys on what has the focus, and return the timings."""
    for press in range(PRESSES):
        page.keyboard.press("ArrowRight" if press // 5 % 2 == 0 else "ArrowLeft")
        page.evaluate("window.shown")
    timings: Timings = page.evaluate("window.timings.splice(0)")
    return timings


def median_redraw(timings: Timings) -> float:
    """Return the median of how long the page worked for a key."""
    return statistics.median(timing["redraw"] for timing in timings)


def loads(browser: Browser, site: Path, base: str, path: str) -> Iterator[Result]:
    """Yield what a page weighs, and when its first widget is there and answers."""
    yield weight(browser, site, base, path)
    if WIDGET.search((site / path).read_text(encoding="utf-8")):
        yield from first_visits(browser, base, path)


def handles(widget: Locator) -> dict[str, Locator]:
    """Return the widget's first handle that lies, and its first that stands, where it has one."""
    kinds = {"lying": ":not(.qb-upright)", "upright": ".qb-upright"}
    found = {name: widget.locator(f".qb-stage > input{kind}") for name, kind in kinds.items()}
    return {name: all_.first for name, all_ in found.items() if all_.count()}


def slow_frames(handle: Locator, upright: bool) -> list[float]:
    """Drag a handle there and back, and return the frames over 50 ms, in ms."""
    page = handle.page
    handle.scroll_into_view_if_needed()
    x, y = handle.evaluate(THUMB)
    page.evaluate(WATCH_FRAMES)
    page.mouse.move(x, y)
    page.mouse.down()
    for move in (150, -150, 0):
        page.mouse.move(x + move * (not upright), y + move * upright, steps=60)
    page.mouse.up()
    page.wait_for_timeout(200)
    frames: list[float] = page.evaluate("window.slow")
    return frames


def redraws(browser: Browser, base: str, path: str) -> list[Result]:
    """Time all range inputs of every widget of a page; its selects, where it has no others."""
    results = []
    with opened(browser, base) as (page, _):
        page.goto(base + path)
        page.wait_for_function(ALL_DRAWN)
        for number, widget in enumerate(page.locator(".qb-widget:not(.qb-question)").all(), 1):
            ranges = widget.locator("input[type=range]")
            any_range = any(control.is_enabled() for control in ranges.all())
            controls = (ranges if any_range else widget.locator("select")).all()
            if not widget.locator("input, select").count():
                continue  # buttons alone: a second press of one changes nothing
            # Asked in its turn, since a control may switch another off.
            timings = [each for one in controls if one.is_enabled() for each in time_keys(one)]
            for key, what, budget in (("redraw", "redraw", 8), ("screen", "key to screen", None)):
                times = sorted(timing[key] for timing in timings)
                name = f"widget {number}, {what}"
                median, late = times[len(times) // 2], times[int(0.95 * len(times))]
                results.append(Result(path, f"{name}, median", median, "ms", budget))
                most = None if budget is None else 2 * budget
                results.append(Result(path, f"{name}, 95th percentile", late, "ms", most))
            for kind, handle in handles(widget).items():
                longest = max(slow_frames(handle, kind == "upright"), default=0.0)
                name = f"widget {number}, longest frame, {kind}"
                results.append(Result(path, name, longest, "ms", 50))
    return results


def measure(site: Path, words: list[str]) -> Iterator[Result]:
    """Yield every figure of every page whose path holds one of the words."""
    with served(site, compress=True) as base, chromium() as browser:
        for path in chapters(site):
            if not any(word in path for word in words):
                continue
            yield from loads(browser, site, base, path)
            yield from redraws(browser, base, path)


def main() -> int:
    """Print the table and return 1 if a budget is broken."""
    print(f"{'page':<38} {'what':<40} {'measured':>12} {'budget':>9}")
    results = []
    for result in measure(built_site(), sys.argv[1:] or [""]):
        print(result.row(), flush=True)
        results.append(result)
    if not results:
        sys.exit(f"No chapter's path holds {' or '.join(sys.argv[1:])}: nothing was measured.")
    for what in () if sys.argv[1:] else OF_WIDGETS:
        if not any(what in result.what for result in results):
            sys.exit(f"Nothing was measured of {what!r}: no page has a widget.")
    return int(any(result.over for result in results))


if __name__ == "__main__":
    sys.exit(main())
