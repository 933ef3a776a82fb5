"""The built site in a real Chromium, which can reach nothing else, over http and from file://."""

import base64
import re
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from qlearn.course.widgets import ObserverStream
from qlearn.course.widgets.shared.values import loaded
from site_checks.browser import opened, visitor
from site_checks.inspection import KINDS, inspect, mathematics_problems
from site_checks.site import built_site, chapters, pages, served, unlike

# A page is looked at in full as a file, where the browser forbids more: what works there works over
# http, once everything has loaded and the widgets are drawn. Pages that ask for the same scripts
# and style sheets load alike, so that one of them will do.
OVER_HTTP = ("console", "network", "drawing")
SCHEMES = ("file", "http")
LOOKED_AT = [("file", path, KINDS) for path in pages(built_site())]
LOOKED_AT += [("http", path, OVER_HTTP) for path in unlike(built_site())]
CLEAR = "rgba(0, 0, 0, 0)"
# Words that stand in pages with any widget, and in those with the quantizer in full
ANY_WIDGET, FULL_QUANTIZER = "qb-stage", "Fit to the data"


@pytest.fixture(scope="session")
def site() -> Path:
    return built_site()


@pytest.fixture(scope="session")
def bases(site: Path) -> Iterator[dict[str, str]]:
    with served(site) as url:
        yield {"http": url, "file": f"{site.as_uri()}/"}


@pytest.fixture(scope="module")
def visit(browser: Browser) -> Iterator[BrowserContext]:
    with visitor(browser) as visit:
        yield visit


@pytest.mark.parametrize(
    ("scheme", "path", "kinds"),
    LOOKED_AT,
    ids=[f"{scheme}-{path}" for scheme, path, _ in LOOKED_AT],
)
def test_a_page_has_no_problem(
    scheme: str, path: str, kinds: tuple[str, ...], visit: BrowserContext, bases: dict[str, str]
) -> None:
    found = inspect(visit, bases[scheme], path, kinds)
    assert {kind: problems for kind, problems in found.items() if problems} == {}


def test_a_formula_with_a_part_missing_is_a_problem(visit: BrowserContext) -> None:
    whole = "<math><msub><mi>x</mi><mn>1</mn></msub></math>"
    page = visit.new_page()
    page.set_content(f"<main>{whole}<math><mfrac><mn>2</mn></mfrac></math></main>")
    assert mathematics_problems(page) == ["has parts missing: 2"]
    page.close()


def test_every_widget_is_looked_at_over_http(site: Path) -> None:
    def widgets(paths: list[str]) -> set[str]:
        texts = [(site / path).read_text(encoding="utf-8") for path in paths]
        return {name for text in texts for name in re.findall(r'"class": ?"(\w+)', text)}

    assert "Quantizer" in widgets(pages(site)) == widgets(unlike(site))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_search_finds_a_page(scheme: str, browser: Browser, bases: dict[str, str]) -> None:
    with opened(browser, bases[scheme]) as (page, record):
        page.goto(bases[scheme] + "book/intro.html")
        page.keyboard.press("ControlOrMeta+k")
        page.locator("#pst-search-dialog[open] input").fill("quantized")
        page.keyboard.press("Enter")
        page.wait_for_url("**/search.html?q=quantized")
        # The search page fetches what it quotes from; a click before that would break it off.
        page.wait_for_load_state("networkidle")
        page.locator("#search-results a").first.click()
        page.wait_for_url("**/book/**")
        assert record.console + record.network == []


@pytest.mark.parametrize("size", [(390, 844), (1280, 720)], ids=["phone", "laptop"])
def test_the_first_page_opens_with_a_picture_to_move(
    size: tuple[int, int], browser: Browser, bases: dict[str, str]
) -> None:
    with opened(browser, bases["file"]) as (page, _):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.goto(bases["file"] + "book/intro.html")
        handles = page.locator(".qb-stage > input")
        assert handles.count() == 2
        for handle in handles.all():
            box = handle.bounding_box()
            assert box is not None and box["y"] + box["height"] <= size[1]


def test_a_task_is_in_sight_while_a_tall_figure_is_used(
    browser: Browser, bases: dict[str, str]
) -> None:
    with opened(browser, bases["file"]) as (page, _):
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(bases["file"] + "book/integers/dynamic_linear.html")
        page.locator(".qb-widget-host[data-drawn]").first.wait_for()
        figure, task = (
            page.locator(".qb-dynamic-linear"),
            page.locator(".qb-dynamic-linear .qb-task"),
        )
        figure.evaluate("figure => scrollTo(0, scrollY + figure.getBoundingClientRect().top - 60)")
        assert task.bounding_box()["y"] + task.bounding_box()["height"] <= 844 + 0.5
        assert figure.bounding_box()["y"] + figure.bounding_box()["height"] > 844
        for field in figure.locator("input, select, button").all():
            field.focus()
            box, strip = field.bounding_box(), task.bounding_box()
            assert (
                box["y"] + box["height"] <= strip["y"] or box["y"] >= strip["y"] + strip["height"]
            )


def test_the_keyboard_opens_a_fold_of_the_contents(browser: Browser, bases: dict[str, str]) -> None:
    with opened(browser, bases["file"]) as (page, _):
        page.goto(bases["file"] + "book/intro.html")
        fold = page.locator("nav.bd-links details").first
        inside = fold.locator("a").first
        page.locator("nav.bd-links li > a:has(+ details)").first.focus()
        page.keyboard.press("Tab")
        expect(fold.locator("summary")).to_be_focused()
        expect(inside).to_be_hidden()
        page.keyboard.press("Enter")
        expect(inside).to_be_visible()
        page.keyboard.press("Tab")
        expect(inside).to_be_focused()


def test_a_page_shows_its_widget_where_javascript_is_off(
    site: Path, browser: Browser, bases: dict[str, str]
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(bases["file"] + shortest_page(site, FULL_QUANTIZER))
    assert page.locator(".qb-quantizer").get_by_role("img").first.is_visible()
    assert "SQNR" in page.locator(".qb-quantizer output").inner_text()
    expect(page.locator("noscript p").first).to_be_visible()
    # The text scrolls away below the head, so it must not be seen through it.
    expect(page.locator("header.bd-header")).not_to_have_css("background-color", CLEAR)
    context.close()


@pytest.mark.parametrize("colors", ["light", "dark"])
def test_colors_are_the_systems_until_the_reader_chooses(
    colors: str, browser: Browser, bases: dict[str, str]
) -> None:
    with opened(browser, bases["http"]) as (page, _):
        page.emulate_media(color_scheme=colors)
        page.goto(bases["http"] + "book/intro.html")
        html = page.locator("html")
        expect(html).to_have_attribute("data-theme", colors)
        expect(html).to_have_attribute("data-mode", "auto")
        page.evaluate("localStorage.setItem('mode', 'dark'); localStorage.setItem('theme', 'dark')")
        page.reload()
        expect(html).to_have_attribute("data-theme", "dark")
        expect(html).to_have_attribute("data-mode", "dark")


def sheets(pdf: bytes) -> int:
    """Count a PDF's pages, which Firefox lists in a compressed part, and Chromium does not."""
    parts = [pdf]
    for packed in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        with suppress(zlib.error):  # packed in another way, as pictures may be
            parts.append(zlib.decompress(packed))
    return sum(len(re.findall(rb"/Type /Page\b", part)) for part in parts)


def printed_pages(browser: Browser, base: str, path: str) -> int:
    """Return on how many sheets of A4 a page is printed."""
    with opened(browser, base) as (page, _):
        page.goto(base + path)
        return sheets(page.pdf(format="A4"))


def test_the_cheat_sheet_is_one_sheet(browser: Browser, bases: dict[str, str]) -> None:
    assert printed_pages(browser, bases["file"], "book/reference/cheat_sheet.html") == 1
    assert printed_pages(browser, bases["file"], "book/reference/symptoms.html") > 1


@pytest.mark.parametrize("name", ["minmax", "histogram"])
def test_the_stream_reads_out_what_qlearn_computes(
    name: str, site: Path, browser: Browser, bases: dict[str, str]
) -> None:
    path = next(p for p in chapters(site) if "observers" in p)
    with opened(browser, bases["file"]) as (page, _):
        page.goto(bases["file"] + path)
        widget = page.locator(".qb-stream")
        widget.locator("select").select_option(name)
        buttons = ("Start over", "Next batch", "Next batch, with an outlier", "Next batch")
        for button in buttons:
            widget.get_by_role("button", name=button, exact=True).click()
        models = page.evaluate(
            "JSON.parse(document.getElementById('qb-widget-models').textContent)"
        )
        shown = widget.locator("output").inner_text()
    (model,) = (m for m in models.values() if m["class"].startswith("ObserverStream"))
    (buffer,) = model["buffers"]
    values = loaded(base64.b64decode(buffer["data"]))
    count, size = model["state"]["count"], model["state"]["batch_size"]
    twin = ObserverStream(
        values[: count * size].reshape(count, size),
        values[count * size :],
        observer=name,
        outlier=model["state"]["outlier"],
        outliers=(2,),
        seen=4,
    )
    assert f"{twin.sqnr:.2f} dB" in shown
    assert f"{twin.range[1]:.4g}" in shown and f"{twin.qparams.scale.item():.4g}" in shown


# ------------------------------------------------------------------ the checks can fail


def shortest_page(site: Path, words: str) -> str:
    """Return the shortest page that holds these words: it has the least to look at."""
    texts = {page: (site / page).read_text() for page in chapters(site)}
    return min((page for page in texts if words in texts[page]), key=lambda page: len(texts[page]))


def throw_in_widgets(site: Path, page: str) -> None:
    for script in (site / "_static" / "widgets").glob("*.js"):
        head, _, _ = script.read_text().partition(" = ")
        script.write_text(f"{head} = {{ widget() {{ throw new Error('broken on purpose'); }} }};")


def freeze_widgets(site: Path, page: str) -> None:
    for script in (site / "_static" / "widgets").glob("*.js"):
        # A call that is as harmless as it is useless, in the place of each listener on an input
        script.write_text(script.read_text().replace("addEventListener", "hasOwnProperty"))


def remove_host(site: Path, page: str) -> None:
    (site / "_static" / "host.js").unlink()


def unname_folds(site: Path, page: str) -> None:
    path = site / page
    path.write_text(re.sub(r'<summary aria-label="[^"]*"', "<summary", path.read_text()))


def add(html: str) -> Callable[[Path, str], None]:
    def edit(site: Path, page: str) -> None:
        path = site / page
        path.write_text(path.read_text().replace("</article>", f"{html}</article>"))

    return edit


# What is broken, and by kind of check a part of the sentence that it must be found with
BREAKAGES: dict[str, tuple[dict[str, str], Callable[[Path, str], None]]] = {
    "a widget throws": (
        {"drawing": "was not drawn", "console": "broken on purpose"},
        throw_in_widgets,
    ),
    "a widget ignores its inputs": ({"inputs": "change nothing"}, freeze_widgets),
    "a widget ignores its button": (
        {"inputs": "'Fit to the data'"},
        add(
            "<script>addEventListener('click', (event) => {"
            " if (event.target.name === 'fit') event.stopPropagation(); }, true)</script>"
        ),
    ),
    "there is no host script": ({"drawing": "was not drawn", "network": "host.js"}, remove_host),
    "a request leaves": (
        {"network": "example.com"},
        add('<img alt="" src="https://example.com/x.png">'),
    ),
    "a file is missing": ({"network": "no-such-file"}, add('<img alt="" src="no-such-file.png">')),
    "a script throws": ({"console": "undefined"}, add("<script>undefined.x</script>")),
    "text is pale": (
        {"accessibility": "color-contrast"},
        add('<p style="color:#bbb;background:#fff">pale</p>'),
    ),
    "text is pale in the dark": (
        {"accessibility": "color-contrast (dark)"},
        add("<style>html[data-theme=dark] .dim {color: #333}</style><p class='dim'>dim</p>"),
    ),
    "the second of two words of code is pale": (
        {"accessibility": "color-contrast"},
        add(
            '<div class="highlight"><pre style="background:#fff">'
            "<span>one</span> <span style='color:#bbb'>two</span></pre></div>"
        ),
    ),
    "the paper of the second of two paragraphs is dark": (
        {"accessibility": "color-contrast"},
        add("<p>one</p><div style='background:#333'><p>two</p></div>"),
    ),
    "a link is not told from its text": (
        {"accessibility": "link-in-text-block"},
        add(
            "<style>main p a.black {color: #000 !important; text-decoration: none !important}"
            "main p.gray, main p.dark {color: #767676; background: #fff} main p.dark {color: #222}"
            "</style><p class='gray'>Read <a class='black' href='#'>this</a> on.</p>"
            "<p class='dark'>Or not.</p>"
            "<p class='dark'>Read <a class='black' href='#'>that</a> on.</p>"
        ),
    ),
    "pale text looks like hidden text": (
        {"accessibility": "color-contrast"},
        add(
            "<style>p.pale {color: #bbb; background: #fff}</style>"
            "<p class='pale' hidden>one</p><p class='pale'>two</p>"
        ),
    ),
    "dark text stands on a dark bar of a widget": (
        {"accessibility": "color-contrast"},
        add(
            "<style>.over, .over * {position: absolute; width: 9em; color: #222} .over {"
            "height: 9em; background: #fff} .over i {top: 3em; height: 3em; background: #333}"
            "</style><div class='qb-widget over'><i></i><b>one</b><b style='top: 4em'>two</b></div>"
        ),
    ),
    "a link in text looks like one alone": (
        {"accessibility": "link-in-text-block"},
        add(
            "<style>main .gray {color: #222; background: #fff}"
            "main .gray a {color: #000 !important; text-decoration: none !important}</style>"
            "<p class='gray'><a href='#'>alone</a></p>"
            "<p class='gray'>There are more words around <a href='#'>this</a> one.</p>"
        ),
    ),
    "an image has no text, on a phone": (
        {"accessibility": "image-alt"},
        add(
            "<style>@media (min-width: 391px) {.small {display: none}}</style>"
            '<img class="small" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">'
        ),
    ),
    "a button is not called what is read on it": (
        {"accessibility": "label-content-name-mismatch"},
        add('<button aria-label="Start">Run the cell</button>'),
    ),
    "a fold of the contents has no name": ({"accessibility": "summary-name"}, unname_folds),
    "a box is too wide": ({"layout": "pixels wide"}, add('<div style="width:2000px">wide</div>')),
    "a formula is raw": ({"mathematics": "in TeX"}, add("<p>$x + 1$</p>")),
    "a formula is not drawn": (
        {"mathematics": "not drawn"},
        add('<p><span class="math">x + 1</span></p>'),
    ),
}


@pytest.mark.parametrize(("expected", "breakage"), BREAKAGES.values(), ids=BREAKAGES)
def test_what_is_broken_is_found(
    expected: dict[str, str],
    breakage: Callable[[Path, str], None],
    site: Path,
    visit: BrowserContext,
    tmp_path: Path,
) -> None:
    copy = shutil.copytree(site, tmp_path / "site")
    page = shortest_page(site, FULL_QUANTIZER if FULL_QUANTIZER in str(expected) else ANY_WIDGET)
    breakage(copy, page)
    with served(copy) as base:
        found = inspect(visit, base, page, expected)
    for kind, words in expected.items():
        assert any(words in problem for problem in found[kind]), (kind, found[kind])
