"""The head of a page: how long it takes, what it needs, and what comes next.

A page on one of the ways through the course gets a short list below its title. The minutes are
counted, the ways are those of :mod:`site_builder.ways`, and what the page needs is the paragraph
of its opening that begins with "You need": it moves up into the head, so it stands there once.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from site_builder.reading_time import content_of
from site_builder.ways import FOLDER, Stop, stops

NEEDS = "You need "
FOR_WHOM = "You need this page "  # on a page to the bit: it stays in the opening
EXPLAINED = "three-ways-through"  # the heading on the first page


def setup(app: Sphinx) -> None:
    """Have each page get its head as soon as it has been read."""
    app.connect("doctree-read", add_head)


def add_head(app: Sphinx, doctree: nodes.document) -> None:
    """Put the head below the title of a page that is on a way."""
    page = app.env.docname
    title = next(iter(doctree.findall(nodes.title)), None)
    on_ways = list(stops(page.removeprefix(FOLDER)))
    if title is None or not on_ways:
        return
    home = app.builder.get_relative_uri(page, app.config.root_doc)
    opening = title.parent
    lines = [*facts(opening, Path(app.env.doc2path(page)))]
    lines += [said(stop, f"{home}#{EXPLAINED}") for stop in on_ways]
    items = [nodes.list_item("", line) for line in lines]
    opening.insert(opening.index(title) + 1, nodes.bullet_list("", *items, classes=["page-head"]))


def facts(opening: nodes.Element, path: Path) -> Iterator[nodes.paragraph]:
    """Yield the line with the minutes of a chapter and what it needs; other pages have none."""
    if path.suffix != ".ipynb":
        return
    minutes = content_of(path).minutes
    reading = f"Reading takes about {minutes} minutes, without quiz and exercises. "
    line = nodes.paragraph("", reading)
    if needs := needs_of(opening):
        opening.remove(needs)
        line.extend(needs.children)
    yield line


def needs_of(opening: nodes.Element) -> nodes.paragraph | None:
    """Return the paragraph that says what a page needs, if its opening has one."""
    for child in opening.children:
        if isinstance(child, nodes.section):
            return None
        text = child.astext() if isinstance(child, nodes.paragraph) else ""
        if text.startswith(NEEDS) and not text.startswith(FOR_WHOM):
            return child
    return None


def said(stop: Stop, explained: str) -> nodes.paragraph:
    """Return the line about a way: where the page is on it, and what comes next."""
    name, pages = stop.way.name.capitalize(), len(stop.way.pages)
    line = nodes.paragraph("", "", nodes.reference("", name, refuri=explained, internal=True))
    line += nodes.Text(f", page {stop.number} of {pages}. ")
    if stop.after is None:
        line += nodes.Text("This way ends here.")
    else:
        line += nodes.Text("Next on this way: ")
        line += link_to(stop)
    return line


def link_to(stop: Stop) -> addnodes.pending_xref:
    """Return a link to the next page, to which Sphinx gives that page's title."""
    return addnodes.pending_xref(
        "",
        nodes.inline(),
        refdomain="std",
        reftype="doc",
        refdoc=f"{FOLDER}{stop.page}",
        reftarget=f"/{FOLDER}{stop.after}",
        refexplicit=False,
        refwarn=True,
    )
