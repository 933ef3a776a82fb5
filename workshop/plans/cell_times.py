"""How long the cells of a page take, section by section, on the machine that ran them.

``make cell-times`` writes ``cell_times.json``: :mod:`workshop.plans.time_cells`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from site_builder.sections import section, sections

RECORD = Path(__file__).with_name("cell_times.json")


@cache
def record() -> dict[str, Any]:
    """Return the record as it is stored."""
    stored: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return stored


def waiting(name: str) -> float:
    """Return the seconds of all cells from the top of a page to the end of a section.

    A section that came to the page after the run counts nothing.

    Raises:
        KeyError: the cells of the page were never timed.
    """
    wanted = section(name)
    if wanted.page not in record()["pages"]:
        raise KeyError(f"the cells of {wanted.page} have no times: run `make cell-times`")
    seconds: dict[str, float] = record()["pages"][wanted.page]
    return sum(seconds.get(slug, 0.0) for slug in down_to(wanted.page, wanted.slug))


def down_to(page: str, slug: str) -> list[str]:
    """Return the slugs of a page from its top to the end of a section, with those below it.

    >>> down_to("start/tonight", "numbers-codes-and-back")
    ['', 'why-fewer-bits', 'numbers-codes-and-back']
    """
    found, slugs = sections(page), list(sections(page))
    end = slugs.index(slug) + 1
    while end < len(slugs) and found[slugs[end]].level > found[slug].level:
        end += 1
    return slugs[:end]
