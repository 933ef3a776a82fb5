"""Tables of short texts and numbers, with a line below that says where they come from."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

LONGEST_WORD = 30


class Table(NamedTuple):
    """Lines of text cells below a line of headings; a table in a notebook and on a page."""

    heads: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    source: str

    def __repr__(self) -> str:
        """Return the table as lines of text."""
        widths = [max(map(len, cells)) for cells in zip(self.heads, *self.lines, strict=True)]
        rows = (
            "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in (self.heads, *self.lines)
        )
        return "\n".join([*rows, self.source])

    def _repr_html_(self) -> str:
        """Return the table as HTML, with a heading for each row and column."""
        first, *others = map(escape, self.heads)
        head = f'<th scope="col">{first}</th>'
        head += "".join(f'<th scope="col" class="number">{name}</th>' for name in others)
        body = "\n".join(
            f'<tr><th scope="row">{escape(name)}</th>' + "".join(map(_html_cell, cells)) + "</tr>"
            for name, *cells in self.lines
        )
        return (
            f'<table class="scoreboard">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n'
            f"</tbody></table>\n<p>{escape(self.source.replace('`', ''))}</p>"
        )


def _html_cell(text: str) -> str:
    """Return a cell; a number is set to the right, and a sentence may go on in another line."""
    if len(text) > LONGEST_WORD:
        return f'<td style="white-space: normal">{escape(text)}</td>'
    return f'<td class="number">{escape(text)}</td>'


def number(value: float) -> str:
    """Return a positive number with two digits that count, and without an exponent.

    >>> number(0.0213), number(3.94), number(127.0)
    ('0.021', '3.9', '130')
    """
    return f"{float(f'{value:.2g}'):.10f}".rstrip("0").rstrip(".")


def mb(size: int) -> str:
    """Return bytes as MB with two digits that count, or nothing for none."""
    return number(size / 1e6) if size else ""
