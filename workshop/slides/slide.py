"""What a slide is: a heading, parts one below the other, and what the speaker says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import ceil

from bs4 import Tag

from workshop.slides.page import NoSlideError
from workshop.slides.prose import bare, inner, text_of

# The stage is 1280 × 720. The last row must read it: nothing is set smaller than this, in pixels.
PROSE_PX, CODE_PX, TABLE_PX = 24, 18, 20
WIDTH = 1184  # between the margins
ROOM = 536  # below a heading of one line, less a little for fonts that run wide
HEADING_LINE, HEADING_LETTERS = 44, 52
LETTER, CODE_LETTER = 0.57, 0.605  # of the type's size: how wide a letter is, in wide fonts
LEADING, CODE_LEADING = 1.35, 1.3
GAP = 16  # between two parts
CODE_FRAME = 28  # its padding
FORMULA_HEIGHT = 130
PICTURE_HEIGHT, LEGIBLE = 380, 1.25  # of a picture that does not say; and how much larger it is set
BULLET = 34  # how far a list is set in


@dataclass(frozen=True)
class Part:
    """A part of a slide: what it is, its markup, and how high it is at the smallest type."""

    role: str
    markup: str
    height: float


@dataclass
class Slide:
    """A slide; where messages and tests find what it shows."""

    heading: str
    above: str
    where: str
    parts: list[Part] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    begins: bool = False  # a column of slides in the overview
    kind: str = "text"

    @property
    def room(self) -> float:
        """How high its parts may be, one below the other."""
        lines = ceil(len(text_of(self.heading)) / HEADING_LETTERS)
        return ROOM - HEADING_LINE * (lines - 1)

    @property
    def height(self) -> float:
        """How high they are at the smallest type; what takes the rest of the room counts as 0."""
        return sum(part.height + GAP for part in self.parts)

    def has_room_for(self, *more: Part) -> bool:
        """Tell whether one part more fits, or several."""
        return self.height + sum(part.height + GAP for part in more) <= self.room


def prose(role: str, markup: str) -> Part:
    """Return a sentence or several in one paragraph."""
    return Part(role, f'<p class="{role}">{markup}</p>', text_height(markup))


def bullets(items: list[str], fragment: str = "") -> Part:
    """Return a list of sentences."""
    height = sum(text_height(item, WIDTH - BULLET) + 10 for item in items)
    marked = "".join(f'<li class="{fragment}">{item}</li>' for item in items)
    return Part("bullets", f'<ul class="points">{marked}</ul>', height)


def footnotes(element: Tag) -> Part:
    """Return a paragraph or a list below a table, in the table's type."""
    items = element.find_all("li", recursive=False) or [element]
    height = sum(text_height(inner(item), WIDTH - BULLET, TABLE_PX) for item in items)
    element["class"] = "footnotes"
    return Part("footnotes", str(element), height)


def text_height(markup: str, width: float = WIDTH, size: float = PROSE_PX) -> float:
    """Return how high a text is at the smallest type; a fraction in it stands higher."""
    letters = len(text_of(markup)) * LETTER * size
    fractions = 12 if "mfrac" in markup else 0
    return ceil(letters / width) * (LEADING * size + fractions)


def code(role: str, pre: str, where: str, fragment: str = "") -> Part:
    """Return code or what it printed, of which no line is broken.

    Raises:
        NoSlideError: a line is wider than a slide at the smallest type.
    """
    lines = pre.strip("\n").split("\n")
    columns = int((WIDTH - 2 * GAP) / (CODE_LETTER * CODE_PX))
    for line in lines:
        if len(text := text_of_code(line)) > columns:
            raise NoSlideError(
                f"{where}: a line of {len(text)} letters is wider than a slide, which has "
                f"{columns}: {text[:60]!r}… Break the line, or give the cell the slide type `skip`."
            )
    height = len(lines) * CODE_LEADING * CODE_PX + CODE_FRAME
    markup = f'<div class="highlight {role} {fragment}"><pre>{pre}</pre></div>'
    return Part(role, markup, height)


def filling(markup: str, height: float = 0) -> Part:
    """Return what takes the room that is left: a picture, a widget or a question."""
    return Part("fill", f'<div class="fill"><div>{markup}</div></div>', height)


def picture_height(element: Tag) -> float:
    """Return how much room a picture needs so that what is written in it can be read."""
    drawings = [svg.get("height") for svg in element.select(".qb-drawing > svg")]
    heights = [float(str(height)) for height in drawings if str(height).isdecimal()]
    return (sum(heights) or PICTURE_HEIGHT / LEGIBLE) * LEGIBLE


def formula(element: Tag) -> Part:
    """Return a formula with its number."""
    return Part("formula", f'<div class="formula">{bare(element)}</div>', FORMULA_HEIGHT)


def text_of_code(line: str) -> str:
    """Return the letters of a line of code.

    >>> text_of_code('<span class="k">if</span> a &lt; b')
    'if a < b'
    """
    text = re.sub(r"<[^>]*>", "", line)
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def pre_of(element: Tag) -> str:
    """Return the markup of the lines of code in an element."""
    pre = element.select_one("pre")
    assert pre is not None, "a block of code has its lines in a pre"
    return pre.decode_contents().strip("\n")
