"""The record of measured times as tables, each with its machine, date and command below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qlearn.course import scoreboard
from qlearn.course.measured import Column
from qlearn.course.plain_table import Table, mb, number

WAYS = ("eager", "compiled", "compiled, frozen", "ONNX Runtime", "ExecuTorch")
NOT_TRIED, REFUSED = "", "error"
HEADS = dict(zip(WAYS, ("eager", "compiled", "frozen", "ONNX", "ExecuTorch"), strict=True))
ORDER = (
    "float32", "float32 again", "bfloat16", "int8 weights", "int8 weights, bfloat16",
    "int8 dynamic", "int8 dynamic, bfloat16", "int8 static", "int8 static, PT2E", "four bits",
    "int4 weights, prototype", "int4 weights", "int4 weights, tiles", "float8 weights, bfloat16",
    "float8 dynamic",
)  # fmt: skip


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


def scoreboard_times(column: Column, table: scoreboard.Table, *, unmeasured: bool = False) -> Table:
    """Return the scoreboard with milliseconds for all 360 images.

    The last column is the page that computes the row.

    Args:
        column: a machine.
        table: the scoreboard, or a part of it.
        unmeasured: keep the rows that this machine has not measured, too.
    """
    subjects = {"digits": "digits", "ViT": "vit"}
    ways = ("eager", "compiled", "compiled, frozen")
    lines = []
    for row in table.rows:
        ran = column.measured(subjects.get(row.model, ""), 360)
        times = {one.how: number(one.ms) for one in ran if one.method == row.method}
        if times or unmeasured:
            name, found = f"{row.method}, {row.model}", [times.get(way, "") for way in ways]
            lines.append((name, *row.cells()[2:5], *found, row.page))
    heads = ("", "bytes", "SQNR", "result", *(f"ms {HEADS[way]}" for way in ways), "page")
    return Table(heads, tuple(lines), str(column))


def across(machines: Sequence[Column], subject: str, batch: int) -> Table:
    """Return the fastest way of each method, a column for each machine; "error" if none ran."""
    rows = [row for column in machines for row in column.rows]
    names = in_order(row.method for row in rows if (row.subject, row.batch) == (subject, batch))
    lines = tuple((name, *(_best(one, subject, batch, name) for one in machines)) for name in names)
    return Table(("", *(one.machine for one in machines)), lines, "; ".join(map(str, machines)))


def _best(column: Column, subject: str, batch: int, method: str) -> str:
    """Return the speed of the fastest way and its name, "error", or nothing if not tried."""
    tried = [row for row in column.rows if row[:3] == (subject, batch, method)]
    ran = [row for row in tried if not row.error]
    if not ran:
        return REFUSED if tried else NOT_TRIED
    best = max(ran, key=lambda row: row.speed)
    return f"{number(best.speed)} {HEADS[best.how]}"


def refusals(column: Column) -> Table:
    """Return what libraries said where a method does not run on this machine, each once."""
    refused = (row for row in column.rows if row.error)
    once = {(row.method, row.error): row.subject for row in refused}
    lines = tuple((method, subject, error) for (method, error), subject in once.items())
    return Table(("", "for example", "what the library says"), lines, str(column))
