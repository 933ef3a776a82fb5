"""The ways through the course: each page is on those that it belongs to, and each has an end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from site_builder import contents
from site_builder.ways import FOLDER, Way, stops, ways

INTRO = Path(__file__).parents[2] / "book" / "intro.ipynb"


def wrong(on_ways: dict[str, Way], pages: tuple[str, ...], chapters: list[str]) -> Iterator[str]:
    """Yield a sentence for each page that is missing on a way, or does not belong there."""
    for way in on_ways.values():
        for page in way.pages:
            if FOLDER + page not in pages:
                yield f"{page} is on {way.name!r}, and not in _toc.yml"
            if way.pages.count(page) > 1:
                yield f"{page} comes twice on {way.name!r}, which then has no end"
            if way.name != "know every bit" and page.endswith("_to_the_bit"):
                yield f"{page} is on {way.name!r}, which core pages alone should be"
    every = [FOLDER + page for page in on_ways["every_bit"].pages]
    if every != chapters:
        yield "'know every bit' is not all chapters in the order of _toc.yml"
    for page in chapters:
        if page.startswith("book/start/") and page[len(FOLDER) :] not in on_ways["use_it"].pages:
            yield f"{page} is in the part Start, and not on 'use it'"


def test_each_page_is_on_the_ways_that_it_belongs_to() -> None:
    assert list(wrong(ways(), contents.pages(), contents.chapters())) == []


@pytest.mark.parametrize(
    ("key", "pages", "message"),
    [
        ("debug_it", ("models/gone",), "models/gone is on 'debug it', and not in"),
        ("debug_it", ("models/debugging", "models/debugging"), "comes twice"),
        ("debug_it", ("models/debugging_to_the_bit",), "core pages alone"),
        ("every_bit", ("start/tonight",), "not all chapters"),
        ("use_it", ("start/tonight",), "book/start/which_one is in the part Start"),
    ],
    ids=["no page", "twice", "too deep", "not all", "not from the start"],
)
def test_a_wrong_way_is_found(key: str, pages: tuple[str, ...], message: str) -> None:
    other = ways() | {key: Way(ways()[key].name, pages)}
    found = list(wrong(other, contents.pages(), contents.chapters()))
    assert any(message in sentence for sentence in found), found


@pytest.mark.parametrize("way", ways().values(), ids=ways())
def test_a_way_leads_from_stop_to_stop_to_its_end(way: Way) -> None:
    page: str | None = way.pages[0]
    for number in range(1, len(way.pages) + 1):
        assert page
        (stop,) = (stop for stop in stops(page) if stop.way == way)
        assert (stop.page, stop.number) == (page, number)
        page = stop.after
    assert page is None


def test_the_first_page_calls_the_ways_by_their_names() -> None:
    text = INTRO.read_text(encoding="utf-8")
    for key, way in ways().items():
        assert f"| **{way.name}**" in text and f"{{{{ {key} }}}}" in text


def test_the_contents_have_the_pages_below_a_page_after_it(tmp_path: Path) -> None:
    toc = tmp_path / "_toc.yml"
    toc.write_text(
        "format: jb-book\nroot: top\nparts:\n- caption: One\n  chapters:\n"
        "  - file: a\n    sections:\n    - file: b\n  - file: c\n- chapters:\n  - file: d\n"
    )
    assert contents.pages(toc) == ("a", "b", "c", "d")
