"""Words and tables of a still picture: each a piece of SVG, as wide and high as it needs."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

LINE, LETTER = 16, 6.4  # pixels: from line to line, and the width of a letter
WIDE = 7.3  # of one in bold
BETWEEN = 14  # pixels between two columns of a table
LOOKS = {
    "": "",
    "below": "",
    "strong": ' font-weight="600"',
    "title": ' font-weight="600"',
    "code": ' font-family="monospace" xml:space="preserve"',
}
RIGHT = ' text-anchor="end"'


class Piece(NamedTuple):
    """A part of a still picture, drawn from its own upper left corner on."""

    svg: str
    width: float
    height: float

    def at(self, left: float, top: float) -> str:
        """Return the piece at its place in the whole."""
        return f'<g transform="translate({left:g} {top:g})">{self.svg}</g>' if self.svg else ""


def written(words: str, x: float, y: float, rest: str = "") -> str:
    """Return one line of text that begins at ``x``, unless ``rest`` says otherwise."""
    return f'<text x="{x:g}" y="{y:g}"{rest}>{html.escape(words, quote=False)}</text>'


def lines(words: str, width: float, look: str = "") -> Piece:
    """Return the words in as many lines as the width asks for; code stays as it is.

    >>> lines("one two", 30).height
    32
    """
    found = words.split("\n")
    if look != "code":
        most = max(1, int(width / (WIDE if LOOKS[look] else LETTER)))
        found = [part for line in found for part in textwrap.wrap(line, most)]
    drawn = (written(each, 0, LINE * i + 12, LOOKS[look]) for i, each in enumerate(found) if each)
    return Piece("".join(drawn), width, LINE * len(found))


def table(rows: Sequence[Sequence[str]], *, numbers: bool) -> Piece:
    """Return a table with its heads in bold; ``numbers`` end below each other.

    >>> table([["x", "1"], ["row 1", "0.5"]], numbers=True)[1:]
    (79.2, 36)
    """
    cells = [[cell.strip().split("\n") for cell in row] for row in rows]
    columns = list(zip(*cells, strict=True))
    widths = [LETTER * max(len(x) for cell in each for x in cell) + BETWEEN for each in columns]
    drawn, top = [], 0
    for row in cells:
        look = LOOKS["strong"] if top == 0 else ""
        for j, cell in enumerate(row):
            right = numbers and j > 0
            x = sum(widths[: j + 1]) - BETWEEN if right else sum(widths[:j])
            rest = look + (RIGHT if right else "")
            drawn += [written(each, x, top + LINE * i + 12, rest) for i, each in enumerate(cell)]
        top += LINE * max(map(len, row)) + 2
    return Piece("".join(drawn), round(sum(widths), 1), top)


def in_cells(cells: Sequence[dict[str, object]], columns: int, width: float, height: float) -> str:
    """Return the words of each cell of a grid over a picture of that size, a frame around one."""
    across, down = width / columns, height / -(-len(cells) // columns)
    drawn = []
    for i, cell in enumerate(cells):
        found = str(cell["words"]).split("\n")
        x, y = across * (i % columns), down * (i // columns)
        first = y + down / 2 + 4 - 6 * (len(found) - 1)
        drawn += [written(each, x + across / 2, first + 12 * k) for k, each in enumerate(found)]
        if cell["checked"]:
            size = f'width="{across:g}" height="{down:g}"'
            drawn.append(
                f'<rect x="{x:g}" y="{y:g}" {size} fill="none" stroke="currentColor" '
                'stroke-width="2"/>'
            )
    return f'<g text-anchor="middle" font-size="10">{"".join(drawn)}</g>'
