"""Tables of short texts and numbers, with a line below that says where they come from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from typing import NamedTuple

LONGEST_WORD = 30
Line = tuple[str, ...]


class Table(NamedTuple):
    """Lines of text cells below a line of headings; a table in a notebook and on a page."""

    heads: Line
    lines: tuple[Line, ...]
    source: str

    def __repr__(self) -> str:
        """Return the table as lines of text."""
        return f"{as_text(self.heads, self.lines, self._right)}\n{self.source}"

    def _repr_html_(self) -> str:
        """Return the table as HTML, with a heading for each row and column."""
        source = escape(self.source.replace("`", ""))
        return f"{as_html(self.heads, self.lines, self._right)}\n<p>{source}</p>"

    @property
    def _right(self) -> range:
        """All columns but the first, which are set to the right."""
        return range(1, len(self.heads))


def as_text(heads: Line, lines: Sequence[Line], right: Collection[int]) -> str:
    """Return a table as lines of text, some columns set to the right.

    >>> print(as_text(("", "MB"), [("float32", "12"), ("int8", "3.2")], {1}))
              MB
    float32   12
    int8     3.2
    """
    widths = [max(map(len, column)) for column in zip(heads, *lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in (heads, *lines)
    )


def as_html(heads: Line, lines: Sequence[Line], right: Collection[int]) -> str:
    """Return a table as HTML; the first cell of a line is its heading."""
    kinds = [' class="number"' if i in right else "" for i in range(len(heads))]
    head = "".join(
        f'<th scope="col"{kind}>{escape(name)}</th>'
        for kind, name in zip(kinds, heads, strict=True)
    )
    body = "\n".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(_html_cell(cell, kind) for cell, kind in zip(cells, kinds[1:], strict=True))
        + "</tr>"
        for name, *cells in lines
    )
    return (
        f'<table class="scoreboard">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n'
        "</tbody></table>"
    )


def _html_cell(text: str, kind: str) -> str:
    """Return a cell; a sentence may go on in another line."""
    if len(text) > LONGEST_WORD:
        kind = ' style="white-space: normal"'
    return f"<td{kind}>{escape(text)}</td>"


def number(value: float) -> str:
    """Return a positive number with two digits that count, and without an exponent.

    >>> number(0.0213), number(3.94), number(127.0)
    ('0.021', '3.9', '130')
    """
    return f"{float(f'{value:.2g}'):.10f}".rstrip("0").rstrip(".")


def mb(size: int) -> str:
    """Return bytes as MB with two digits that count, or nothing for none."""
    return number(size / 1e6) if size else ""
