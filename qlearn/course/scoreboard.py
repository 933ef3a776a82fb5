"""One table from the first chapter to the last: what each method made of a model.

A page computes the numbers of a row and calls :func:`row`, which compares them with
``scoreboard.json`` and raises where they differ; :func:`table` shows the rows so far. The rows
stand in that file in the order of the course.
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from qlearn.course.plain_table import as_html, as_text
from qlearn.course.steady import steady

MARGIN = 1e-4  # of decibels and bits, by which machines may differ
BYTES = 256  # by which files may differ: Python 3.11.2 pickles an enum in more words than 3.11.7
HEADS = ("method", "model", "bytes", "SQNR", "result", "page")
NUMBERS = (2, 3, 4)  # the columns that are set to the right


class Row(NamedTuple):
    """What a method made of a model; ``str(row)`` is the line that a page prints."""

    method: str
    model: str
    bytes: int  # of the file that torch.save makes of the state_dict
    sqnr: float | None  # of the outputs, in dB with one decimal; None where nothing was lost
    right: int | None  # of 360 test images
    page: str
    within: float = 0.0  # dB or bits by which machines differ, where last bits of floats pick codes
    bits: float | None = None  # for each byte of held-out text, of a language model

    def cells(self) -> tuple[str, ...]:
        """Return the row in print, a text for each of the columns.

        >>> Row("int8 weights", "digits", 18547, 52.1, 348, "tonight").cells()
        ('int8 weights', 'digits', '18,547', '52.1 dB', '348 right', 'tonight')
        """
        if self.bits is not None:
            sqnr, result = "", f"{'≈ ' if self.within else ''}{self.bits:.3f} bits a byte"
        else:
            sqnr = "exact" if self.sqnr is None else f"{self.sqnr:.1f} dB"
            result = f"{self.right} right"
        if self.sqnr is not None and self.within:
            sqnr = f"≈ {self.sqnr:.0f} dB"
        return self.method, self.model, f"{self.bytes:,}", sqnr, result, self.page

    def __str__(self) -> str:
        """Say the row in one line."""
        method, model, size, sqnr, result, _ = self.cells()
        return f"{model:7} {method:18} {size:>9} bytes {sqnr:>8}  {result}"


class Table(NamedTuple):
    """The rows so far: a table in a notebook and on a page, lines of text elsewhere."""

    rows: tuple[Row, ...]

    def __repr__(self) -> str:
        """Return the table as lines of text."""
        return as_text(HEADS, [row.cells() for row in self.rows], NUMBERS)

    def _repr_html_(self) -> str:
        """Return the table as HTML, with a heading for each row and column."""
        return as_html(HEADS, [row.cells() for row in self.rows], NUMBERS)


def row(
    method: str,
    model: str,
    *,
    bytes: int,
    sqnr: float | None = None,
    right: int | None = None,
    bits: float | None = None,
    page: str,
) -> Row:
    """Return the stored row of this method and model, once the numbers are found to be its.

    Args:
        method: what was done, for example "int8 weights".
        model: of which model, for example "digits".
        bytes: the size of its file, as :func:`qlearn.course.file_bytes` returns it. Python's
            versions write a little more or less around the numbers.
        sqnr: of its outputs against the float model's, in dB; infinite where nothing was lost.
        right: how many of the 360 test images it reads right.
        bits: of a language model instead of these two, its bits for each byte of held-out text.
        page: the chapter that computes the row, by the name of its file.

    Raises:
        LookupError: there is no such row in scoreboard.json; the message holds one to put there.
        ValueError: a number differs from the stored one, or the decibels lie so close to the
            boundary between two tenths that another machine may print the other.
    """
    stored = next((r for r in stored_rows() if r[:2] == (method, model)), None)
    decibels = _in_print(sqnr, stored)
    if stored and abs(bytes - stored.bytes) <= BYTES:
        bytes = stored.bytes
    within = stored.within if stored else 0.0
    found = Row(method, model, bytes, decibels, right, page, within, _bits_in_print(bits, stored))
    if stored is None:
        line = json.dumps(found._asdict(), ensure_ascii=False)
        raise LookupError(f"scoreboard.json has no row {method!r} of {model!r}: add {line}")
    differ = [
        f"{name} {stored_value} and here {value}"
        for name, stored_value, value in zip(Row._fields, stored, found, strict=True)
        if stored_value != value
    ]
    if differ:
        raise ValueError(
            f"the row {method!r} of {model!r} in scoreboard.json has {', '.join(differ)}: if the "
            "model or the method was changed on purpose, change the row"
        )
    return stored


def _in_print(sqnr: float | None, stored: Row | None) -> float | None:
    """Return decibels with one decimal; the stored ones, where machines differ by as much."""
    if sqnr is None or math.isinf(sqnr):
        return None
    if stored and stored.sqnr is not None and abs(sqnr - stored.sqnr) <= stored.within:
        return stored.sqnr
    return float(steady(sqnr, ".1f", margin=MARGIN))


def _bits_in_print(bits: float | None, stored: Row | None) -> float | None:
    """Return bits with three decimals; the stored ones, where machines differ by as much."""
    if bits is None:
        return None
    if stored and stored.bits is not None and abs(bits - stored.bits) <= stored.within:
        return stored.bits
    return float(steady(bits, ".3f", margin=MARGIN))


def table(upto: str | None = None) -> Table:
    """Return the rows of all pages up to this one, in the order of the course; None for all.

    Raises:
        ValueError: no row is of this page.

    >>> table(upto="tonight").rows[0].method
    'float32'
    """
    rows = stored_rows()
    if upto is None:
        return Table(rows)
    places = [place for place, row in enumerate(rows) if row.page == upto]
    if not places:
        pages = ", ".join(dict.fromkeys(row.page for row in rows))
        raise ValueError(f"no row is of the page {upto!r}: pages with rows are {pages}")
    return Table(rows[: places[-1] + 1])


@cache
def stored_rows() -> tuple[Row, ...]:
    """Return the rows of scoreboard.json."""
    text = (files("qlearn.course") / "scoreboard.json").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(text)
    return tuple(Row(**row) for row in rows)
