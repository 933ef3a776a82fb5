"""A deck as a file: the slides of a page, with what they load, beside the other decks."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from html import escape
from itertools import groupby
from pathlib import Path
from string import Template

from site_builder.widgets import embedded
from workshop.core_pages import CorePage
from workshop.slides.page import Page, read_page
from workshop.slides.plan import slides_of
from workshop.slides.prose import text_of
from workshop.slides.slide import Slide

HERE = Path(__file__).parent
STYLES = ("pygments.css", "katex/katex.min.css", "katex-math.css", "book.css")
BOOK = "Quantization, Bit by Bit"
HOST = "host.js"
STATIC = "_static"


def write_decks(site: Path, target: Path, pages: Iterable[CorePage]) -> dict[str, int]:
    """Write a deck for each page and their index; return how many slides each has."""
    shutil.rmtree(target, ignore_errors=True)
    for folder in ("reveal", "static"):
        shutil.copytree(HERE / folder, target / STATIC / folder)
    counts: dict[str, int] = {}
    titles: list[tuple[CorePage, str]] = []
    for core in pages:
        page = read_page(site, core.name)
        slides = slides_of(page)
        slides[0].above = escape(f"{BOOK} · {core.part}")
        path = target / f"{core.short}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(deck(page, core, slides), encoding="utf-8")
        copy_files(site, target, page, slides)
        counts[core.short] = len(slides)
        titles.append((core, text_of(page.title)))
    (target / "index.html").write_text(index(titles, counts), encoding="utf-8")
    return counts


def loaded(page: Page, slides: list[Slide]) -> tuple[list[str], list[str]]:
    """Return the styles and scripts that the slides need of those that the page has."""
    shown = "".join(part.markup for slide in slides for part in slide.parts)
    models = {id_: model for id_, model in page.models.items() if id_ in shown}
    classes = {model["class"] for model in models.values()}
    widgets = [f"widgets/{name}" for name in sorted(classes)]
    styles = [*STYLES, *(f"{name}.css" for name in widgets if f"{name}.css" in page.styles)]
    scripts = [*(f"{name}.js" for name in widgets), HOST] if widgets else []
    return styles, scripts


def copy_files(site: Path, target: Path, page: Page, slides: list[Slide]) -> None:
    """Copy what the slides load from the site: styles, scripts, fonts and pictures."""
    for name in (file for files in loaded(page, slides) for file in files):
        copied(site / STATIC / name, target / STATIC / name)
    shutil.copytree(
        site / STATIC / "katex" / "fonts", target / STATIC / "katex" / "fonts", dirs_exist_ok=True
    )
    for slide in slides:
        for part in slide.parts:
            for name in re.findall(r'_images/([^"]+)', part.markup):
                copied(site / "_images" / name, target / "_images" / name)


def copied(source: Path, target: Path) -> None:
    """Copy a file once."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        shutil.copyfile(source, target)


def deck(page: Page, core: CorePage, slides: list[Slide]) -> str:
    """Return the file of a deck."""
    styles, scripts = loaded(page, slides)
    shown = "".join(part.markup for slide in slides for part in slide.parts)
    models = {id_: model for id_, model in page.models.items() if id_ in shown}
    up = "../" * core.short.count("/")
    body = "\n".join(map(column, columns(slides)))
    template = Template((HERE / "deck.html").read_text(encoding="utf-8"))
    text = template.substitute(
        title=escape(text_of(page.title)),
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


def index(titles: list[tuple[CorePage, str]], counts: dict[str, int]) -> str:
    """Return the page that leads to the decks, part by part."""
    parts = []
    for part, of_part in groupby(titles, key=lambda each: each[0].part):
        items = "".join(
            f'<li><a href="{core.short}.html">{escape(title)}</a> <small>{counts[core.short]} '
            f'slides · <a href="{core.short}.html?print-pdf">to print</a> · <a href="{core.short}'
            '.html?print-pdf&amp;notes">with notes</a></small></li>'
            for core, title in of_part
        )
        parts.append(f"<h2>{escape(part)}</h2>\n<ul>{items}</ul>")
    template = Template((HERE / "index.html").read_text(encoding="utf-8"))
    return template.substitute(decks="\n".join(parts))
