"""`make outputs` writes the same bytes each time, and nothing when a cell fails."""

from __future__ import annotations

import asyncio
import base64
import difflib
import io
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from notebook_pipeline import notebook_rules as rules
from notebook_pipeline.canonical_notebook import canonical, name_cells, sanitized
from notebook_pipeline.canonical_widgets import model_id
from notebook_pipeline.check_in_forks import check_in_forks
from notebook_pipeline.outputs import WIDGET_STATE, WIDGET_VIEW, outputs
from notebook_pipeline.write_outputs import NotebookError, find_notebooks, write_outputs

ROOT = Path(__file__).resolve().parents[2]
WIDGET = """\
class Shown(anywidget.AnyWidget):
    _esm = "export default {}"

    def __repr__(self):
        return "Shown()"

not_shown = Shown()
Shown()"""

SOURCES = {
    "imports": "import warnings\n\nimport anywidget\nimport matplotlib.pyplot as plt",
    "numbers": "print(1)\nprint(2)\n3",
    "figure": "plt.plot([1, 2]);",
    "widget": WIDGET,
    "warning": "warnings.warn('careful')",
    "empty": "",
}


def save(path: Path, sources: dict[str, str]) -> Path:
    """Write a notebook as an editor does: with noise in its metadata and random ids."""
    cells = [new_code_cell(source, metadata={"editable": True}) for source in sources.values()]
    cells.insert(0, new_markdown_cell("# Title"))
    metadata = {"kernelspec": {"name": "old", "display_name": "Old"}, "toc": {}}
    nbformat.write(new_notebook(cells=cells, metadata=metadata), path)
    return path


def run(*paths: Path) -> list[Path]:
    return asyncio.run(write_outputs(list(paths)))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a notebook that `write_outputs` has written."""
    path = save(tmp_path_factory.mktemp("book") / "chapter.ipynb", SOURCES)
    assert run(path) == [path]
    return path


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def changed_lines(old: str, new: str) -> list[str]:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    return [line for line in lines if re.match(r"[+-](?![+-]{2} )", line)]


# --------------------------------------------------------------------------------- executing


def test_a_second_run_changes_no_line(path: Path) -> None:
    before = path.read_bytes()
    assert run(path) == []
    assert path.read_bytes() == before


def altered_state(notebook: NotebookNode) -> None:
    for model in notebook.metadata.widgets[WIDGET_STATE].state.values():
        model.state["altered"] = True


def altered_picture(notebook: NotebookNode) -> None:
    for output in outputs(notebook, "image/png"):
        old = Image.open(io.BytesIO(base64.b64decode(output.data["image/png"])))
        buffer = io.BytesIO()
        Image.new("RGBA", old.size, "red").save(buffer, "PNG")
        output.data["image/png"] = base64.b64encode(buffer.getvalue()).decode()


@pytest.mark.parametrize("alter", [altered_state, altered_picture])
def test_a_check_sees_what_nbval_does_not_and_writes_nothing(
    path: Path, tmp_path: Path, alter: Callable[[NotebookNode], None]
) -> None:
    copy = tmp_path / path.name  # of the same name, from which the ids of widgets are made
    copy.write_bytes(path.read_bytes())
    assert asyncio.run(write_outputs([copy], check=True)) == []
    notebook = read(copy)
    alter(notebook)
    nbformat.write(notebook, copy)
    before = copy.read_bytes()
    assert asyncio.run(write_outputs([copy], check=True)) == [copy]
    assert copy.read_bytes() == before


def test_a_check_in_forks_sees_as_much(path: Path, tmp_path: Path) -> None:
    copies = {}
    for what in ("same", "state", "picture", "text", "error"):
        copies[what] = tmp_path / what / path.name
        copies[what].parent.mkdir()
        copies[what].write_bytes(path.read_bytes())
    for what, alter in (("state", altered_state), ("picture", altered_picture)):
        notebook = read(copies[what])
        alter(notebook)
        nbformat.write(notebook, copies[what])
    for what, source in (("text", "print(5)"), ("error", "1 / 0")):
        copies[what].write_text(copies[what].read_text().replace("print(2)", source))
    command = [sys.executable, "-m", "notebook_pipeline.check_in_forks", *copies.values()]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    said = {name: found for name, found in re.findall(r"(\w+)/chapter\.ipynb: (\w+)", ended.stdout)}
    expected = dict.fromkeys(copies, "changed") | {"same": "unchanged", "error": "cell"}
    assert (ended.returncode, said) == (1, expected), ended.stderr


def test_a_kernel_that_dies_in_a_fork_is_told(tmp_path: Path) -> None:
    gone = save(tmp_path / "gone.ipynb", {"leaves": "import os\nos._exit(3)"})
    ((_, ended),) = check_in_forks([gone])
    assert ended.died.startswith("DeadKernelError")


def test_changing_one_number_changes_two_lines_and_their_source(path: Path) -> None:
    before = path.read_text()
    altered = path.with_name("altered") / "chapter.ipynb"
    altered.parent.mkdir()
    altered.write_text(before.replace("print(2)", "print(5)"))
    run(altered)
    lines = [line.strip('+-", \\n') for line in changed_lines(before, altered.read_text())]
    assert sorted(lines) == ["2", "5", "print(2)", "print(5)"]


def test_what_is_written_keeps_the_rules(path: Path) -> None:
    notebook = read(path)
    described = {rules.figures_are_described}
    found = [text for rule in set(rules.RULES) - described for text in rule(notebook)]
    assert found == []
    assert list(rules.widget_ids_are_canonical(notebook, "chapter")) == []


def test_warnings_name_no_temporary_file(path: Path) -> None:
    warning = read(path).cells[5].outputs[0].text
    assert warning.startswith("<cell>:1: UserWarning: careful")


def test_a_failing_cell_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    good = save(tmp_path / "good.ipynb", {"fine": "print(1)"})
    bad = save(tmp_path / "bad.ipynb", {"fine": "print(1)", "bad": "# divide\n1 / 0"})
    before = good.read_bytes(), bad.read_bytes()
    with pytest.raises(NotebookError, match=r"bad\.ipynb: cell 3 \(`1 / 0`\) raised ZeroDiv"):
        run(good, bad)
    assert (good.read_bytes(), bad.read_bytes()) == before


def test_a_place_without_notebooks_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotebookError, match="No notebook in"):
        find_notebooks([tmp_path])
    (tmp_path / "README.md").touch()
    for wrong in ("typo.ipynb", "README.md"):
        with pytest.raises(NotebookError, match=f"{wrong} is no folder and no notebook"):
            find_notebooks([tmp_path / wrong])


# ---------------------------------------------------------------------------- canonical form


def picture(colour: str, software: str) -> str:
    """Return a small PNG that names the program that made it, as matplotlib's do."""
    about = PngInfo()
    about.add_text("Software", software)
    file = io.BytesIO()
    Image.new("RGB", (4, 4), colour).save(file, "png", pnginfo=about)
    return base64.b64encode(file.getvalue()).decode()


def with_picture(png: str) -> NotebookNode:
    output = new_output("display_data", {"image/png": png, "text/plain": "<Figure>"})
    return new_notebook(cells=[new_code_cell("plot()", outputs=[output], id="plot")])


@pytest.mark.parametrize(("colour", "kept"), [("red", True), ("#fe0000", False)])
def test_a_figure_keeps_its_bytes_while_its_pixels_stay(colour: str, kept: bool) -> None:
    old, new = picture("red", "version 1"), picture(colour, "version 2")
    written = canonical(with_picture(new), with_picture(old), "x").cells[0].outputs[0]
    assert written.data["image/png"] == (old if kept else new)


def with_widgets(*ids: str) -> NotebookNode:
    """Return a notebook that shows the second and the first of three widgets, with layouts."""
    layout = {"model_name": "LayoutModel", "state": {"width": None, "height": "1px"}}
    state = {name: {"model_name": "AnyModel", "state": {"n": i}} for i, name in enumerate(ids)}
    state[ids[0]]["state"]["layout"] = "IPY_MODEL_L" + ids[0]
    state["L" + ids[0]] = layout
    outputs = [new_output("display_data", {WIDGET_VIEW: {"model_id": ids[i]}}) for i in (1, 0)]
    widgets = {WIDGET_STATE: {"state": state, "version_major": 2, "version_minor": 0}}
    cells = [new_code_cell("show()", outputs=outputs, id="show")]
    return new_notebook(cells=cells, metadata={"widgets": widgets})


def test_widget_ids_depend_on_the_notebook_and_the_order_only() -> None:
    some, others = with_widgets("a", "b", "c"), with_widgets("z", "y", "x")
    written = canonical(some, some, "chapter")
    assert written == canonical(others, others, "chapter")
    views = [output.data[WIDGET_VIEW].model_id for output in written.cells[0].outputs]
    assert views == [model_id("chapter", 0), model_id("chapter", 1)]
    assert model_id("chapter", 0) != model_id("another", 0)


def test_only_shown_widgets_are_kept_with_what_they_refer_to() -> None:
    widgets = canonical(with_widgets("a", "b", "c"), new_notebook(), "x").metadata.widgets
    state = {name: model.state for name, model in widgets[WIDGET_STATE].state.items()}
    first, second, layout = (model_id("x", index) for index in range(3))
    assert state == {
        first: {"n": 1},
        second: {"n": 0, "layout": "IPY_MODEL_" + layout},
        layout: {"height": "1px"},
    }


def test_source_is_kept_of_a_class_that_a_cell_defines_and_of_no_other() -> None:
    notebook = with_widgets("a", "b", "c")
    states = notebook.metadata.widgets[WIDGET_STATE].state
    states.a.state |= {"_anywidget_id": "__main__.Toy", "_esm": "of the cell"}
    states.b.state |= {"_anywidget_id": "a_package.Toy", "_esm": "of the package", "_css": ""}
    written = canonical(notebook, new_notebook(), "x").metadata.widgets[WIDGET_STATE].state
    assert written[model_id("x", 1)].state._esm == "of the cell"
    assert written[model_id("x", 0)].state == {"n": 1, "_anywidget_id": "a_package.Toy"}


def test_cell_ids_stay_unless_random_missing_or_twice() -> None:
    notebook = new_notebook()
    notebook.cells = [new_code_cell("a", id=name) for name in ("mine", "0123abcd", "mine", "x")]
    del notebook.cells[-1]["id"]
    name_cells(notebook)
    names = [cell.id for cell in notebook.cells]
    assert names[0] == "mine"
    assert names[1].startswith("cell-")
    assert len(set(names)) == 4
    name_cells(notebook)
    assert [cell.id for cell in notebook.cells] == names


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("/tmp/ipykernel_12/345.py:1: UserWarning: a", "<cell>:1: UserWarning: a"),
        ("/v/lib/python3.11/site-packages/torch/a.py:9: b", "<python>/torch/a.py:9: b"),
        ("File ~/v/lib/python3.11/ast.py:9", "File <python>/ast.py:9"),
        ("<cell>:1: nothing to do", "<cell>:1: nothing to do"),
    ],
)
def test_paths_are_replaced(text: str, clean: str) -> None:
    assert sanitized(text) == clean
