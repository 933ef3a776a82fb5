"""A built page, read into its sections and their blocks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag

from workshop.slides.prose import bare, inner

CALL_LINES = 3  # of a call that draws
PRINTED = ".cell_output > .output.stream, .cell_output .output.text_plain"
TYPES = ("slide", "subslide", "fragment", "skip", "notes")  # JupyterLab's slide types


class Kind(Enum):
    """What a block is, for the slide that it comes to."""

    PROSE = auto()
    LISTING = auto()
    CODE = auto()  # with its outputs that are text
    FORMULA = auto()
    TABLE = auto()
    PICTURE = auto()
    WIDGET = auto()
    QUESTION = auto()
    EXERCISE = auto()
    SOLUTION = auto()
    MARK = auto()  # that a result equals torch's
    DOCUMENT = auto()  # with heads of its own, which no slide holds


SHOWN = {Kind.CODE, Kind.FORMULA, Kind.TABLE, Kind.PICTURE, Kind.WIDGET, Kind.QUESTION}


class NoSlideError(ValueError):
    """Something of a page does not become a slide; the message names page and cell."""


@dataclass(frozen=True)
class Block:
    """A part of a section; of code its text, and the text that it printed."""

    kind: Kind
    element: Tag
    where: str  # as messages name it
    code: Tag | None = None
    printed: tuple[Tag, ...] = ()
    slide_type: str = ""


@dataclass
class Section:
    """A heading and what stands below it up to the next one."""

    level: int
    heading: str
    name: str  # of its address
    above: str = ""  # the heading in which it lies
    blocks: list[Block] = field(default_factory=list)


@dataclass(frozen=True)
class Page:
    """A page of the site: what it says, and what its head loads for it."""

    name: str
    title: str
    sections: list[Section]
    models: dict[str, Any]
    styles: list[str]
    scripts: list[str]


def read_page(site: Path, name: str) -> Page:
    """Read a page of the built site.

    Raises:
        NoSlideError: it has a block of a kind that is not known here.
    """
    path = site / f"{name}.html"
    soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    for gone in soup.select("noscript"):  # a deck runs by JavaScript
        gone.decompose()
    top = soup.select_one("article > section")
    if top is None:
        raise NoSlideError(f"{name}: {path} has no section. Build the site again: make book.")
    state = soup.find(id="qb-widget-models")
    models = json.loads(state.get_text()) if state else {}
    sections = list(sections_of(top, name, models))
    files = [str(e.get("href") or e.get("src")) for e in soup.select("head link, head script[src]")]
    kept = [
        file.rpartition("_static/")[2].partition("?")[0] for file in files if "_static/" in file
    ]
    styles = [file for file in kept if file.endswith(".css")]
    scripts = [file for file in kept if file.endswith(".js")]
    return Page(name, sections[0].heading, sections, models, styles, scripts)


def sections_of(
    element: Tag, page: str, models: dict[str, Any], level: int = 1, above: str = ""
) -> Iterator[Section]:
    """Yield a section of the page, then those in it."""
    title = element.find(["h1", "h2", "h3", "h4"], recursive=False)
    heading = inner(bare(title)) if isinstance(title, Tag) else ""
    found = Section(level, heading, str(element.get("id", "")), above)
    yield found
    for child in element.find_all(True, recursive=False):
        if child.name == "section":
            yield from sections_of(child, page, models, level + 1, heading)
        else:
            found.blocks += blocks_of(child, page, models)


def blocks_of(element: Tag, page: str, models: dict[str, Any]) -> Iterator[Block]:
    """Yield what an element of a section is: nothing, a block, or several.

    Raises:
        NoSlideError: it is of a kind that is not known here.
    """
    classes = set(element.get_attribute_list("class")) - {None}
    kind = next((t for t in TYPES if f"slide-type-{t}" in classes), "")
    where = f"{page}, {place(element)}"
    if element.name in ("h1", "h2", "h3", "h4", "script", "span") or kind == "skip":
        return
    if classes & {"page-head", "toctree-wrapper", "qb-solved-count"}:
        return
    if "cell" in classes:
        yield from cell_blocks(element, where, models, kind)
    elif element.name == "p":
        yield Block(
            Kind.MARK if "equality" in classes else Kind.PROSE, element, where, None, (), kind
        )
    elif known := kind_of(element, classes):
        code = element if known is Kind.CODE else None
        yield Block(known, element, where, code, (), kind)
    elif "admonition" in classes:
        for child in element.find_all(["p", "ul", "ol"], recursive=False):
            if "admonition-title" not in child.get_attribute_list("class"):
                yield from blocks_of(child, page, models)
    else:
        raise NoSlideError(
            f"{where}: a <{element.name} class={' '.join(sorted(classes))!r}> has no place on a "
            "slide yet. Say in workshop/slides/page.py what it is, or give its cell the slide type "
            "`skip`."
        )


def kind_of(element: Tag, classes: set[Any]) -> Kind | None:
    """Return what an element is that is no paragraph and no cell, or None."""
    if element.name in ("ul", "ol", "dl"):
        return Kind.LISTING
    if element.name == "figure":
        return Kind.PICTURE
    if element.name == "table" or classes & {"pst-scrollable-table-container", "calls"}:
        return Kind.TABLE
    by_class = {"math": Kind.FORMULA, "exercise": Kind.EXERCISE, "solution": Kind.SOLUTION}
    known = next((kind for name, kind in by_class.items() if name in classes), None)
    is_code = any(str(name).startswith("highlight-") for name in classes)
    return known or (Kind.CODE if is_code else None)


def cell_blocks(
    cell: Tag, where: str, models: dict[str, Any], slide_type: str = ""
) -> Iterator[Block]:
    """Yield the code of a cell with what it printed, then its pictures, widgets and tables."""
    tags = {str(name).removeprefix("tag_") for name in cell.get_attribute_list("class")}
    if "hide-cell" in tags:
        return
    code = (
        None if tags & {"hide-input", "remove-input"} else cell.select_one(".cell_input .highlight")
    )
    results = list(results_of(cell, where, models, slide_type))
    printed = tuple(cell.select(PRINTED))
    if code and (only_imports(code) or (results and short(code))):
        code = None
    if code or printed:
        yield Block(Kind.CODE, cell, where, code, printed, slide_type)
    yield from results


def results_of(cell: Tag, where: str, models: dict[str, Any], slide_type: str) -> Iterator[Block]:
    """Yield the outputs of a cell that are no text."""
    output = cell.select_one(".cell_output")
    for child in output.find_all(True, recursive=False) if output else ():
        kind = output_kind(child, models)
        if kind is not None:
            code = child if kind is Kind.CODE else None
            yield Block(kind, child, where, code, (), slide_type)


def output_kind(output: Tag, models: dict[str, Any]) -> Kind | None:
    """Return what an output is; None for text, which goes with its code."""
    classes = set(output.get_attribute_list("class"))
    if "qb-widget-host" in classes:
        model = models[str(output["data-model"])]
        return Kind.QUESTION if model["class"].startswith("Question.") else Kind.WIDGET
    if output.select_one("h1, h2, h3"):
        return Kind.DOCUMENT
    if output.select_one("table"):
        return Kind.TABLE
    if output.name in ("figure", "img") or output.select_one("svg, img"):
        return Kind.PICTURE
    if output.name == "p":
        return Kind.PROSE
    if classes & {"stream", "text_plain"} or not output.get_text(strip=True):
        return None
    if any(str(name).startswith("highlight-") for name in classes):
        return Kind.CODE
    return Kind.PROSE


def only_imports(code: Tag) -> bool:
    """Tell whether code does nothing but import, or go on with an import."""
    lines = [line for line in code.get_text().splitlines() if line.strip()]
    return all(line.startswith(("import ", "from ", " ", ")", "#")) for line in lines)


def short(code: Tag) -> bool:
    """Tell whether code only calls what draws, which the picture shows better."""
    return len(code.get_text().strip().splitlines()) <= CALL_LINES


def place(element: Tag) -> str:
    """Say where an element is: in which of the cells with code, or how its text begins."""
    cell = (
        element
        if "cell" in element.get_attribute_list("class")
        else element.find_parent(class_="cell")
    )
    if cell is None:
        return f"“{' '.join(element.get_text().split())[:40]}…”"
    number = len(cell.find_all_previous("div", class_="cell")) + 1
    lines = cell.select_one("pre") or cell
    first = (lines.get_text().strip().splitlines() or [""])[0]
    return f"code cell {number}, {first[:50]!r}"
