"""A module's definitions as what computes in them: without words, places and annotations.

Left out are docstrings, comments, imports, annotations, ``__repr__``, the messages of exceptions
and assertions, what a block that ends with ``raise`` assigns for its message, and text with a space
in it that is passed to a call whose result nobody uses: ``check_tensor(x, "x", "a tensor")``.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import Any, NamedTuple

from proofs.bindings import Definition, bound, imported

# Fields of syntax trees that say something and compute nothing, and those that some Pythons lack.
WORDS = {"annotation", "returns", "msg", "cause", "type_comment", "type_params", "ctx", "kind"}


class Module(NamedTuple):
    """What a module binds: what computes behind each name, and where imported names are from."""

    definitions: dict[str, str]
    imports: dict[str, tuple[str, str | None]]


@cache
def module_of(source: str) -> Module:
    r"""Return the definitions and imports of a source.

    Behind a name stand the statements that bind it, and those that do something at import with
    it, such as a loop that calls it.

    >>> module_of("from math import pi\nTWO = 2").definitions
    {'TWO': 'Assign(targets=[\x00TWO\x00],value=2)\n'}
    """
    imports = {name: (origin, there) for name, origin, there in imported(ast.parse(source))}
    statements = _Silent().visit(ast.parse(source)).body
    definitions = {name: "" for statement in statements for name in bound(statement)}
    for statement in statements:
        for name in definitions.keys() & (bound(statement) | _used_at_import(statement)):
            definitions[name] += written(_nameless(statement)) + "\n"
    return Module(definitions, imports)


def written(node: Any) -> str:
    r"""Return a tree as text, the same in every Python, each name between two zeros.

    With a name stands the attribute that is asked of it.

    >>> written(ast.parse("x.shape + 1", mode="eval").body)
    'BinOp(left=\x00x.shape\x00,op=Add(),right=1)'
    """
    if isinstance(node, list):
        return f"[{','.join(written(part) for part in node)}]"
    if isinstance(node, ast.Name):
        return f"\0{node.id}\0"
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"\0{node.value.id}.{node.attr}\0"
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.Constant):
        return repr(node.value)
    if isinstance(node, ast.JoinedStr):  # Python 3.12.1 puts empty texts between the others
        node = ast.JoinedStr([part for part in node.values if not _is_empty(part)])
    fields = [
        f"{field}={written(value)}"
        for field, value in ast.iter_fields(node)
        if field not in WORDS and value is not None and value != []
    ]
    return f"{type(node).__name__}({','.join(fields)})"


def _is_empty(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == ""


def _nameless(statement: ast.stmt) -> ast.stmt:
    """Return a definition without its name."""
    if not isinstance(statement, Definition):
        return statement
    fields = {field: value for field, value in ast.iter_fields(statement) if field != "name"}
    return type(statement)(**{"name": "", **fields})


def _used_at_import(statement: ast.stmt) -> set[str]:
    """Return the names that a statement other than a definition or plain assignment works on."""
    targets = {ast.Assign: "targets", ast.AnnAssign: "target"}.get(type(statement), "")
    parts = getattr(statement, targets, None)
    plain = all(
        isinstance(part, ast.Name) for part in (parts if isinstance(parts, list) else [parts])
    )
    if isinstance(statement, Definition) or (parts and plain):
        return set()
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


class _Silent(ast.NodeTransformer):
    """Takes the words out of a tree."""

    def visit(self, node: ast.AST) -> Any:
        """Take them out of the parts, then out of the blocks made of them."""
        node = super().visit(node)
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(node, block, None)
            if isinstance(statements, list):
                setattr(node, block, _that_compute(statements))
        if isinstance(node, Definition):
            node.decorator_list = [one for one in node.decorator_list if not _registers(one)]
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        """Keep the kind of exception."""
        self.generic_visit(node)
        if isinstance(node.exc, ast.Call):
            node.exc = node.exc.func
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        """Leave out the text that a call is given whose result nobody uses."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Call):
            node.value.args = [one for one in node.value.args if not _is_text(one)]
            node.value.keywords = [one for one in node.value.keywords if not _is_text(one.value)]
        return node


def _that_compute(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements without imports, docstrings and what only prepares a message."""
    kept = [
        one
        for one in statements
        if not isinstance(one, ast.Import | ast.ImportFrom | ast.Pass)
        and not (isinstance(one, ast.FunctionDef) and one.name == "__repr__")
        and not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
    ]
    if kept and isinstance(kept[-1], ast.Raise) and all(_assigns(one) for one in kept[:-1]):
        return kept[-1:]
    return kept


def _assigns(statement: ast.stmt) -> bool:
    """Say whether a statement does nothing but assign to names."""
    if isinstance(statement, ast.If):
        return all(_assigns(one) for one in statement.body + statement.orelse)
    return isinstance(statement, ast.Assign) and all(
        isinstance(target, ast.Name) for target in statement.targets
    )


def _is_text(node: ast.expr) -> bool:
    """Say whether an expression is text with a space in it."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return any(
        isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value
        for part in parts
    )


def _registers(decorator: ast.expr) -> bool:
    """Say whether a decorator is ``@proof(…)``: the record itself has what that says."""
    return (
        isinstance(decorator, ast.Call)
        and isinstance(decorator.func, ast.Name)
        and decorator.func.id == "proof"
    )
