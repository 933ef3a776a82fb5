"""The answer key: every question and every exercise of the book, answered, on one page to print.

python -m workshop.editions.answer_key
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from string import Template

from bs4 import BeautifulSoup

from site_builder.contents import ROOT, chapters
from site_checks.site import NoSiteError, built_site
from workshop.editions.entries import Entry, Question, Worked, entries
from workshop.slides.prose import bare

HERE = Path(__file__).parent
STYLES = ("pygments.css", "katex/katex.min.css", "book.css")
IMAGES = re.compile(r'src="(?:\.\./)*_images/([^"]+)"')


def main() -> str | None:
    """Write the key; return a sentence if that was not possible."""
    target = ROOT / "_build" / "answer_key"
    try:
        questions, exercises = write_key(built_site(), target, chapters())
    except (NoSiteError, ValueError) as error:
        return str(error)
    print(f"{questions} questions and {exercises} exercises: open {target / 'index.html'}")
    return None


def write_key(site: Path, target: Path, names: Iterable[str]) -> tuple[int, int]:
    """Write the key of some pages; return how many questions and exercises it answers."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    found = {name: list(entries(site / f"{name}.html")) for name in names}
    asked = {name: those for name, those in found.items() if those}
    titles = {name: title(site / f"{name}.html") for name in asked}
    told = "\n".join(chapter(name, titles[name], asked[name]) for name in asked)
    contents = "".join(f'<li><a href="#{anchor(name)}">{titles[name]}</a></li>' for name in asked)
    copy_files(site, target, told)
    template = Template((HERE / "answer_key.html").read_text(encoding="utf-8"))
    text = template.substitute(
        styles="\n".join(f'<link rel="stylesheet" href="_static/{style}" />' for style in STYLES),
        contents=contents,
        chapters=IMAGES.sub(r'src="_images/\1"', told),
    )
    (target / "index.html").write_text(text, encoding="utf-8")
    every = [entry for those in asked.values() for entry in those]
    questions = sum(isinstance(entry, Question) for entry in every)
    return questions, len(every) - questions


def title(page: Path) -> str:
    """Return the title of a built page as markup."""
    heading = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").select_one("h1")
    return bare(heading).decode_contents() if heading else escape(page.stem)


def anchor(name: str) -> str:
    """Return the address of a page within the key."""
    return name.removeprefix("book/").replace("/", "-")


def copy_files(site: Path, target: Path, told: str) -> None:
    """Copy what the key loads from the site: styles, fonts and pictures."""
    names = [f"_static/{style}" for style in STYLES]
    names += [f"_images/{image}" for image in set(IMAGES.findall(told))]
    fonts = site / "_static" / "katex" / "fonts"
    shutil.copytree(fonts, target / "_static" / "katex" / "fonts")
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(site / name, target / name)
    shutil.copyfile(HERE / "answer_key.css", target / "_static" / "answer_key.css")


def chapter(name: str, heading: str, those: list[Entry]) -> str:
    """Return the part of the key that is about one page."""
    numbered = iter(range(1, len(those) + 1))
    parts = [
        asked(entry, next(numbered)) if isinstance(entry, Question) else exercise(entry)
        for entry in those
    ]
    return f'<section id="{anchor(name)}"><h2>{heading}</h2>{"".join(parts)}</section>'


def asked(question: Question, number: int) -> str:
    """Return a question with its answers."""
    rows = "".join(f"<tr><td>{answer}</td><td>{why}</td></tr>" for answer, why in question.known)
    rows += f"<tr><td><em>any other</em></td><td>{question.otherwise}</td></tr>"
    options = "".join(f"<li>{option}</li>" for option in question.options)
    return "".join(
        [
            f'<div class="question" data-name="{question.name}">',
            f'<p class="ask"><b>Question {number}</b> <small>{escape(question.where)}</small>',
            f"<br />{question.ask}</p>",
            f'<ul class="options">{options}</ul>' if options else "",
            f'<p class="right"><b>{question.right}</b> {question.because}</p>',
            f"<p>{question.solution}</p>" if question.solution else "",
            f"<table><tr><th>who answers</th><th>is told</th></tr>{rows}</table>",
            f"<p><b>Hint:</b> {question.hint}</p>" if question.hint else "",
            "</div>",
        ]
    )


def exercise(entry: Worked) -> str:
    """Return an exercise with its solution."""
    return "".join(
        [
            f'<div class="worked"><h3>{entry.title}</h3>{entry.task}',
            f'<div class="solved"><h4>Solution</h4>{entry.solution}</div>',
            *listed("What the check says of known mistakes", entry.mistakes),
            *listed("Its hints", entry.hints),
            "</div>",
        ]
    )


def listed(heading: str, items: list[str]) -> Iterator[str]:
    """Yield a list under a heading, unless it is empty."""
    if items:
        yield f"<h4>{heading}</h4><ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


if __name__ == "__main__":
    sys.exit(main())
