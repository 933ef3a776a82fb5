"""The vendored files of reveal.js are those that npm has."""

from __future__ import annotations

import pytest

from workshop.slides.deck import HERE

FILES = {
    "reveal.js": "dist/reveal.js",
    "reveal.css": "dist/reveal.css",
    "notes.js": "plugin/notes/notes.js",
    "zoom.js": "plugin/zoom/zoom.js",
    "reveal.LICENSE": "LICENSE",
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_the_published_one(name: str) -> None:
    from site_checks.npm import installed

    theirs = installed(f"reveal.js/{FILES[name]}")
    assert (HERE / "reveal" / name).read_bytes() == theirs.read_bytes()


def test_nothing_else_is_vendored() -> None:
    assert {path.name for path in (HERE / "reveal").iterdir()} == set(FILES)
