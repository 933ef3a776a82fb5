"""The articles of the built site, with names and links that hold when all are one document."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bs4 import BeautifulSoup, Tag

from workshop.book_pdf.paper import add_class

# Attributes that hold the names of elements, apart from links
NAMING = ("aria-controls", "aria-describedby", "aria-labelledby", "for", "headers", "list")
REFERENCE = re.compile(r"url\((['\"]?)#([^)'\"]+)\1\)")
LISTS = ("bibliography", "notation", "reference", "proofs")
LOOKED_UP = ("reference-symptoms",)  # a page over many pages, which begins with a list of its own
SEE = "qb-see"
ELSEWHERE = re.compile(r"[a-z]+:", re.IGNORECASE)


@dataclass(frozen=True)
class Chapter:
    """A page of the book: its name in the contents, its title, its article and its style sheets."""

    page: str
    title: str
    article: Tag
    styles: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of its heading in the document, with which all its names begin."""
        return name_of(self.page)


def name_of(page: str) -> str:
    """Return what the names of a page begin with.

    >>> name_of("book/numbers/rounding")
    'numbers-rounding'
    """
    return page.removeprefix("book/").replace("/", "-")


def read_chapter(site: Path, page: str) -> Chapter:
    """Read a page of the built site.

    Raises:
        ValueError: if the page has no article, or one without a title.
    """
    path = site / f"{page}.html"
    soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    article = soup.find("article")
    if not isinstance(article, Tag) or not isinstance(heading := article.find("h1"), Tag):
        raise ValueError(f"{path} has no article with a title; build the site again: make book")
    for link in article.select("a.headerlink"):
        link.decompose()
    sheets = [str(link["href"]).partition("?")[0] for link in soup.select("link[rel=stylesheet]")]
    styles = tuple(seen_from_the_top(page, sheet) for sheet in sheets)
    return Chapter(page, heading.get_text(" ", strip=True), article, styles)


def seen_from_the_top(page: str, address: str) -> str:
    """Return the address of a file as seen from the top of the site.

    >>> seen_from_the_top("book/numbers/rounding", "../../_images/a.png")
    '_images/a.png'
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), address))


def name_all(chapter: Chapter) -> None:
    """Begin each name in the article with the chapter's, and let no two be the same."""
    seen: set[str] = set()
    for tag in chapter.article.find_all(id=True):
        if tag["id"] in seen:  # as the contents of exercises, which nothing refers to
            del tag["id"]
            continue
        seen.add(str(tag["id"]))
        tag["id"] = f"{chapter.name}--{tag['id']}"
    for tag in chapter.article.find_all():
        rename_references(tag, chapter.name)


def rename_references(tag: Tag, name: str) -> None:
    """Let what an element says of others use their new names."""
    for attribute in NAMING:
        if attribute in tag.attrs:
            named = " ".join(map(str, tag.get_attribute_list(attribute))).split()
            tag[attribute] = " ".join(f"{name}--{old}" for old in named)
    for attribute, value in list(tag.attrs.items()):
        if isinstance(value, str) and "url(" in value:
            tag[attribute] = REFERENCE.sub(rf"url(#{name}--\2)", value)
    for attribute in ("href", "xlink:href"):
        if tag.name != "a" and str(tag.get(attribute, "")).startswith("#"):
            tag[attribute] = f"#{name}--{str(tag[attribute])[1:]}"


def link_within(chapter: Chapter, pages: Iterable[str]) -> None:
    """Let links between pages of the book lead to their place in the document.

    What leads to a page that is not in the document, or to a file, becomes plain text.
    """
    names = {page: name_of(page) for page in pages}
    for link in list(chapter.article.find_all("a", href=True)):
        address = str(link["href"])
        if ELSEWHERE.match(address):
            continue
        path, _, fragment = address.partition("#")
        target = seen_from_the_top(chapter.page, path) if path else f"{chapter.page}.html"
        name = names.get(target.removesuffix(".html"))
        if name is None or not target.endswith(".html"):
            link.unwrap()
        else:
            link["href"] = f"#{name}--{fragment}" if fragment else f"#{name}"
            if is_far(link, name, chapter.name):
                add_class(link, SEE)


def is_far(link: Tag, name: str, here: str) -> bool:
    """Tell whether a link deserves a page number: it leads to another chapter, and not to a list.

    Who meets a citation, a term or a function knows in which list to look it up. A page that is
    looked up itself has numbers within it, too.
    """
    if name == here:
        return here in LOOKED_UP
    return name not in LISTS and link.find_parent(["h1", "h2", "h3", "h4"]) is None


def move_files(chapter: Chapter, top: str) -> None:
    """Let pictures be found from where the document lies: `top` is the site, seen from there."""
    for picture in chapter.article.find_all("img", src=True):
        if not str(picture["src"]).startswith("data:"):
            found = seen_from_the_top(chapter.page, str(picture["src"]))
            picture["src"] = f"{top}/{found}"


def dead_links(body: Tag) -> Iterator[str]:
    """Yield a sentence for each name that stands twice, and each link that leads nowhere."""
    names: set[str] = set()
    for tag in body.find_all(id=True):
        if tag["id"] in names:
            yield f"two elements have the name {tag['id']}"
        names.add(str(tag["id"]))
    for link in body.find_all("a", href=True):
        address = str(link["href"])
        if address.startswith("#") and address[1:] not in names:
            yield f"a link leads to {address}, which is not in the document"
