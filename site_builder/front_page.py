"""The numbers on the first page: of the course, and of the ways through it.

The minutes of a way are counted from its pages.
"""

from __future__ import annotations

from collections.abc import Sequence

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from machines.record import load as load_machines
from proofs.collection import all_proofs
from proofs.record import load as load_proofs
from site_builder.reading_time import content_of
from site_builder.sections import file_of
from site_builder.ways import ways


def parts(_: Sphinx | None = None) -> dict[str, str]:
    """Return what the first page says of the course, counted."""
    rows, proofs, machines = load_proofs(), all_proofs(), load_machines()
    run = [rows[name] for name in proofs if name in rows]
    once = next((row for row in machines if row["name"] == "as it is"), None)
    if once is None:
        raise ExtensionError(
            "machines/record.json has no row 'as it is': `make elsewhere` makes it"
        )
    return {
        **{key: spoken(minutes(way.pages)) for key, way in ways().items()},
        "functions": str(len({proof.of for proof in proofs.values()})),
        "cases": f"{sum(row.cases for row in run):,}",
        "values": f"{sum(row.values for row in run) / 1e6:,.0f} million",
        "settings": str(len(machines)),
        "cells": str(once["same"] + once["marked"] + once["red"]),
    }


def minutes(pages: Sequence[str]) -> int:
    """Return how long it takes to read these pages of the book."""
    return sum(content_of(file_of(page)).minutes for page in pages)


def spoken(minutes: int) -> str:
    """Return minutes as a person would say them.

    >>> spoken(25), spoken(64), spoken(180), spoken(268)
    ('25 minutes', '1 hour', '3 hours', '4½ hours')
    """
    halves = round(minutes / 30)
    if minutes < 55:
        return f"{minutes} minutes"
    whole, half = divmod(halves, 2)
    return f"{whole}{'½' if half else ''} hour{'s' if halves > 2 else ''}"
