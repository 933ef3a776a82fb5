"""What the page "Build it yourself" gives its reader: the stubs, and the folded solutions."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from tests.course.exercises.chapter_pages import code_cells

PAGE = Path(__file__).parents[3] / "book" / "reference" / "build_it_yourself.ipynb"
STEPS = ["quantize", "dequantize", "choose", "Observer", "integer_matmul", "requantize"]
STEPS += ["Layer", "convolve", "fake_quantize", "quantize_groups", "network"]


@cache
def definitions() -> tuple[dict[str, str], dict[str, str]]:
    """Return the source of each stub, and of each solution, by its name."""
    stubs: dict[str, str] = {}
    solutions: dict[str, str] = {}
    for source, fold in code_cells(PAGE):
        for part in ast.parse(source).body:
            if isinstance(part, ast.FunctionDef | ast.ClassDef):
                lines = source.splitlines()[part.lineno - 1 : part.end_lineno]
                (solutions if fold else stubs)[part.name] = "\n".join(lines) + "\n"
    solutions["Ruler"] = stubs.pop("Ruler")
    return stubs, solutions


@cache
def cells() -> tuple[list[str], list[list[str]]]:
    """Return the code that a reader always runs, without the stubs, and that of each fold."""
    shown: list[str] = []
    folds: dict[int, list[str]] = {}
    for source, fold in code_cells(PAGE):
        if fold:
            folds.setdefault(fold, []).append(source)
        elif "check(" not in source:
            shown.append(source)
    return shown, list(folds.values())


def file_of(**replaced: str) -> str:
    """Return tinyquant.py as the page's solutions make it, with some of them replaced."""
    parts = definitions()[1] | replaced
    order = ["Ruler", *STEPS[:-1], "observed_rulers", "network"]
    head = "from typing import NamedTuple\n\nimport torch\nfrom torch.nn.functional import pad\n"
    return "\n\n".join([head, *(parts[name] for name in order)])


def changed(name: str, old: str, new: str) -> str:
    """Return a solution with a part of its source replaced."""
    source = definitions()[1][name]
    assert old in source, f"{old!r} is not in the page's {name}"
    return source.replace(old, new)
