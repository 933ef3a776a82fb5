"""What the page of a chapter gives its reader: imports, stubs, and folded solutions."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import nbformat

from qlearn.course.exercises.chapters import PAGES

BOOK = Path(__file__).parents[3] / "book"


@cache
def sources(page: str) -> tuple[str, dict[str, str], dict[str, str]]:
    """Return the code of a page's imports, and that of each stub and solution by its name."""
    [path] = BOOK.rglob(f"{page}.ipynb")
    imports, stubs, solutions, folded = "", {}, {}, False
    names = {exercise.name for exercise in PAGES[page]}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            folded = folded and "{solution-end}" not in cell.source
            folded = folded or "{solution-start}" in cell.source
            continue
        imports = imports or cell.source
        for part in ast.parse(cell.source).body:
            if isinstance(part, ast.FunctionDef | ast.ClassDef) and part.name in names:
                (solutions if folded else stubs)[part.name] = without_checks(cell.source)
    return imports, stubs, solutions


def without_checks(source: str) -> str:
    """Return the code of a cell but for what it checks, prints or shows."""
    lines = source.splitlines()
    kept = [part for part in ast.parse(source).body if not isinstance(part, ast.Expr)]
    return "\n\n".join("\n".join(lines[part.lineno - 1 : part.end_lineno]) for part in kept) + "\n"
