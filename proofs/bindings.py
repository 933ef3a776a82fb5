"""Which names a module binds, and where those that it imports are from, by its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Place(NamedTuple):
    """Where a name is defined; the name is empty for a whole module."""

    module: str
    name: str


def bound(statement: ast.stmt) -> set[str]:
    """Return the module's names that a statement binds.

    >>> sorted(bound(ast.parse("a, b = 1, c").body[0]))
    ['a', 'b']
    """
    if isinstance(statement, Definition):
        return {statement.name}
    names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def imported(tree: ast.Module) -> Iterator[tuple[str, str, str | None]]:
    r"""Yield each imported name, the module that it is from, and its name there.

    A module itself has None there. Imports inside of functions count, too.

    >>> list(imported(ast.parse("import math as m\nfrom math import pi")))
    [('m', 'math', None), ('pi', 'math', 'pi')]
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.module is not None and node.level == 0, "relative imports are not followed"
            for alias in node.names:
                yield alias.asname or alias.name, node.module, alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                yield alias.asname or first, alias.name if alias.asname else first, None
