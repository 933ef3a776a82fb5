"""Measure what every chapter weighs and how soon its widgets answer; exit 1 over a budget.

Weight: every file that Chromium asks for, gzipped at level 6. First draw: from the start of the
navigation to the first widget on the page, in a browser with an empty cache; the slow machine is
4 times slower and has 10 Mbps. Redraw: the time that the page works between a key press on a
range input (or a select, in a widget without any) and the new picture, which is the handlers'
time and the time of the frame that shows it. The wait for the screen between the two, up to
17 ms, is no widget's doing: it is part of the figure "key to screen", which has no budget.

    python site_checks/page_budgets.py [word ...]      (make budgets WORDS=observers)

measures the pages whose path holds one of the words; without a word, all.
"""

import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from site_checks.browser import chromium, opened  # noqa: E402
from site_checks.inspection import ALL_DRAWN  # noqa: E402
from site_checks.site import built_site, chapters, compressed, file_of, served  # noqa: E402

LOADS = 5
PRESSES = 200
CPU_SLOWDOWN = 4
SLOW_BYTES_PER_SECOND = 10e6 / 8
FIRST_DRAW = "performance.getEntriesByName('widget-drawn')[0].startTime / 1000"

# Asked for at the key press, the callback is the first of its frame. A message posted in it is
# delivered after that frame's other callbacks, its layout and its painting.
TIME_KEYS = """control => {
  window.timings = [];
  const time = (resolve) => {
    const pressed = performance.now();
    const before = control.value;
    let worked = pressed;
    addEventListener("input", () => { worked = performance.now(); }, {once: true});
    requestAnimationFrame(() => {
      const frame = performance.now();
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        const shown = performance.now();
        const redraw = worked - pressed + shown - frame;
        if (control.value !== before) window.timings.push({redraw, screen: shown - pressed});
        resolve();
      };
      channel.port2.postMessage(0);
    });
  };
  const start = () => { window.shown = new Promise(time); };
  control.addEventListener("keydown", start, {capture: true});
}"""


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
    return Result(path, f"{len(files)} files, compressed", kilobytes, "kB", 600)


def slow_down(page: Page) -> None:
    """Make the page's machine and network slow."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})
    network = {"offline": False, "latency": 0, "uploadThroughput": -1}
    session.send(
        "Network.emulateNetworkConditions", network | {"downloadThroughput": SLOW_BYTES_PER_SECOND}
    )


def first_draw(
    browser: Browser, base: str, path: str, prepare: Callable[[Page], None] = lambda page: None
) -> float:
    """Return the seconds until a widget was drawn, the median of some first visits."""
    times = []
    for _ in range(LOADS):
        page = browser.new_context().new_page()
        prepare(page)
        page.goto(base + path)
        page.wait_for_function("performance.getEntriesByName('widget-drawn').length")
        times.append(page.evaluate(FIRST_DRAW))
        page.context.close()
    return statistics.median(times)


def time_keys(control: Locator) -> list[dict[str, float]]:
    """Press arrow keys on an input, there and back again, and return the timings."""
    page = control.page
    control.evaluate(TIME_KEYS)
    control.focus()
    for press in range(PRESSES):
        page.keyboard.press("ArrowRight" if press // 5 % 2 == 0 else "ArrowLeft")
        page.evaluate("window.shown")
    timings: list[dict[str, float]] = page.evaluate("window.timings")
    return timings


def loads(browser: Browser, site: Path, base: str, path: str) -> list[Result]:
    """Return what a page weighs, and when its first widget is drawn."""
    results = [weight(browser, site, base, path)]
    if "qb-widget-host" in (site / path).read_text(encoding="utf-8"):
        fast = first_draw(browser, base, path)
        slow = first_draw(browser, base, path, slow_down)
        results.append(Result(path, "first widget drawn", fast, "s", 0.9))
        results.append(Result(path, "first widget drawn, 4x slower, 10 Mbps", slow, "s", 2.0))
    return results


def redraws(browser: Browser, base: str, path: str) -> list[Result]:
    """Time all range inputs of every widget of a page; its selects, where it has no others."""
    results = []
    with opened(browser, base) as (page, _):
        page.goto(base + path)
        page.wait_for_function(ALL_DRAWN)
        for number, widget in enumerate(page.locator(".qb-widget:not(:has(form))").all(), 1):
            ranges = widget.locator("input[type=range]:enabled").all()
            controls = ranges or widget.locator("select:enabled").all()
            timings = [timing for control in controls for timing in time_keys(control)]
            for key, what, budget in (("redraw", "redraw", 8), ("screen", "key to screen", None)):
                times = sorted(timing[key] for timing in timings)
                name = f"widget {number}, {what}"
                median, late = times[len(times) // 2], times[int(0.95 * len(times))]
                results.append(Result(path, f"{name}, median", median, "ms", budget))
                results.append(Result(path, f"{name}, 95th percentile", late, "ms"))
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
    for what in ("compressed", "first widget drawn", "redraw"):
        if not any(what in result.what for result in results):
            sys.exit(f"Nothing was measured of {what!r}: no such page has a widget.")
    return int(any(result.over for result in results))


if __name__ == "__main__":
    sys.exit(main())
