"""The files that a build makes, among the static files of the site."""

from __future__ import annotations

from pathlib import Path


def write_static(outdir: str | Path, name: str, text: str) -> None:
    """Write a text under its name among the static files of a site."""
    path = Path(outdir) / "_static" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
