"""A page of widgets alone, as the site's builder makes it, but without its theme."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import anywidget
from ipywidgets.widgets.widget import _remove_buffers
from playwright.sync_api import Browser, Page

from site_builder import widgets as builder

HOST = Path(builder.__file__).parent / "static" / "host.js"
DRAWN = "() => !document.querySelector('.qb-widget-host:not([data-drawn])')"
DARK = "() => { document.documentElement.dataset.theme = 'dark'; }"
WIDE_LETTERS = """* { letter-spacing: 0.12em !important; line-height: 1.5 !important;
word-spacing: 0.16em !important; }"""  # a style, as in WCAG 1.4.12
Open = Callable[..., Page]
STYLE = """
:root, [data-theme="light"] { color-scheme: light; }
[data-theme="dark"] { color-scheme: dark; }
[data-theme="dark"] body { background: #121212; color: #ced6dd; }
body { font: 1rem/1.5 sans-serif; margin: 2rem auto; max-width: 44rem; padding: 0 1rem; }
.qb-widget-host { margin: 0 -4px; }
"""


@contextmanager
def opener(browser: Browser, height: int = 900) -> Iterator[Open]:
    """Yield a function that opens an address, taken over unless JavaScript is off."""
    with ExitStack() as contexts:

        def open_page(address: str, width: int = 1280, **options: object) -> Page:
            size = {"width": width, "height": height}
            context = contexts.enter_context(browser.new_context(viewport=size, **options))
            page = context.new_page()
            page.goto(address)
            if options.get("java_script_enabled", True):
                page.wait_for_function(DRAWN)
            return page

        yield open_page


def write_page(folder: Path, *shown: anywidget.AnyWidget) -> str:
    """Write the page of these widgets, and return its address."""
    return write_entries(folder, {f"model{i}": entry(widget) for i, widget in enumerate(shown)})


def write_entries(folder: Path, entries: dict[str, dict]) -> str:
    """Write the page of these widgets as a notebook stores them, and return its address."""
    models, classes = builder.split_state({"state": entries})
    head, markup = "", builder.drawn(models, classes)
    for kind in classes:
        builder.write_files(folder, kind)
        head += f'<script defer src="_static/widgets/{kind.key}.js"></script>'
        if kind.entry:
            head += f'<link rel="stylesheet" href="_static/widgets/{kind.key}.css">'
    hosts = "".join(
        builder.HOST.format(model=model, content=markup.get(model, builder.NOT_DRAWN))
        for model in models
    )
    shutil.copy(HOST, folder)
    (folder / "index.html").write_text(
        f'<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Widgets</title><style>{STYLE}</style>{head}</head><body><main><h1>Widgets</h1>"
        f"{hosts}{builder.embedded(models)}</main>"
        '<script defer src="host.js"></script></body></html>',
        encoding="utf-8",
    )
    return (folder / "index.html").as_uri()


def entry(widget: anywidget.AnyWidget) -> dict:
    """Return what a notebook stores of the widget."""
    state = {key: value for key, value in widget.get_state().items() if key not in ("_esm", "_css")}
    state, paths, buffers = _remove_buffers(state)
    state = json.loads(json.dumps(state, default=str))
    encoded = [base64.b64encode(buffer).decode() for buffer in buffers]
    return {
        "state": state,
        "buffers": [{"path": p, "data": d} for p, d in zip(paths, encoded, strict=True)],
    }


def assert_in_sight(
    page: Page, selector: str, style: str, cut: str, *, words: int, wider: int
) -> None:
    """Assert that a script finds none of more than so many words cut in a style.

    With letters much too wide it has to find more than the number of ``wider``.
    """
    page.add_style_tag(content=style)
    found = page.locator(selector)
    assert found.count() > words
    assert found.evaluate_all(cut) == []
    page.add_style_tag(content=f"{selector} {{ letter-spacing: 1em !important }}")
    assert len(found.evaluate_all(cut)) > wider
