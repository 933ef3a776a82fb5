"""The record of what other programs made of the decision guide's configs.

``make guide-runs`` installs the programs in places of their own, runs each config as it stands in
the guide, and writes ``guide_runs.json``.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from qlearn.course.decisions import LEAVES
from qlearn.course.leaf_trials import cost
from qlearn.course.plain_table import Table

COMMAND = "make guide-runs"


class GuideRun(NamedTuple):
    """What a program made of a leaf's config; the record keeps the config that ran."""

    leaf: str
    config: str
    model: str
    size: int  # bytes of the quantized file
    whole: int  # bytes of the float32 model's file in the same format
    sqnr: float  # of the outputs against the float model's, in dB
    said: str  # what the program said that a reader should see
    program: str
    version: str
    machine: str
    date: str

    @property
    def cost(self) -> tuple[str, str]:
        """What is left of the file's bytes, and the SQNR, both rounded."""
        return cost(self.size / self.whole, self.sqnr)

    def __str__(self) -> str:
        """Say it in one line."""
        left, decibels = self.cost
        return f"{left}, {decibels}  {LEAVES[self.leaf].method}"


@cache
def runs() -> tuple[GuideRun, ...]:
    """Return the runs of the guide's leaves, in its order.

    >>> print(runs()[0].leaf)
    gguf_8
    """
    text = (files("qlearn.course") / "guide_runs.json").read_text(encoding="utf-8")
    stored = {one["leaf"]: GuideRun(**one) for one in json.loads(text)["runs"]}
    return tuple(stored[name] for name in LEAVES if name in stored)


def guide_run(name: str) -> GuideRun:
    """Return the run of a leaf.

    Raises:
        KeyError: none is recorded.
    """
    for run in runs():
        if run.leaf == name:
            return run
    raise KeyError(f"no run of {name!r} is recorded: {COMMAND} records one")


def table() -> Table:
    """Return all runs as a table, with the programs, machines and dates below."""
    lines = tuple(
        (LEAVES[run.leaf].method, *run.cost, f"{_kb(run.size)} of {_kb(run.whole)}", run.model)
        for run in runs()
    )
    programs = dict.fromkeys(f"{run.program} {run.version}" for run in runs())
    places = dict.fromkeys(f"{run.machine}; {run.date}" for run in runs())
    heads = ("", "left", "SQNR", "file, kB", "model")
    return Table(heads, lines, "; ".join([", ".join(programs), *places, COMMAND]))


def _kb(size: int) -> str:
    return f"{size / 1000:,.0f}"
