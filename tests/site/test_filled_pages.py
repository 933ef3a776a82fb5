"""Pages whose marks are filled in: no mark stays, and nothing is told that no page asks for."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from sphinx.errors import ExtensionError

from site_builder import filled_pages
from site_builder.filled_pages import FILLED, MARK, fill_in, filled, parts_of

ROOT = Path(__file__).parents[2]
APP = SimpleNamespace(
    srcdir=ROOT, builder=SimpleNamespace(get_relative_uri=lambda page, other: f"{other}.html")
)


def source_of(page: str) -> str:
    found = [ROOT / f"{page}{suffix}" for suffix in (".md", ".ipynb")]
    (path,) = [path for path in found if path.is_file()]
    return path.read_text(encoding="utf-8")


def marks(text: str) -> list[str]:
    return [mark[1] or mark[2] for mark in MARK.finditer(text)]


@pytest.mark.parametrize("page", FILLED)
def test_no_mark_of_a_page_stays(page: str) -> None:
    source = source_of(page)
    assert marks(source)
    text = filled(source, parts_of(APP, page), page)
    assert not marks(text) and len(text) > len(source) - 20 * len(marks(source))


def test_a_mark_that_nothing_fills_stops_the_build() -> None:
    with pytest.raises(ExtensionError, match="page says {{ wishes }}, and knows only: a table"):
        filled("{{ wishes }}", {"a table": ""}, "page")
    with pytest.raises(ExtensionError, match="says <!-- table of wishes -->"):
        filled("<!-- table of wishes -->", {}, "page")


def test_a_text_that_no_mark_asks_for_stops_the_build() -> None:
    with pytest.raises(ExtensionError, match="page has no mark for: a table, cells"):
        filled("{{ more }}", {"more": "1", "cells": "7", "a table": ""}, "page")


def test_pages_without_parts_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FILLED, "book/mine", (lambda app: {"cells": "7"},))
    source = ["{{ cells }}"]
    fill_in(APP, "book/other", source)
    assert source == ["{{ cells }}"]
    fill_in(APP, "book/mine", source)
    assert source == ["7"]
    assert filled_pages.parts_of(APP, "book/mine") == {"cells": "7"}
