"""Figures that take too long for a cell: measured once by a program, and checked again in part."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def recorded(name: str) -> Any:
    """Return what ``data_makers/measure_<name>.py`` has written.

    Raises:
        LookupError: there is no such file.
    """
    path = files("qlearn.course.language") / f"data/{name}.json"
    if not path.is_file():
        raise LookupError(
            f"nothing is recorded as {name}.json: run python -m data_makers.measure_{name}"
        )
    return json.loads(path.read_text(encoding="utf-8"))


def confirm(found: float, stored: float, *, within: float) -> None:
    """Raise unless a recorded figure is found again on this machine.

    Args:
        found: what was computed just now.
        stored: what stands in the record.
        within: how far machines may be apart.

    Raises:
        ValueError: they differ by more.

    >>> confirm(1.40012, 1.4001, within=1e-4)
    """
    if not abs(found - stored) <= within:
        raise ValueError(
            f"here it is {found:.6g}, and recorded is {stored:.6g}, more than {within:g} apart: "
            "if model or method were changed on purpose, run the program that measures it"
        )
