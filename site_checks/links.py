"""Every link inside the site leads somewhere: the file exists, and the place in it too."""

from collections.abc import Callable, Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

REFERENCES = {"href", "src", "action"}
# References that carry what they refer to, or start a program.
NOT_FILES = ("data:", "mailto:", "javascript:")


class Page(HTMLParser):
    """The references and the anchors of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.references: list[str] = []
        self.anchors = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag refers to, and by what name it may be referred to."""
        for name, value in attrs:
            if value and name in REFERENCES:
                self.references.append(value)
            if value and (name == "id" or (tag == "a" and name == "name")):
                self.anchors.add(value)


@cache
def page_of(text: str) -> Page:
    """Parse a page once, also where a copy of the site has it unchanged."""
    return Page(text)


def internal(reference: str) -> bool:
    """Tell whether a reference stays within the site."""
    return not (reference.startswith(NOT_FILES) or urlsplit(reference).netloc)


def broken_in(page: Path, site: Path, page_at: Callable[[Path], Page]) -> Iterator[str]:
    """Yield a sentence for every reference of a page that leads nowhere.

    A reference that begins with a slash is meant from the site's root, as on the page for a wrong
    address, which a server shows anywhere.
    """
    for reference in filter(internal, page_at(page).references):
        address, fragment = urldefrag(reference)
        place = unquote(urlsplit(address).path)
        start = site if place.startswith("/") else page.parent
        target = (start / place.removeprefix("/")).resolve() if address else page
        if not target.is_file():
            yield f"{reference}: no such file"
        elif target.suffix == ".html" and unquote(fragment) not in page_at(target).anchors:
            yield f"{reference}: no such place in {target.name}"


def broken_links(site: Path) -> list[str]:
    """Return a sentence for every broken link of the site, the page first."""

    @cache
    def page_at(path: Path) -> Page:
        return page_of(path.read_text(encoding="utf-8"))

    return [
        f"{page.relative_to(site)}: {problem}"
        for page in sorted(site.rglob("*.html"))
        for problem in broken_in(page.resolve(), site.resolve(), page_at)
    ]
