"""The committed notebooks: what nbval cannot see, and that nbval can fail."""

from __future__ import annotations

import copy
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import machines.rules
from machines.rules import RULES as MACHINE_RULES
from notebook_pipeline import notebook_rules as rules
from notebook_pipeline import question_rules
from notebook_pipeline.canonical_notebook import canonical
from notebook_pipeline.canonical_widgets import model_id
from notebook_pipeline.cells import code_cells
from notebook_pipeline.find_notebooks import find_notebooks
from notebook_pipeline.outputs import WIDGET_STATE
from tests.notebook_pipeline.good_notebook import (
    ERROR,
    FIGURE,
    IMPORTS,
    NUMBER,
    WIDGET,
    good_notebook,
)

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = find_notebooks([ROOT / "book"])


@cache
def read(path: Path) -> NotebookNode:
    """Return a notebook, which is read once for all rules."""
    return nbformat.read(path, as_version=4)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# ------------------------------------------------------------------ the notebooks of the book


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
@pytest.mark.parametrize("rule", rules.RULES + MACHINE_RULES, ids=lambda rule: rule.__name__)
def test_notebook_keeps(rule: rules.Rule, path: Path) -> None:
    broken = list(rule(read(path)))
    assert not broken, "\n".join([f"{path.relative_to(ROOT)}:", *broken])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_widget_ids_are_canonical(path: Path) -> None:
    assert list(rules.widget_ids_are_canonical(read(path), path.stem)) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_notebook_is_written_as_make_outputs_writes(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == nbformat.writes(read(path)) + "\n", "run `make outputs`"


def rules_of(module: ModuleType) -> set[Callable[..., object]]:
    """Return the functions of a module that take a notebook alone and yield sentences."""
    own = [f for f in vars(module).values() if getattr(f, "__module__", "") == module.__name__]
    rule = {"notebook": "NotebookNode", "return": "Iterator[str]"}
    return {f for f in own if getattr(f, "__annotations__", None) == rule}


def test_no_rule_is_forgotten() -> None:
    """Those for exercises the template cannot keep; test_question_rules.py has them."""
    of_exercises = {question_rules.exercises_are_checked, question_rules.guesses_are_checked}
    found = rules_of(rules) | rules_of(question_rules)
    assert found - of_exercises == set(rules.RULES) and of_exercises < found
    assert rules_of(machines.rules) == set(MACHINE_RULES)


# -------------------------------------------------------------------- each rule can be broken


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_a_good_notebook_keeps(rule: rules.Rule) -> None:
    assert list(rule(good_notebook())) == []


@pytest.mark.parametrize("count", [None, 7])
def test_a_cell_not_run_in_order_is_seen(count: int | None) -> None:
    notebook = good_notebook()
    notebook.cells[NUMBER].execution_count = count
    assert list(rules.was_run_in_order(notebook)) == [
        f"cell {NUMBER + 1} has execution count {count}, not 2: run `make outputs`"
    ]


def test_an_empty_cell_need_not_be_run() -> None:
    notebook = good_notebook()
    notebook.cells.insert(NUMBER, new_code_cell(" "))
    assert list(rules.was_run_in_order(notebook)) == []


def test_an_unannounced_error_is_seen() -> None:
    notebook = good_notebook()
    notebook.cells[ERROR].metadata = {}
    assert "not tagged" in next(rules.errors_are_announced(notebook))


def test_an_announced_error_that_no_longer_comes_is_seen() -> None:
    notebook = good_notebook()
    notebook.cells[ERROR].outputs = []
    assert "stores no error" in next(rules.errors_are_announced(notebook))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("saved to /home/me/model.pt", "an absolute path"),
        ("File ~/project/.venv/torch.py:3", "an absolute path"),
        ("'C:\\Users\\me'", "an absolute path"),
        ("<python>/torch/__init__.py", "the path of a library's file"),
        ("<Widget object at 0x7f01a2b3c4d5>", "a memory address"),
        ("took 12.5 ms", "a time"),
        ("Wall time: 3", "a time"),
        ("http://localhost:8888", "a host name"),
        ("ipykernel_1234/5.py", "a temporary file"),
    ],
)
@pytest.mark.parametrize("kind", ["stream", "text/plain", "error"])
def test_an_unstable_output_is_seen(text: str, what: str, kind: str) -> None:
    notebook = good_notebook()
    outputs = {
        "stream": new_output("stream", name="stdout", text=text),
        "text/plain": new_output("execute_result", {"text/plain": text}),
        "error": new_output("error", ename="E", evalue="no", traceback=[text]),
    }
    notebook.cells[NUMBER].outputs = [outputs[kind]]
    assert f"cell {NUMBER + 1} prints {what}" in next(rules.outputs_are_stable(notebook))


@pytest.mark.parametrize(
    "text", ["q = x / scale / 2", "1/2/3", "tensor([1., 2.])", "and/or", "0xff", "5 items", "~/"]
)
def test_what_is_the_same_everywhere_is_let_through(text: str) -> None:
    notebook = good_notebook()
    notebook.cells[NUMBER].outputs[0].text = text
    assert list(rules.outputs_are_stable(notebook)) == []


@pytest.mark.parametrize(
    "source",
    [
        "sys.path.insert(0, '..')",
        "!ls",
        "!pip install torch",
        "%pip install torch",
        "interact(f, x=1)",
        "clear_output()",
        "out = Output()",
        "%timeit f(x)",
        "%%capture",
        "%run other.py",
        "get_ipython().system('ls')",
        "from sys import path",
        "interactive_output(f, {})",
        "out = widgets.Output(layout={})",
        "handle = display(x, display_id=True)",
        "warnings.filterwarnings('ignore')",
        "f(x)  # NBVAL_IGNORE_OUTPUT",
        "# nbval_skip",
    ],
)
def test_forbidden_code_is_seen(source: str) -> None:
    notebook = good_notebook()
    notebook.cells[NUMBER].source = "x = 1\n" + source
    assert f"cell {NUMBER + 1} uses" in next(rules.code_is_plain(notebook))


def test_a_tag_that_hides_from_nbval_is_seen() -> None:
    notebook = good_notebook()
    notebook.cells[NUMBER].metadata["tags"] = ["nbval-skip"]
    assert "nbval-skip" in next(rules.code_is_plain(notebook))


@pytest.mark.parametrize("source", ["import torch\ntorch.manual_seed(0)", "%matplotlib inline"])
def test_more_than_imports_first_is_seen(source: str) -> None:
    notebook = good_notebook()
    notebook.cells[IMPORTS].source = source
    assert "the first with code, holds" in next(rules.opens_with_imports(notebook))


def test_hidden_imports_are_seen() -> None:
    notebook = good_notebook()
    notebook.cells[IMPORTS].metadata["tags"] = ["hide-input"]
    assert "hide-input" in next(rules.opens_with_imports(notebook))


def test_a_page_without_code_opens_with_anything():
    notebook = good_notebook()
    for _, cell in code_cells(notebook):
        cell.metadata["tags"] = ["remove-input"]
    assert list(rules.opens_with_imports(notebook)) == []


def test_a_long_cell_is_seen_unless_hidden() -> None:
    notebook = good_notebook()
    notebook.cells[NUMBER].source = "x = 1\n" * (rules.LONGEST_CELL + 1)
    assert "has 17 lines, and a cell that is shown at most 16" in next(
        rules.cells_are_short(notebook)
    )
    for tag in ("hide-input", "hide-cell"):
        notebook.cells[NUMBER].metadata["tags"] = [tag]
        assert list(rules.cells_are_short(notebook)) == []


def test_other_metadata_is_seen() -> None:
    notebook = good_notebook()
    notebook.metadata["toc"] = {}
    notebook.metadata.language_info = {"name": "python", "version": "3.11.7"}
    notebook.cells[NUMBER].metadata["execution"] = {}
    notebook.cells[FIGURE].id = "0123abcd"
    found = " ".join(rules.metadata_is_minimal(notebook))
    assert all(word in found for word in ("'toc'", "language_info", "'execution'", "random id"))


def test_a_cell_may_name_the_functions_that_it_checks() -> None:
    notebook = good_notebook()
    notebook.cells[NUMBER].metadata["equals"] = ["quantize"]
    assert list(rules.metadata_is_minimal(notebook)) == []
    kept = canonical(notebook, new_notebook(), "x")
    assert kept.cells[NUMBER].metadata["equals"] == ["quantize"]


def test_a_widget_without_state_is_seen() -> None:
    notebook = good_notebook()
    notebook.metadata.widgets[WIDGET_STATE].state = {}
    assert f"cell {WIDGET + 1} shows" in next(rules.widgets_are_canonical(notebook))


def test_a_widget_that_is_not_shown_is_seen() -> None:
    notebook = good_notebook()
    notebook.metadata.widgets[WIDGET_STATE].state["unseen"] = nbformat.from_dict({"state": {}})
    assert "unseen is stored but not shown" in next(rules.widgets_are_canonical(notebook))


def test_a_widget_id_of_another_notebook_is_seen() -> None:
    assert list(rules.widget_ids_are_canonical(good_notebook(), "good")) == []
    assert "not named by its order" in next(rules.widget_ids_are_canonical(good_notebook(), "x"))


@pytest.mark.parametrize("trait", ["_esm", "_css"])
def test_source_stored_with_a_widget_is_seen(trait: str) -> None:
    notebook = good_notebook()
    model = notebook.metadata.widgets[WIDGET_STATE].state[model_id("good", 0)]
    model.state = {"_anywidget_id": "__main__.Widget", trait: "of a cell"}
    assert list(rules.widget_sources_are_in_the_package(notebook)) == []
    model.state["_anywidget_id"] = "a_package.Widget"
    found = next(rules.widget_sources_are_in_the_package(notebook))
    assert "a_package.Widget is stored" in found


@pytest.mark.parametrize(
    ("group", "key"), [("figure", "caption"), ("figure", "name"), ("image", "alt")]
)
def test_a_figure_without_its_text_is_seen(group: str, key: str) -> None:
    notebook = good_notebook()
    del notebook.cells[FIGURE].metadata.mystnb[group][key]
    assert f"{group}.{key}" in next(rules.figures_are_described(notebook))


def test_a_citation_of_nothing_is_seen() -> None:
    cell = new_markdown_cell("{cite:t}`jacob2018quantization,jacob2081` and {cite}`nobody`")
    found = list(rules.citations_are_known(new_notebook(cells=[cell])))
    assert [what.partition(":")[0] for what in found] == [
        "cell 1 cites jacob2081",
        "cell 1 cites nobody",
    ]


@pytest.mark.parametrize(
    ("tags", "source", "said"),
    [
        (["hide-cell"], "assert equal(a, b)", []),
        ([], "assert equal(a, b)", ["is not folded by hide-cell: add the tag"]),
        (
            ["hide-cell"],
            "equal(a, b)",
            ["asserts nothing: assert that the two are equal, or take `equals` out"],
        ),
        (["hide-cell"], "assert print(1)", ["prints: assert instead"]),
    ],
    ids=["a check", "not folded", "no assert", "an output"],
)
def test_a_mark_of_equality_needs_a_check(tags: list[str], source: str, said: list[str]) -> None:
    outputs = [new_output("stream", text="1\n")] if "print" in source else []
    metadata = {"tags": tags, "equals": ["quantize"]}
    cell = new_code_cell(source, metadata=metadata, outputs=outputs)
    found = list(rules.marks_have_checks(new_notebook(cells=[cell])))
    assert [what.split(", and ")[1] for what in found] == said


# ------------------------------------------------------------------------------ nbval can fail

DIGIT = re.compile(r"\d")


def prints_a_digit(output: NotebookNode) -> bool:
    """Tell whether an output is printed and has a digit in it."""
    return output.output_type == "stream" and bool(DIGIT.search(output.text))


def begins_with_a_number(notebook: NotebookNode) -> NotebookNode:
    """Return a notebook up to the first cell that printed a digit, or an empty one."""
    for index, cell in code_cells(notebook):
        if any(map(prints_a_digit, cell.outputs)):
            return new_notebook(cells=notebook.cells[:index], metadata=notebook.metadata)
    return new_notebook()


def with_one_number_altered(notebook: NotebookNode) -> NotebookNode:
    """Change the first digit that the last cell printed."""
    altered = copy.deepcopy(notebook)
    output = next(filter(prints_a_digit, altered.cells[-1].outputs))
    output.text = DIGIT.sub(lambda digit: str((int(digit[0]) + 1) % 10), output.text, count=1)
    return altered


def failed_by_nbval(folder: Path, **notebooks: NotebookNode) -> set[str]:
    """Return the names of the notebooks whose outputs strict nbval does not find again."""
    for name, notebook in notebooks.items():
        nbformat.write(notebook, folder / f"{name}.ipynb")
    options = ["--nbval", "--nbval-current-env", "-c", "pyproject.toml", "-rA"]
    options += ["--nbval-sanitize-with", "tests/nbval_sanitize.cfg", "--rootdir", str(folder)]
    command = [sys.executable, "-m", "pytest", *options, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    ended = re.findall(r"^(PASSED|FAILED) .*?(\w+)\.ipynb::", done.stdout, re.MULTILINE)
    assert {name for _, name in ended} == set(notebooks), done.stdout + done.stderr
    return {name for how, name in ended if how == "FAILED"}


def test_nbval_sees_a_number_that_was_altered(tmp_path: Path) -> None:
    beginnings = [start for path in NOTEBOOKS if (start := begins_with_a_number(read(path))).cells]
    same = min(beginnings, key=lambda start: len(code_cells(start)))
    altered = with_one_number_altered(same)
    assert failed_by_nbval(tmp_path, same=same, altered=altered) == {"altered"}
