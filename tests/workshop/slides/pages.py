"""Small pages, as the site's build writes them, to make slides of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NAME = "book/part/page"
HOST = '<div class="qb-widget-host" data-model="{}"></div>'


def cell(code: str = "", printed: str = "", result: str = "", tags: str = "") -> str:
    """Return a cell with code, with what it printed, and with another output."""
    shown = f'<div class="cell_input"><div class="highlight"><pre>{code}</pre></div></div>'
    stream = f'<div class="output stream"><div class="highlight"><pre>{printed}</pre></div></div>'
    return (
        f'<div class="cell {tags}">{shown if code else ""}<div class="cell_output">'
        f"{stream if printed else ''}{result}</div></div>"
    )


def section(name: str, *content: str, level: int = 2) -> str:
    """Return a section with its heading."""
    heading = f'<h{level}>{name.title()}<a class="headerlink" href="#">#</a></h{level}>'
    return f'<section id="{name}">{heading}{"".join(content)}</section>'


def write_page(site: Path, *content: str, models: dict[str, Any] | None = None) -> Path:
    """Write a page with these blocks below its title; return the site."""
    state = json.dumps(models or {})
    path = site / f"{NAME}.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"<html><head></head><body><article>{section('title', *content, level=1)}"
        f'<script type="application/json" id="qb-widget-models">{state}</script>'
        "</article></body></html>",
        encoding="utf-8",
    )
    return site
