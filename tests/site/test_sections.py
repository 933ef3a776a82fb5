"""The sections of a page: found, named as the site names them, and adding up to the page."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from site_builder import sections as module
from site_builder.reading_time import Content, content_of, pieces
from site_builder.sections import file_of, places, section, sections


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A book of one page, ``page``."""
    cells = [
        new_markdown_cell("(label)=\n# The `title`\nOne two."),
        new_code_cell("x = 1"),
        new_markdown_cell("Three.\n\n## A *first* part\nFour.\n\n### Below it\nFive six."),
        new_code_cell("y = 1\nz = 2"),
        new_markdown_cell("## Quiz\nNot this.\n\n## The last\nSeven."),
    ]
    nbformat.write(new_notebook(cells=cells), tmp_path / "page.ipynb")
    monkeypatch.setattr(module, "BOOK", tmp_path)
    sections.cache_clear()
    return tmp_path


def test_a_section_holds_those_below_it(book: Path) -> None:
    found = {
        slug: (each.title, each.level, each.content) for slug, each in sections("page").items()
    }
    assert found == {
        "": ("The title", 1, Content(words=6, code_lines=1)),
        "a-first-part": ("A first part", 2, Content(words=8, code_lines=2)),
        "below-it": ("Below it", 3, Content(words=4, code_lines=2)),
        "quiz": ("Quiz", 2, Content()),
        "the-last": ("The last", 2, Content(words=3)),
    }


def test_cells_lie_in_sections(book: Path) -> None:
    notebook = nbformat.read(book / "page.ipynb", as_version=4)
    nested = ("a-first-part", "below-it")
    assert list(places(notebook)) == [("",), ("",), nested, nested, ("the-last",)]


def test_a_section_or_page_that_is_not_there_is_named(book: Path) -> None:
    assert section("page#below-it").name == "page#below-it"
    assert section("page").name == "page"
    with pytest.raises(KeyError, match="page has no section 'none': it has a-first-part, below-it"):
        section("page#none")
    with pytest.raises(FileNotFoundError, match="no page nothing"):
        sections("nothing")


@pytest.mark.parametrize("page", ["start/tonight", "models/debugging"])
def test_the_sections_of_a_page_add_up_to_it(page: str) -> None:
    outer = [each.content for each in sections(page).values() if each.level < 3]
    path = file_of(page)
    assert sum(outer, Content()) == content_of(path) == sum((c for _, c in pieces(path)), Content())
    assert outer[0].words > 0
