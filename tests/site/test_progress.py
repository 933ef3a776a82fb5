"""The site's script of progress: which questions it knows, and what a page of it shows and does."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat import NotebookNode
from playwright.sync_api import Browser, Page, expect

from notebook_pipeline.cells import QUESTION
from notebook_pipeline.outputs import WIDGET_STATE, WIDGET_VIEW, outputs
from site_builder import progress
from site_builder.contents import pages
from site_builder.progress import (
    CONTROLS,
    ROW,
    asking,
    controls,
    names_of,
    script,
    write_script,
)

KEY = "quantization-bit-by-bit"
COURSE = "Quantization, Bit by Bit"
NAMES = {"book/one": ["a", "b"], "book/two": ["c"]}
SITE = """<!doctype html><html lang="en" data-content_root="./">
<meta charset="utf-8"><title>Page</title>
<div class="bd-sidebar-primary"><nav class="bd-links">
<a href="book/one.html">One</a> <a href="book/two.html">Two</a></nav></div>
{controls}<script src="progress.js"></script></html>"""
Open = Callable[..., Page]


def names_in_the_text(notebook: NotebookNode) -> list[str]:
    """Return the names of the questions as a notebook's outputs have them in plain text."""
    texts = [output.data["text/plain"] for output in outputs(notebook, "text/plain")]
    found = [re.match(r"Question ([a-z0-9-]+): ", text) for text in texts]
    return [each[1] for each in found if each]


def test_the_script_knows_the_questions_of_the_book() -> None:
    known = {page: names_of(notebook) for page, notebook in asking().items()}
    texts = {page: names_in_the_text(notebook) for page, notebook in asking().items()}
    assert known == texts and "book/numbers/scale_and_zero_point" in known
    assert known.keys() <= set(pages())


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Give the site one chapter, whose question is no text; return which notebooks are read."""
    model = {"state": {"_anywidget_id": QUESTION, "name": "a"}}
    output = nbformat.v4.new_output("display_data", {WIDGET_VIEW: {"model_id": "1"}})
    cells = [
        nbformat.v4.new_markdown_cell("# One"),
        nbformat.v4.new_code_cell("ask()", outputs=[output]),
    ]
    widgets = {WIDGET_STATE: {"state": {"1": model}}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"widgets": widgets})
    nbformat.write(notebook, tmp_path / "one.ipynb")
    read, readings = nbformat.read, []
    monkeypatch.setattr(progress, "ROOT", tmp_path)
    monkeypatch.setattr(progress, "chapters", lambda: ["one"])
    monkeypatch.setattr(
        nbformat, "read", lambda path, **k: readings.append(path) or read(path, **k)
    )
    asking.cache_clear()
    yield readings
    asking.cache_clear()


def test_a_build_reads_each_notebook_once(book: list[Path], tmp_path: Path) -> None:
    builder = SimpleNamespace(format="html", get_relative_uri=lambda _, page: f"{page}.html")
    app = SimpleNamespace(builder=builder, outdir=tmp_path)
    write_script(app)
    assert '"pages": {"one": ["a"]}' in (tmp_path / "_static/progress.js").read_text("utf-8")
    assert 'href="one.html">One</a></th><td>1</td>' in controls(app)
    assert book == [tmp_path / "one.ipynb"]


def test_only_a_site_gets_the_script(book: list[Path], tmp_path: Path) -> None:
    write_script(SimpleNamespace(builder=SimpleNamespace(format="text"), outdir=tmp_path))
    assert not (tmp_path / "_static").exists() and book == []


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Return a function that opens a page of progress, with this record in the storage."""
    rows = [ROW.format(page=p, address=f"{p}.html", title=p, count=len(NAMES[p])) for p in NAMES]
    controls = CONTROLS.format(rows="".join(rows))
    (tmp_path / "index.html").write_text(SITE.format(controls=controls), encoding="utf-8")
    (tmp_path / "progress.js").write_text(script(NAMES), encoding="utf-8")
    context = browser.new_context()

    def open_page(*solved: str) -> Page:
        page = context.new_page()
        page.goto((tmp_path / "index.html").as_uri())
        record = json.dumps({"solved": solved})
        page.evaluate("([key, record]) => { localStorage[key] = record }", [KEY, record])
        page.reload()
        return page

    yield open_page
    context.close()


def file_of(text: str) -> dict[str, object]:
    return {"name": "mine.json", "mimeType": "application/json", "buffer": text.encode()}


def test_ticks_stand_for_pages_that_are_solved(opened: Open) -> None:
    page = opened("a", "c", "long-gone")
    links = page.locator("nav.bd-links > a")
    expect(links).to_have_text(["One", "Two ✓"])
    expect(page.get_by_role("link", name="2 of 3 questions solved")).to_be_visible()
    expect(page.locator("td")).to_have_text(["1 of 2 solved", "✓ 1 of 1 solved"])
    expect(opened().locator("nav.bd-links > a")).to_have_text(["One", "Two"])


def test_a_file_is_saved_read_and_refused(opened: Open) -> None:
    page = opened("a")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save to a file").press("Enter")
    record = {"course": COURSE, "version": 1, "solved": ["a"]}
    assert json.loads(Path(saved.value.path()).read_text()) == record
    said, source = page.get_by_role("status"), page.get_by_label("Read from a file")
    source.set_input_files(file_of("PK\3\4"))
    expect(said).to_have_text(
        "mine.json: This is no file of progress from this course. Nothing was changed."
    )
    expect(page.locator("td").first).to_have_text("1 of 2 solved")
    source.set_input_files(file_of(json.dumps(record | {"solved": ["a", "b"]})))
    expect(said).to_have_text("mine.json: The file names 2 solved questions. New here: 1.")
    expect(page.locator("nav.bd-links > a").first).to_have_text("One ✓")


def test_a_file_is_given_up_in_a_later_task_than_it_is_saved(opened: Open) -> None:
    page = opened("a")
    page.evaluate("() => { URL.revokeObjectURL = () => { window.revoked = true } }")
    with page.expect_download():
        saving = page.get_by_role("button", name="Save to a file")
        assert saving.evaluate("(button) => { button.click(); return !window.revoked }")
    page.wait_for_function("window.revoked")


def test_erasing_asks_first(opened: Open) -> None:
    page = opened("a", "b")
    erase, said = page.get_by_role("button", name="Erase"), page.get_by_role("status")
    page.once("dialog", lambda dialog: dialog.dismiss())
    erase.click()
    expect(said).to_have_text("Nothing was erased.")
    page.once("dialog", lambda dialog: dialog.accept())
    erase.click()
    expect(said).to_have_text("All is erased.")
    expect(page.locator("td").first).to_have_text("0 of 2 solved")
    assert page.evaluate(f"localStorage['{KEY}'] === undefined")
