"""The search helps who pastes a message, and quotes from the pages that it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from site_checks.browser import PHONE, opened
from site_checks.site import built_site, served

ALL_WORDS = "Search finished, found {} page(s) matching the search query."
ALL_LINES: ViewportSize = {"width": 1280, "height": 20_000}
CLOSEST = "No page has all these words. These come closest:"
AS_FILES = pytest.mark.parametrize(
    "base", [f"{built_site().as_uri()}/"], indirect=True, ids=["file"]
)
# Pages whose line lies in the window have been read; a function's line says what that is.
ALL_READ = """() => location.protocol === "file:"
  || [...document.querySelectorAll("#search-results li")].every((line) =>
    line.children.length > 1 || line.getBoundingClientRect().top > innerHeight)"""
Search = Callable[[str], Page]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with served(built_site()) as url:
        yield url


@pytest.fixture
def base(request: pytest.FixtureRequest, server: str) -> str:
    """Return where the site is: on a server, or as files where a test is marked by AS_FILES."""
    return getattr(request, "param", server)


@pytest.fixture
def search(browser: Browser, base: str) -> Iterator[Search]:
    """Return a function that searches, and waits until what is near the window is there."""
    with opened(browser, base) as (page, record):

        def of(query: str) -> Page:
            page.goto(f"{base}search.html?q={quote(query)}")
            expect(page.get_by_role("status")).not_to_be_empty()
            page.wait_for_function(ALL_READ)
            page.wait_for_load_state("networkidle")
            return page

        yield of
        assert record.console + record.network == []


def titles(page: Page) -> list[str]:
    return page.locator("#search-results li > a").all_inner_texts()


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("Could not run 'aten::plugh' with arguments from the 'QuantizedCPU' backend", "Symptoms"),
        ("xyzzy_layer fused as ConvReLU2d instead of ConvBnReLU2d", "Symptoms"),
    ],
    ids=["aten::plugh", "ConvBnReLU2d"],
)
def test_a_message_that_no_page_has_leads_to_those_that_come_closest(
    query: str, answer: str, search: Search
) -> None:
    page = search(query)
    expect(page.get_by_role("status")).to_have_text(CLOSEST)
    assert titles(page)[0] == answer
    assert len(titles(page)) == 5


def test_pages_with_all_words_are_announced_as_such(search: Search) -> None:
    page = search("vpmaddubsw")
    assert "Reduced range" in titles(page)
    expect(page.get_by_role("status")).to_have_text(ALL_WORDS.format(len(titles(page))))


def test_a_rare_word_counts_more_than_a_common_one(search: Search) -> None:
    rare = set(titles(search("vpmaddubsw")))
    mixed = titles(search("vpmaddubsw xyzzy quantized"))
    assert set(mixed[: len(rare)]) == rare and len(mixed) == 5


@pytest.mark.parametrize(
    "query",
    ["why are my weights still float32 after quantize_", "quantized model uses same memory"],
)
def test_all_words_count_where_many_pages_have_them(query: str, search: Search) -> None:
    page = search(query)
    expect(page.get_by_role("status")).to_have_text(ALL_WORDS.format(len(titles(page))))
    assert len(titles(page)) > 5 and "Symptoms" in titles(page)[:2]


def test_where_no_word_is_known_the_search_points_at_the_symptoms(search: Search) -> None:
    page = search("xyzzy plugh")
    expect(page.get_by_role("status")).to_contain_text("did not match any documents")
    page.locator("#search-results").get_by_role("link", name="Symptoms").click()
    page.wait_for_url("**/book/reference/symptoms.html?q=*")


def test_the_name_of_what_every_object_has_can_be_searched(search: Search) -> None:
    page = search("__init__(): incompatible constructor arguments")
    expect(page.get_by_role("status")).to_have_text(CLOSEST)


def test_a_letter_alone_is_not_marked_in_every_word(search: Search) -> None:
    page = search("Didn't find engine for operation quantized::linear_prepack NoQEngine")
    page.locator("#search-results li > a").first.click()
    page.wait_for_url("**/book/**")
    page.locator("article .highlighted").first.wait_for()
    marked = {text.lower() for text in page.locator("article .highlighted").all_inner_texts()}
    assert "engine" in marked and "t" not in marked


@pytest.mark.parametrize("word", ["deepcopy", "memory"])
def test_an_excerpt_shows_the_word(word: str, search: Search) -> None:
    excerpts = search(word).locator("#search-results .context").all_inner_texts()
    within = [text for text in excerpts if text.startswith("...")]
    assert within and all(word in text.lower() for text in within)
    # Other pages have the word in a note or a drawing alone: their excerpt is how they begin.
    assert min(map(len, excerpts)) > 100


def test_a_page_is_read_when_the_reader_comes_to_its_line(search: Search) -> None:
    page = search("quantized model uses same memory")
    lines, excerpts = page.locator("#search-results li"), page.locator("#search-results .context")
    assert 0 < excerpts.count() < lines.count() / 2
    page.evaluate("scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })")
    expect(lines.last.locator(".context")).not_to_be_empty()
    assert lines.nth(lines.count() // 2).locator(".context").count() == 0
    page.set_viewport_size(ALL_LINES)
    expect(excerpts).to_have_count(lines.count())


@AS_FILES
def test_files_can_be_searched_and_not_quoted(search: Search) -> None:
    page = search("vpmaddubsw xyzzy deepcopy")
    expect(page.get_by_role("status")).to_have_text(CLOSEST)
    assert "Symptoms" in titles(page)
    assert page.locator("#search-results .context").all_inner_texts() == []


def test_an_excerpt_shows_the_rarest_word(search: Search) -> None:
    page = search("integers vpmaddubsw quantized")
    excerpts = page.locator("#search-results .context").all_inner_texts()
    assert excerpts and all("vpmaddubsw" in text for text in excerpts)


def test_a_line_of_code_in_an_excerpt_is_no_wider_than_a_phone(search: Search) -> None:
    page = search("Could not run 'aten::_slow_conv2d_forward'")
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_an_excerpt_has_whole_words(search: Search) -> None:
    page = search("vpmaddubsw")
    lines = page.locator("#search-results li:has(.context)").all()
    assert len(lines) > 2
    for line in lines:
        text = page.evaluate(
            """async (url) => {
            const page = await fetch(url);
            return Search.htmlToText(await page.text(), new URL(url).hash);
            }""",
            line.locator("a").evaluate("link => link.href"),
        )
        words = line.locator(".context").inner_text().removeprefix("...").removesuffix("...")
        assert len(words) > 100 and f" {words} " in f" {text} "


def test_an_excerpt_of_a_term_is_what_it_means(search: Search) -> None:
    term = search("AMX").locator("#search-results li:has(a[href*='#term-'])").first
    expect(term.locator(".context")).to_contain_text("tiles of eight-bit numbers")


def test_an_excerpt_of_a_solution_whose_anchor_has_slashes_is_there(search: Search) -> None:
    page = search("Solution to Exercise 10")
    page.set_viewport_size(ALL_LINES)
    solution = page.locator("#search-results li:has(a[href*='-solution-'])").first
    expect(solution.locator(".context")).not_to_be_empty()


def test_a_page_that_cannot_be_read_costs_its_own_excerpt_alone(
    browser: Browser, server: str
) -> None:
    with opened(browser, server) as (page, _):
        page.route("**/formats/four_bits.html", lambda route: route.abort())
        page.route("**/calibration/observers.html", lambda route: route.fulfill(status=404))
        page.goto(f"{server}search.html?q=scale")
        page.set_viewport_size(ALL_LINES)
        expect(page.get_by_role("status")).not_to_be_empty()  # from now on no line is added
        lines = page.locator("#search-results li:not(:has(span:not(.highlighted)))")
        lost = lines.filter(has_not=page.locator(".context"))
        expect(lost).to_have_count(2)
        assert {"Four bits", "Observers"} == set(lost.locator("a").all_inner_texts())


def test_an_excerpt_is_the_text_of_a_page(search: Search) -> None:
    said = search("vpmaddubsw").evaluate(
        """() => Search.htmlToText(`<main role="main"><button>Download</button><article>
        <h1>Title</h1> <p>A <b>scale</b><span role="tooltip">is a step</span>
        is  <math><mi>s</mi><annotation>s_x</annotation></math>.</p>
        <div class="qb-question"><details class="qb-locked">the answer</details></div>
        <section id="more">More<a class="headerlink">#</a></section></article></main>`)"""
    )
    assert said == "A scale is s. More"
