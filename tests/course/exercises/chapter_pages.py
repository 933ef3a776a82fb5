"""What the page of a chapter gives its reader: imports, stubs, and folded solutions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import nbformat

from qlearn.course.exercises.chapters import PAGES

BOOK = Path(__file__).parents[3] / "book"


@cache
def sources(page: str) -> tuple[str, dict[str, str], dict[str, str]]:
    """Return the code of a page's imports, and that of each stub and solution by its name."""
    [path] = BOOK.rglob(f"{page}.ipynb")
    imports, stubs, solutions = "", {}, {}
    names = {exercise.name for exercise in PAGES[page]}
    for source, fold in code_cells(path):
        imports = imports or source
        for part in ast.parse(source).body:
            if isinstance(part, ast.FunctionDef | ast.ClassDef) and part.name in names:
                (solutions if fold else stubs)[part.name] = without_checks(source)
    return imports, stubs, solutions


def code_cells(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the code of each cell, with the number of the solution it is folded in, or 0."""
    folded, folds = False, 0
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            yield cell.source, folds if folded else 0
            continue
        folded = folded and "{solution-end}" not in cell.source
        if "{solution-start}" in cell.source:
            folded, folds = True, folds + 1


def without_checks(source: str) -> str:
    """Return the code of a cell but for what it checks, prints or shows."""
    lines = source.splitlines()
    kept = [part for part in ast.parse(source).body if not isinstance(part, ast.Expr)]
    return "\n\n".join("\n".join(lines[part.lineno - 1 : part.end_lineno]) for part in kept) + "\n"
