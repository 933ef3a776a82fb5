"""What the reader has solved, in the contents and on a page.

All of it is in the reader's browser. The build writes one classic script, because ES modules do not
load from file://: which questions each page asks, and `page.js` with the module that the
questions themselves keep their record by. Its own page has the list of pages, and the buttons.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from sphinx.application import Sphinx

from notebook_pipeline.cells import QUESTION, questions
from qlearn.course.widgets.shared.bundle import bundle
from site_builder.contents import ROOT, chapters
from site_builder.sections import title_in
from site_builder.static_files import write_static

PAGE = "book/reference/progress"
SCRIPT = "progress.js"
ENTRY = Path(__file__).with_name("page.js")
ROW = (
    '<tr data-page="{page}"><th scope="row"><a class="reference internal" href="{address}">{title}'
    "</a></th><td>{count}</td></tr>"
)
CONTROLS = """
<div class="qb-progress">
<table class="table"><thead><tr><th scope="col">page</th><th scope="col">questions</th></tr></thead>
<tbody>{rows}</tbody></table>
<noscript><p>Counting what you have solved needs JavaScript.</p></noscript>
<form hidden>
<button type="button" name="export">Save to a file</button>
<label>Read from a file <input type="file" name="import" accept="application/json,.json"></label>
<button type="button" name="erase">Erase</button>
<output aria-live="polite"></output>
</form></div>
"""


def setup(app: Sphinx) -> None:
    """Have the script written, and each page load it."""
    app.connect("builder-inited", write_script)
    app.add_js_file(SCRIPT)


def parts(app: Sphinx) -> dict[str, str]:
    """Return what stands on the page of progress, by the name of its mark."""
    return {"progress": controls(app)}


def names_of(notebook: NotebookNode) -> list[str]:
    """Return the names of the questions that a notebook asks."""
    return [stored["name"] for _, _, stored in questions(notebook)]


@cache
def asking() -> dict[str, NotebookNode]:
    """Return the pages that ask questions, in the order of the contents."""
    notebooks = {
        page: nbformat.read(ROOT / f"{page}.ipynb", as_version=4)
        for page in chapters()
        if QUESTION in (ROOT / f"{page}.ipynb").read_text(encoding="utf-8")
    }
    return {page: notebook for page, notebook in notebooks.items() if names_of(notebook)}


def script(names: Mapping[str, list[str]]) -> str:
    """Return the script of the site, which knows the questions of each page."""
    known = {"pages": names, "progress": PAGE}
    return f"{{\nglobalThis.qbQuestions = {json.dumps(known)};\n{bundle(ENTRY)}}}\n"


def write_script(app: Sphinx) -> None:
    """Write the script among the static files of a site; a text or a check of links has none."""
    if app.builder.format != "html":
        return
    names = {page: names_of(notebook) for page, notebook in asking().items()}
    write_static(app.outdir, SCRIPT, script(names))


def controls(app: Any) -> str:
    """Return the list of pages that ask questions, and what can be done with the record."""
    rows = [
        ROW.format(
            page=page,
            address=app.builder.get_relative_uri(PAGE, page),
            title=escape(title_in(notebook.cells[0].source)),
            count=len(names_of(notebook)),
        )
        for page, notebook in asking().items()
    ]
    return CONTROLS.format(rows="".join(rows)).strip()
