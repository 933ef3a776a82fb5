"""The widgets of the book as their notebooks store them, and what one says of its task."""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from notebook_pipeline.outputs import WIDGET_STATE
from site_builder.widgets import BOILERPLATE

BOOK = Path(__file__).parents[3] / "book"


@cache
def entry(page: str, kind: str) -> dict[str, Any]:
    """Return what the page's notebook stores of its one widget of a class."""
    metadata = json.loads((BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))["metadata"]
    entries = metadata["widgets"][WIDGET_STATE]["state"].values()
    (found,) = (e for e in entries if e["state"].get("_anywidget_id", "").endswith(f".{kind}"))
    return dict(found)


def opening(page: str, kind: str, **other: Any) -> dict[str, Any]:
    """Return the traits with which the widget opens on its page, some of them changed."""
    stored = entry(page, kind)
    state = {
        name: value
        for name, value in stored["state"].items()
        if not name.startswith("_") and name not in BOILERPLATE
    }
    for buffer in stored.get("buffers", ()):
        (name,) = buffer["path"]
        state[name] = base64.b64decode(buffer["data"])
    return state | other


def task(drawn: str) -> tuple[bool, str]:
    """Return whether the task of a drawn widget is done, and its words."""
    found = re.search(r'<p class="qb-task" role="status"[^>]*><b>(.*?)</b> (.*?)</p>', drawn)
    assert found, "the widget has no task"
    return found[1] == "✓ Done:", found[2]
