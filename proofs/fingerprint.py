"""What a proof depends on: the code of its case and of all that the case imports from here.

A recorded proof is worth nothing once the code has changed. Comments, docstrings and blank
lines do not count, so a better word asks for no new proof.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import io
import sys
import tokenize
from functools import cache
from pathlib import Path
from types import ModuleType

import qlearn
from proofs.proof import Proof

OURS = ("proofs", "qlearn")


def fingerprint(proof: Proof) -> str:
    """Return a digest of the code that the proof is about and is made of."""
    modules = _with_imports(sys.modules[proof.case.__module__], {})
    modules |= _with_imports(sys.modules[getattr(qlearn, proof.of).__module__], {})
    digest = hashlib.sha256()
    for name in sorted(modules):
        digest.update(f"{name}\n{code_of(modules[name])}\n".encode())
    return digest.hexdigest()[:16]


def _with_imports(module: ModuleType, seen: dict[str, str]) -> dict[str, str]:
    """Return the sources of a module and of our modules that it imports, by name."""
    if module.__name__ not in seen:
        source = Path(inspect.getfile(module)).read_text(encoding="utf-8")
        seen[module.__name__] = source
        for name in _imports(source):
            _with_imports(sys.modules[name], seen)
    return seen


@cache
def _imports(source: str) -> list[str]:
    """Return the names of our modules that a source imports; of qlearn, where a name is defined."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names if alias.name in OURS]
        elif isinstance(node, ast.ImportFrom) and node.module == "qlearn":
            names += [getattr(qlearn, alias.name).__module__ for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith(OURS):
            names.append(str(node.module))
    return names


@cache
def code_of(source: str) -> str:
    """Return a module's lines without docstrings, comments and blank lines."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            lines[first:last] = [""] * (last - first)
    return "\n".join(line.rstrip() for line in lines if line.strip())
