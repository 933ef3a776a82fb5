"""What a module defines, and which names each definition uses.

A definition changes with its text; its docstrings, comments and layout do not count. Beside its
names a module has two parts of its own: what it does when it is imported, and the examples in its
docstrings. An imported name is a definition that uses what it is imported from.
"""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from proofs.bindings import bound, imported

ON_IMPORT = "(on import)"
EXAMPLES = "(examples)"

PACKAGE = re.compile(r"(?:[A-Za-z_]\w*\.)+")  # how an f-string begins that names its modules
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")
IMPORTED_IN_TEXT = re.compile(r"(?:^|[\n;\s'\"])(?:from|import) ([A-Za-z_][\w.]*)")
Function = ast.FunctionDef | ast.AsyncFunctionDef
WITH_DOCSTRING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)


@dataclass
class Definition:
    """One name of a module.

    Attributes:
        text: the statements that bind it.
        uses: the names in them, as they stand there.
        named: the full names in their strings, as in ``"machines.run"`` and ``"import qlearn"``.
        packages: those whose modules their f-strings name, as in ``f"tests.book.{name}"``.
        origins: what the name is imported from, in full.
        strings: their strings.
    """

    text: str = ""
    uses: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    packages: set[str] = field(default_factory=set)
    origins: set[str] = field(default_factory=set)
    strings: set[str] = field(default_factory=set)

    def add(self, node: ast.stmt) -> None:
        """Add a statement that binds the name."""
        self.text += ast.unparse(node) + "\n"
        self.uses |= set(_names(node))
        self.strings |= set(_strings(node))
        self.named |= {string for string in self.strings if DOTTED.fullmatch(string)}
        self.packages |= set(_packages(node))
        self.named |= set(IMPORTED_IN_TEXT.findall("\n".join(self.strings)))


@cache
def definitions_of(source: str) -> dict[str, Definition]:
    r"""Return what a source defines, by name; see the module for what is not a name.

    >>> found = definitions_of("from math import tau as t\ndef turn(x): return x + t")
    >>> found["turn"].uses == {"x", "t"}, found["t"].origins
    (True, {'math.tau'})
    """
    found: dict[str, Definition] = {}
    tree = ast.parse(source)
    examples = list(_examples(tree))
    _drop_docstrings(tree)
    for statement in tree.body:
        if not isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass):
            for name in bound(statement) or {ON_IMPORT}:
                found.setdefault(name, Definition()).add(statement)
    for statement in (statement for example in examples for statement in example.body):
        found.setdefault(EXAMPLES, Definition()).add(statement)
    for part in [tree, *examples]:
        _add_imports(part, found)
    return found


def words_of(source: str) -> list[str]:
    """Return a module's docstrings, in order."""
    return [text for _, text in _docstrings(ast.parse(source))]


def outline_of(source: str) -> str:
    r"""Return a module without what its functions do: what a reference can show of it.

    >>> outline_of("def f(x: int) -> int:  # of course\n    return 2 * x")
    'def f(x: int) -> int:\n    pass'
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, Function):
            node.body = node.body[:1] if ast.get_docstring(node) else [ast.Pass()]
    return ast.unparse(tree)


def _add_imports(tree: ast.Module, found: dict[str, Definition]) -> None:
    """Define each imported name, also those imported inside a function."""
    for name, module, there in imported(tree):
        origin = f"{module}.{there}" if there else module
        definition = found.setdefault(name, Definition())
        definition.text += f"from {origin}\n"
        definition.origins.add(origin)


def _names(node: ast.AST) -> Iterator[str]:
    """Yield the names in a tree, with the attributes asked of them; a fixture is a parameter."""
    if isinstance(node, ast.expr) and (dotted := _dotted(node)):
        yield dotted
        return
    if isinstance(node, ast.arg):
        yield node.arg
    for child in ast.iter_child_nodes(node):
        yield from _names(child)


def _dotted(node: ast.expr) -> str:
    """Return ``a.b.c`` for a name and attributes, and an empty string for another expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := _dotted(node.value)):
        return f"{before}.{node.attr}"
    return ""


def _strings(node: ast.AST) -> Iterator[str]:
    """Yield the constant strings in a tree, those in f-strings too."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _packages(node: ast.AST) -> Iterator[str]:
    """Yield the packages with which f-strings in a tree begin."""
    for part in ast.walk(node):
        if isinstance(part, ast.JoinedStr) and part.values:
            begin = part.values[0]
            text = begin.value if isinstance(begin, ast.Constant) else ""
            if isinstance(text, str) and PACKAGE.fullmatch(text):
                yield text.removesuffix(".")


def _docstrings(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield each docstring with the module, class or function that it is of."""
    for node in ast.walk(tree):
        text = ast.get_docstring(node) if isinstance(node, WITH_DOCSTRING) else None
        if text:
            yield node, text


def _examples(tree: ast.Module) -> Iterator[ast.Module]:
    """Yield the code of the examples in each docstring that has some."""
    for _, text in _docstrings(tree):
        if examples := doctest.DocTestParser().get_examples(text):
            yield ast.parse("".join(example.source for example in examples))


def _drop_docstrings(tree: ast.Module) -> None:
    """Put ``pass`` in the place of each docstring."""
    for node, _ in list(_docstrings(tree)):
        node.body[0] = ast.Pass()  # type: ignore[attr-defined]
