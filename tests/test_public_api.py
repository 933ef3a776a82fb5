"""What ``import qlearn`` offers."""

import ast
import inspect
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import qlearn

BOOK = Path(__file__).parents[1] / "book"
CHAPTERS = {str(path.relative_to(BOOK)): path for path in sorted(BOOK.rglob("*.ipynb"))}
# What only the course needs, and what asks this machine: the chapters say where these are from.
APART = ("qlearn.course", "qlearn.machine")
# Names whose docstrings need no source, and why.
SOURCELESS = {
    "QParams": "it holds the numbers that other functions choose, each of which has a source",
    "QTensor": "it holds codes and qparams",
    "Rule": "it holds one line of a mapping; winning_rules names the functions of torch",
    "installed_rounding": "it tries the installed torch, and names the kernels that it tries",
    "kernels_saturate": "it tries the engine of the installed torch",
}


def test_all_is_the_sorted_list_of_public_names():
    assert qlearn.__all__ == sorted(qlearn.__all__)
    imported = {
        alias.asname or alias.name
        for node in ast.parse(Path(qlearn.__file__).read_text()).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == set(qlearn.__all__)


def test_every_public_name_has_a_docstring_with_an_example():
    for name in qlearn.__all__:
        documentation = inspect.getdoc(getattr(qlearn, name)) or ""
        assert ">>>" in documentation, name


def without_a_source(names: list[str]) -> list[str]:
    """Return the names whose docstrings have no line that begins with ``Source:``."""
    documentations = {name: inspect.getdoc(getattr(qlearn, name)) or "" for name in names}
    return [name for name, text in documentations.items() if "\nSource: " not in text]


def test_every_public_name_has_a_source_but_those_that_need_none():
    found = without_a_source(qlearn.__all__)
    assert sorted(found) == sorted(SOURCELESS), "say in a line `Source: …` where it comes from"


def test_a_name_without_a_source_is_found(monkeypatch):
    monkeypatch.setattr(qlearn.quantize, "__doc__", "Return the codes. Source: a paper.")
    assert without_a_source(["dequantize", "quantize"]) == ["quantize"]


def imported_elsewhere(source: str) -> Iterator[str]:
    """Yield what a chapter's code imports from qlearn, but neither from its top nor from APART."""
    lines = [line for line in source.splitlines() if not line.startswith("%")]
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, ast.Import):
            modules = {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules = {node.module or ""}
            if node.module == "qlearn":
                names = {alias.name for alias in node.names} - set(qlearn.__all__)
                modules = {f"qlearn.{name}" for name in names}
        else:
            continue
        for module in sorted(modules - {"qlearn"}):
            if f"{module}.".startswith("qlearn.") and not f"{module}.".startswith(
                tuple(f"{one}." for one in APART)
            ):
                yield module


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_imports_numeric_names_from_qlearn_itself(chapter):
    cells = json.loads(CHAPTERS[chapter].read_text(encoding="utf-8"))["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    found = {module for code in codes for module in imported_elsewhere(code)}
    assert not found, f"import from qlearn, and export what is missing there: {sorted(found)}"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from qlearn import quantize\nfrom qlearn.machine import use_engine", []),
        ("import qlearn\nfrom qlearn.course.digits.net import DigitsNet", []),
        ("from qlearn.numbers.rounding import fma", ["qlearn.numbers.rounding"]),
        ("import qlearn.integers.matmul as products", ["qlearn.integers.matmul"]),
        ("from qlearn import widgets", ["qlearn.widgets"]),
        ("from qlearn.machinery import a", ["qlearn.machinery"]),
    ],
)
def test_an_import_from_elsewhere_is_found(code, found):
    assert list(imported_elsewhere(code)) == found
