"""How far the printed decimals are from the boundary at which they would read otherwise.

A cell's f-strings are rewritten so that each number is noted before it is formatted. Where a
number of float32's precision lies so close to a rounding boundary that its last bits decide,
another machine may print another digit, even if every machine tried so far printed the same.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

DECIMALS = re.compile(r".*\.(?P<digits>\d+)(?P<kind>[feg%]?)$")
NOTE = "__note_margin__"


@dataclass
class Notes(ast.NodeTransformer):
    """Rewrites f-strings, and keeps each number with its format."""

    seen: list[tuple[float, str]] = field(default_factory=list)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        """Replace ``{value:spec}`` by ``{note(value, spec):spec}``, where spec has decimals."""
        self.generic_visit(node)
        spec = constant(node.format_spec)
        if DECIMALS.fullmatch(spec):
            name = ast.Name(NOTE, ast.Load())
            node.value = ast.Call(name, [node.value, ast.Constant(spec)], [])
        return ast.fix_missing_locations(node)

    def note(self, value: Any, spec: str) -> Any:
        """Keep a number and its format, and give the number back."""
        number = float(value)
        if number == number and abs(number) != float("inf"):
            self.seen.append((number, spec))
        return value

    def taken(self) -> Iterator[tuple[float, str, float]]:
        """Yield the numbers noted since the last call, their formats and their margins."""
        seen, self.seen[:] = self.seen[:], []
        for number, spec in seen:
            yield number, spec, margin(number, spec)


def constant(spec: ast.expr | None) -> str:
    """Return a format that stands in the source as it is, or an empty string."""
    parts = spec.values if isinstance(spec, ast.JoinedStr) else []
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    return "".join(map(str, texts)) if len(texts) == len(parts) else ""


def margin(number: float, spec: str) -> float:
    """Return the smallest share by which ``number`` could differ and read otherwise.

    A number that lies on a boundary exactly, such as 0.125 for ".2f", is taken to be exact: its
    margin is infinite.

    >>> f"{margin(42.55018, '.1f'):.1e}"
    '4.2e-06'
    """
    low, high = 1e-12, 1.0
    if not changes(number, spec, high):
        return high
    if is_tie(number, spec):
        return float("inf")
    while high / low > 1.01:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if changes(number, spec, middle) else (middle, high)
    return high


def changes(number: float, spec: str, share: float) -> bool:
    """Tell whether a number that differs by the share reads otherwise."""
    text = format(number, spec)
    return any(format(number * (1 + sign * share), spec) != text for sign in (-1, 1))


def is_tie(number: float, spec: str) -> bool:
    """Tell whether the number ends in a 5 exactly where the format cuts it off."""
    return changes(number, spec, 1e-14) and len(format(number, ".17g").lstrip("-0.")) < 12
