"""What ``import qlearn`` offers."""

import ast
import inspect
from pathlib import Path

import qlearn


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
