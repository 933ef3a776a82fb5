"""A deck as a file: the slides of a page, with what they load, beside the other decks."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from html import escape
from itertools import groupby
from pathlib import Path
from string import Template
from typing import Any

from site_builder.widgets import embedded
from workshop.core_pages import CorePage
from workshop.plans.plan import Block, Day, Plan
from workshop.slides.citations import cited, references
from workshop.slides.days import day_slides, days
from workshop.slides.page import Page, read_page
from workshop.slides.plan import slides_of
from workshop.slides.prose import text_of
from workshop.slides.slide import Slide

HERE = Path(__file__).parent
STYLES = ("pygments.css", "katex/katex.min.css", "katex-math.css", "book.css")
BOOK = "Quantization, Bit by Bit"
PLANS = "A room full of people"
HOST = "host.js"
STATIC = "_static"


@dataclass(frozen=True)
class Deck:
    """A deck: its name below the folder of all, its slides, and the pages that they are from."""

    name: str
    part: str  # under which the index lists it
    title: str
    slides: list[Slide]
    pages: list[Page]

    def models(self) -> dict[str, Any]:
        """Return the models of the widgets that the slides show."""
        shown = "".join(part.markup for slide in self.slides for part in slide.parts)
        every = {id_: model for page in self.pages for id_, model in page.models.items()}
        return {id_: model for id_, model in every.items() if id_ in shown}

    def loaded(self) -> tuple[list[str], list[str]]:
        """Return the styles and scripts that the slides need of those that the pages have."""
        classes = {model["class"] for model in self.models().values()}
        widgets = [f"widgets/{name}" for name in sorted(classes)]
        there = {style for page in self.pages for style in page.styles}
        styles = [*STYLES, *(f"{name}.css" for name in widgets if f"{name}.css" in there)]
        scripts = [*(f"{name}.js" for name in widgets), HOST] if widgets else []
        return styles, scripts


def write_decks(
    site: Path, target: Path, pages: Iterable[CorePage], plans: Iterable[Plan] = ()
) -> dict[str, int]:
    """Write decks for days of plans, for pages, and their index; return the slides of each."""
    shutil.rmtree(target, ignore_errors=True)
    for folder in ("reveal", "static"):
        shutil.copytree(HERE / folder, target / STATIC / folder)
    read = cache(partial(read_page, site))
    decks = [*(of_day(*day, read) for plan in plans for day in days(plan))]
    decks += [of_page(core, read(core.name)) for core in pages]
    for deck in decks:
        for slide in deck.slides:
            slide.notes += cited(slide, references(site))
        path = target / f"{deck.name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file_of(deck), encoding="utf-8")
        copy_files(site, target, deck)
    (target / "index.html").write_text(index(decks), encoding="utf-8")
    return {deck.name: len(deck.slides) for deck in decks}


def of_page(core: CorePage, page: Page) -> Deck:
    """Return the deck of a page."""
    slides = slides_of(page)
    slides[0].above = escape(f"{BOOK} · {core.part}")
    return Deck(core.short, core.part, text_of(page.title), slides, [page])


def of_day(name: str, day: Day, read: Callable[[str], Page]) -> Deck:
    """Return the deck of a day of a plan."""
    slides = day_slides(day, read)
    slides[0].above = escape(BOOK)
    names = {step.page for item in day.items if isinstance(item, Block) for step in item.steps}
    return Deck(name, PLANS, day.title, slides, [read(f"book/{short}") for short in sorted(names)])


def copy_files(site: Path, target: Path, deck: Deck) -> None:
    """Copy what the slides load from the site: styles, scripts, fonts and pictures."""
    for name in (file for files in deck.loaded() for file in files):
        copied(site / STATIC / name, target / STATIC / name)
    shutil.copytree(
        site / STATIC / "katex" / "fonts", target / STATIC / "katex" / "fonts", dirs_exist_ok=True
    )
    for slide in deck.slides:
        for part in slide.parts:
            for name in re.findall(r'_images/([^"]+)', part.markup):
                copied(site / "_images" / name, target / "_images" / name)


def copied(source: Path, target: Path) -> None:
    """Copy a file once."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        shutil.copyfile(source, target)


def file_of(deck: Deck) -> str:
    """Return the file of a deck."""
    styles, scripts = deck.loaded()
    models = deck.models()
    up = "../" * deck.name.count("/")
    body = "\n".join(map(column, columns(deck.slides)))
    template = Template((HERE / "deck.html").read_text(encoding="utf-8"))
    text = template.substitute(
        title=escape(deck.title),
        up=up,
        styles="\n".join(
            f'<link rel="stylesheet" href="{up}{STATIC}/{name}" />' for name in styles
        ),
        scripts="\n".join(f'<script src="{up}{STATIC}/{name}"></script>' for name in scripts),
        models=embedded(models) if models else "",
        slides=body,
    )
    return re.sub(r'src="(?:\.\./)+_images/', f'src="{up}_images/', text)


def columns(slides: list[Slide]) -> list[list[Slide]]:
    """Return the slides in the columns of the overview."""
    found: list[list[Slide]] = []
    for slide in slides:
        if slide.begins or not found:
            found.append([])
        found[-1].append(slide)
    return found


def column(slides: list[Slide]) -> str:
    """Return a column of slides."""
    inside = "\n".join(map(section, slides))
    return f"<section>\n{inside}\n</section>"


def section(slide: Slide) -> str:
    """Return one slide."""
    above = f'<p class="above">{slide.above}</p>' if slide.above else ""
    level = "h1" if slide.kind == "title" else "h2"
    parts = "\n".join(part.markup for part in slide.parts)
    notes = f'<aside class="notes">{"".join(slide.notes)}</aside>' if slide.notes else ""
    return (
        f'<section data-where="{escape(slide.where)}"><div class="slide {slide.kind}">'
        f"<header>{above}<{level}>{slide.heading}</{level}></header>\n"
        f'<div class="body">{parts}</div></div>{notes}</section>'
    )


def index(decks: list[Deck]) -> str:
    """Return the page that leads to the decks, part by part."""
    parts = []
    for part, of_part in groupby(decks, key=lambda deck: deck.part):
        items = "".join(
            f'<li><a href="{deck.name}.html">{escape(deck.title)}</a> <small>{len(deck.slides)} '
            f'slides · <a href="{deck.name}.html?print-pdf">to print</a> · <a href="{deck.name}'
            '.html?print-pdf&amp;notes">with notes</a></small></li>'
            for deck in of_part
        )
        parts.append(f"<h2>{escape(part)}</h2>\n<ul>{items}</ul>")
    template = Template((HERE / "index.html").read_text(encoding="utf-8"))
    return template.substitute(decks="\n".join(parts))
