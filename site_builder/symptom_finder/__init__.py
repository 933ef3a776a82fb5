"""A field on the page of symptoms: paste a message, or say what happens, and see what fits best.

The script reads the entries from the page itself, so nothing has to be kept in step. What people
call a symptom, where its entry says it otherwise, stands in `words.js`. Without scripts there is no
field, and the list is all that it was.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from qlearn.course.widgets.shared.bundle import bundle
from site_builder.static_files import write_static

PAGE = "book/reference/symptoms"
SCRIPT = "symptom_finder.js"
ENTRY = Path(__file__).with_name("page.js")
FIELD = """
<form class="qb-finder" role="search" hidden>
<label for="qb-symptom">Paste the message, or say what happens</label>
<textarea id="qb-symptom" rows="3" spellcheck="false" aria-describedby="qb-stays"></textarea>
<small id="qb-stays">It stays in your browser, unless you search the book for it.</small>
<output for="qb-symptom"></output>
<ol></ol>
</form>
"""


def setup(app: Sphinx) -> None:
    """Have the page load its script."""
    app.connect("html-page-context", load_script)


def parts(_: Sphinx) -> dict[str, str]:
    """Return what stands on the page of symptoms, by the name of its mark."""
    return {"symptom finder": FIELD.strip()}


def script() -> str:
    """Return the script as one: ES modules do not load from file://."""
    return f"{{\n{bundle(ENTRY)}}}\n"


def load_script(app: Sphinx, page: str, *_: Any) -> None:
    """Write the script, and have the page of symptoms, and no other, load it."""
    if page == PAGE:
        write_static(app.outdir, SCRIPT, script())
        app.add_js_file(SCRIPT)
