"""The record of measured times as tables, each with its machine, date and command below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from qlearn.course import scoreboard
from qlearn.course.measured import Column

WAYS = ("eager", "compiled", "compiled, frozen", "ONNX Runtime", "ExecuTorch")
NOT_TRIED, REFUSED = "", "error"
LONGEST_WORD = 30
HEADS = dict(zip(WAYS, ("eager", "compiled", "frozen", "ONNX", "ExecuTorch"), strict=True))
ORDER = (
    "float32", "float32 again", "bfloat16", "int8 weights", "int8 weights, bfloat16",
    "int8 dynamic", "int8 dynamic, bfloat16", "int8 static", "int8 static, PT2E", "four bits",
    "int4 weights, prototype", "int4 weights", "float8 weights", "float8 dynamic",
)  # fmt: skip


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


def speeds(column: Column, subject: str, batch: int, *, only: Sequence[str] = ()) -> Table:
    """Return one network's speeds: a line a method, a column for each way to run it.

    Empty cells were not tried; "error" stands where a library refused.

    Args:
        column: a machine.
        subject: a network, by the name that the record has for it.
        batch: the rows at once.
        only: the methods to show; none for all.

    Raises:
        ValueError: the machine measured nothing of this network with so many rows.
    """
    rows = [row for row in column.rows if (row.subject, row.batch) == (subject, batch)]
    cells = {(row.method, row.how): REFUSED if row.error else number(row.speed) for row in rows}
    if not cells:
        raise ValueError(
            f"{subject!r} with {batch} rows is not in the record of {column.machine}: there are "
            f"{sorted({(row.subject, row.batch) for row in column.rows})}"
        )
    ways = [way for way in WAYS if any(how == way for _, how in cells)]
    sizes = {row.method: row.bytes for row in reversed(rows) if row.bytes}
    methods = [name for name in in_order(method for method, _ in cells) if name in (only or [name])]
    lines = tuple(
        (method, mb(sizes.get(method, 0)), *(cells.get((method, way), NOT_TRIED) for way in ways))
        for method in methods
    )
    return Table(("", "MB", *(HEADS[way] for way in ways)), lines, str(column))


def in_order(methods: Iterable[str]) -> list[str]:
    """Return methods without repetition, in the order of the tables; new ones come last."""
    places = {name: place for place, name in enumerate(ORDER)}
    return sorted(dict.fromkeys(methods), key=lambda name: places.get(name, len(places)))


def readings(column: Column, only: Sequence[str]) -> Table:
    """Return for one token the time that reading alone takes, and that of the fastest way."""
    lines = []
    for method in in_order(only):
        best = column.best("token", 1, method)
        reading = best.bytes / column.rates["read_gb"] / 1e6
        cells = (number(best.bytes / 1e6), number(reading), number(best.ms), number(best.speed))
        lines.append((method, *cells, HEADS[best.how]))
    heads = ("", "MB", "ms predicted", "ms measured", "speed", "by")
    return Table(heads, tuple(lines), str(column))


def scoreboard_times(column: Column, table: scoreboard.Table) -> Table:
    """Return the scoreboard's rows that were measured, with milliseconds for all 360 images."""
    subjects = {"digits": "digits", "ViT": "vit"}
    ways = ("eager", "compiled", "compiled, frozen")
    lines = []
    for row in table.rows:
        ran = column.measured(subjects.get(row.model, ""), 360)
        times = {one.how: number(one.ms) for one in ran if one.method == row.method}
        if times:
            name, found = f"{row.method}, {row.model}", [times.get(way, "") for way in ways]
            lines.append((name, *row.cells()[2:5], *found))
    heads = ("", "bytes", "SQNR", "right", *(f"ms {HEADS[way]}" for way in ways))
    return Table(heads, tuple(lines), str(column))


def mb(size: int) -> str:
    """Return bytes as MB with two digits that count, or nothing for none."""
    return number(size / 1e6) if size else ""


def refusals(column: Column) -> Table:
    """Return what libraries said where a method does not run on this machine, each once."""
    refused = (row for row in column.rows if row.error)
    once = {(row.method, row.error): row.subject for row in refused}
    lines = tuple((method, subject, error) for (method, error), subject in once.items())
    return Table(("", "for example", "what the library says"), lines, str(column))
