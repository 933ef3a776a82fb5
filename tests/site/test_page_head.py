"""The head of a page: its minutes, what it needs, which moves there, and the ways it is on."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx.addnodes import pending_xref

from site_builder.page_head import add_head

ROOT = Path(__file__).parents[2]
NEEDS = "You need two hands."


def with_head(page: str, *opening: nodes.Node) -> nodes.section:
    """Return the only section of a page, with a title and this opening, after it got its head."""
    path = ROOT / f"{page}.ipynb"
    app = SimpleNamespace(
        env=SimpleNamespace(
            docname=page, doc2path=lambda _: path if path.is_file() else path.with_suffix(".md")
        ),
        builder=SimpleNamespace(get_relative_uri=lambda _, to: f"up/{to}.html"),
        config=SimpleNamespace(root_doc="book/intro"),
    )
    doctree = new_document("page")
    doctree += nodes.section("", nodes.title("", "A page"), *opening)
    add_head(app, doctree)  # type: ignore[arg-type]
    (section,) = doctree.children
    assert isinstance(section, nodes.section)
    return section


def lines_of(section: nodes.section) -> list[str]:
    head = section[1]
    assert isinstance(head, nodes.bullet_list)
    return [item.astext() for item in head.children]


def test_what_a_page_needs_moves_into_its_head() -> None:
    why = nodes.paragraph("", "Why?")
    section = with_head("book/start/tonight", why, nodes.paragraph("", NEEDS))
    first, *_ = lines_of(section)
    assert first.startswith("Reading takes about ") and first.endswith(f" exercises. {NEEDS}")
    assert [type(child) for child in section.children] == [
        nodes.title,
        nodes.bullet_list,
        nodes.paragraph,
    ]


def test_for_whom_a_page_is_stays_in_its_opening() -> None:
    whom = nodes.paragraph("", "You need this page if you write kernels.")
    section = with_head("book/start/tonight", whom, nodes.paragraph("", NEEDS))
    assert lines_of(section)[0].endswith(NEEDS)
    assert whom in section.children


def test_a_need_further_down_stays_where_it_is() -> None:
    deeper = nodes.section("", nodes.title("", "Deeper"), nodes.paragraph("", NEEDS))
    section = with_head("book/start/tonight", deeper, nodes.paragraph("", NEEDS))
    assert NEEDS not in lines_of(section)[0]
    assert section.astext().count(NEEDS) == 2


def test_a_line_for_each_way_leads_to_the_first_page_and_to_the_next() -> None:
    section = with_head("book/start/tonight")
    assert [line.partition(" of ")[0] for line in lines_of(section)[1:]] == [
        "Use it, page 1",
        "Know every bit, page 1",
    ]
    assert {link["refuri"] for link in section.findall(nodes.reference)} == {
        "up/book/intro.html#three-ways-through"
    }
    targets = [link["reftarget"] for link in section.findall(pending_xref)]
    assert targets[0] == "/book/start/which_one"


def test_the_last_page_says_that_the_way_ends() -> None:
    assert lines_of(with_head("book/models/debugging"))[1].endswith("This way ends here.")


def test_a_page_to_look_up_has_no_minutes() -> None:
    (line,) = lines_of(with_head("book/reference/symptoms"))
    assert line.startswith("Debug it, page 1 of 2. Next on this way: ")


@pytest.mark.parametrize("page", ["book/notation", "book/intro", "search"])
def test_a_page_on_no_way_has_no_head(page: str) -> None:
    section = with_head(page, nodes.paragraph("", NEEDS))
    assert [type(child) for child in section.children] == [nodes.title, nodes.paragraph]
