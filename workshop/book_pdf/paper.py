"""What a page of the screen becomes on paper: nothing is folded, hovered over or clicked."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup, Tag
from bs4.element import AttributeValueList

# What only a screen has a use for; a term's note stands in the glossary.
SCREEN_ONLY = (
    "script, noscript, .qb-term > [role=tooltip], .qb-link, .qb-wanted, .qb-solved-count, "
    ".qb-question button:not([name]), .page-head li + li, "
    ".toctree-wrapper"  # the front page's contents: the document has its own, with page numbers
)
# Words of code that have no colour, or nearly none. Without an element for each, a PDF with tags
# weighs half as much.
PLAIN_CODE = "pre span:not([class]), pre :is(.n, .nn, .nx, .o, .p, .pm, .w)"
LINES, ROWS = 30, 12  # code or a table that has more may go on on the next page
KIND = re.compile(r"^(https?://|doi:|arXiv:)")
BETWEEN = re.compile(r"(?<=[(_=,])(?=\w)|(?<=\.)(?=[^\W\d])")  # within a call, but no 0.01
HEADING = re.compile(r"h([1-5])")
NEW = BeautifulSoup("", "html.parser")


def element(name: str, text: str = "", **attributes: str) -> Tag:
    """Return a new element; a trailing underscore in the name of an attribute is dropped."""
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    made = NEW.new_tag(name, attrs=given)
    if text:
        made.string = text
    return made


def for_paper(article: Tag) -> None:
    """Turn a page for the screen into one for paper."""
    unfold(article)
    for tag in article.select(SCREEN_ONLY):
        tag.decompose()
    for term in article.select(".qb-term > button"):
        term.unwrap()
    for word in article.select(PLAIN_CODE):
        word.unwrap()
    for box in article.find_all(["pre", "table"]):
        if is_long(box):
            add_class(box, "qb-breakable")
    for code in article.select("td code"):
        let_break(code)
    for link in article.find_all("a", href=True):
        show_address(link)
    for formula in article.select(".katex"):
        read_out(formula)
    for place in reversed(article.select("span[id]:empty")):
        heading = place.find_next_sibling()
        if isinstance(heading, Tag) and HEADING.fullmatch(heading.name):
            heading.insert(0, place.extract())  # else a page may end between the two
    for heading in article.find_all(HEADING):
        heading.name = f"h{int(heading.name[1]) + 1}"  # the parts are h1


def add_class(tag: Tag, name: str) -> None:
    """Give an element one more class."""
    tag["class"] = AttributeValueList([*tag.get_attribute_list("class"), name])


def is_long(box: Tag) -> bool:
    """Tell whether code, or a table, is so long that it may end on another page."""
    if box.name == "table":
        return len(box.find_all("tr")) > ROWS
    return box.get_text().count("\n") > LINES


def let_break(code: Tag) -> None:
    """Let a long call in a table go on on the next line behind a sign, and not within a word."""
    for text in code.find_all(string=BETWEEN):
        first, *rest = BETWEEN.split(text)
        pieces = [piece for part in rest for piece in (element("wbr"), part)]
        text.replace_with(first, *pieces)


def show_address(link: Tag) -> None:
    """Mark a link that leads out of the book, unless its words are the address already."""
    scheme, _, address = str(link["href"]).partition("://")
    words = KIND.sub("", link.get_text(strip=True))
    if scheme in ("http", "https") and not (words and address.endswith(words)):
        link["data-address"] = address.rstrip("/")


def read_out(formula: Tag) -> None:
    """Name a formula for screen readers by its TeX, since a PDF has no place for its MathML."""
    hidden = formula.select_one(".katex-mathml")
    source = formula.select_one("annotation")
    if hidden is None or source is None:
        return
    formula["role"], formula["aria-label"] = "img", source.get_text()
    hidden.decompose()
    for drawn in formula.select("[aria-hidden]"):
        del drawn["aria-hidden"]  # what is hidden takes no name into a PDF


def unfold(article: Tag) -> None:
    """Open what is folded, and let folded code say that it is: the text calls it so."""
    for fold in article.select("details.hide"):
        for part in fold.select("summary"):
            part.decompose()
        for code in fold.select(".cell_input"):
            add_class(code, "qb-folded")
        fold.unwrap()
