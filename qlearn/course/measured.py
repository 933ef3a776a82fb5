"""The record of measured times: which machine took how long to run a model in which way.

``make measure`` writes ``measured.json``, a column for each machine. Speeds are ratios: the time
of the float32 model in eager mode, divided by the time of this way. Above 1 is faster.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple


class Row(NamedTuple):
    """How long one network took, quantized by one method and run in one way."""

    subject: str
    batch: int
    method: str
    how: str
    ms: float = 0.0
    speed: float = 0.0
    low: float = 0.0  # half of the rounds lay between low and high
    high: float = 0.0
    bytes: int = 0
    sqnr: float = 0.0  # of the outputs against the float model's, in dB
    ready_s: float = 0.0  # from the float model to the first result
    error: str = ""  # what a library said where this way does not run


class Column(NamedTuple):
    """What one machine made of all of them."""

    machine: str
    device: str
    instructions: tuple[str, ...]
    cores: int
    cache_mb: float
    versions: dict[str, str]
    date: str
    command: str
    rates: dict[str, float]  # GB read a second, and 10⁹ products a second of each dtype
    tokens: dict[int, float]  # ms of one float32 layer of 4,096 × 4,096, by the rows at once
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        """Say which machine, when, and by which command."""
        torch = self.versions["torch"].partition("+")[0]
        return f"{self.machine}; torch {torch}; {self.date}; {self.command}"

    def describe(self) -> str:
        """Say what the machine has, in a few lines."""
        kinds = ", ".join(self.instructions) or "none that the record names"
        cache = f", a cache of {self.cache_mb:.0f} MB" if self.cache_mb else ""
        return f"{self}\n{self.cores} cores{cache}\ninstructions: {kinds}"

    def find(self, subject: str, batch: int, method: str, how: str) -> Row:
        """Return the row of a network, its rows at once, a method and a way.

        Raises:
            KeyError: it was not measured; the message names what was.
        """
        wanted = (subject, batch, method, how)
        for row in self.rows:
            if row[:4] == wanted:
                return row
        near = [row[1:4] for row in self.rows if row.subject == subject]
        raise KeyError(f"{wanted} is not in the record of {self.machine}; of {subject}: {near}")

    def measured(
        self, subject: str, batch: int | None = None, method: str | None = None
    ) -> tuple[Row, ...]:
        """Return the rows of a network that have times, of all numbers of rows and methods."""
        ran = (row for row in self.rows if row.subject == subject and not row.error)
        ran = (row for row in ran if batch in (None, row.batch))
        return tuple(row for row in ran if method in (None, row.method))

    def best(self, subject: str, batch: int, method: str) -> Row:
        """Return the fastest way of a method.

        Raises:
            KeyError: no way of it ran.
        """
        ran = self.measured(subject, batch, method)
        if not ran:
            raise KeyError(f"{method!r} did not run for {subject!r} on {self.machine}")
        return max(ran, key=lambda row: row.speed)


class Run(NamedTuple):
    """A program that needs more than the course installs, with what it printed."""

    name: str
    source: str
    printed: str
    machine: str
    date: str
    versions: dict[str, str]

    def _repr_markdown_(self) -> str:
        """Show the program, what it printed, and where and when."""
        return (
            f"```python\n{self.source.strip()}\n```\n\n"
            f"It printed, on {self.machine}, {self.date}:\n\n```text\n{self.printed}\n```"
        )


@cache
def record() -> dict[str, Any]:
    """Return the record as it is stored."""
    text = (files("qlearn.course") / "measured.json").read_text(encoding="utf-8")
    return json.loads(text)


@cache
def columns(device: str | None = None) -> tuple[Column, ...]:
    """Return the machines' columns, of processors or graphics cards alone if so asked.

    >>> columns("cpu")[0].find("mlp", 1, "float32 again", "eager").speed > 0
    True
    """
    found = [_column(one) for one in record()["columns"]]
    return tuple(column for column in found if device in (None, column.device))


def recorded_run(name: str) -> Run:
    """Return a program with what it printed.

    Raises:
        KeyError: no program of that name was recorded.
    """
    runs = {one["name"]: one for one in record()["runs"]}
    if name not in runs:
        raise KeyError(f"no run {name!r} is recorded: there are {', '.join(runs)}")
    return Run(**runs[name])


def _column(stored: dict[str, Any]) -> Column:
    """Return a column with its rows; what only the file tells, such as minutes, stays there."""
    rows = tuple(Row(**row) for row in stored["rows"])
    kept = {name: stored[name] for name in Column._fields if name in stored}
    tokens = {int(count): ms for count, ms in stored["tokens"].items()}
    instructions = tuple(stored["instructions"])
    return Column(**kept | {"rows": rows, "tokens": tokens, "instructions": instructions})
