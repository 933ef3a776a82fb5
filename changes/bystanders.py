"""For which definitions a file stands that is no Python: data, a script, a style sheet, a page.

It stands for those whose strings name it, and so does a Python file, which may be run by its path.
A script stands for those of its own package and of the scripts that import it, too. A file that its
package does not name stands for all of the package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from changes.graph import Graph
from proofs.bindings import Place

BROWSER_CODE = (".js", ".mjs", ".css")
IMPORTED = re.compile(r"""(?:\bfrom|\bimport|@import)\s*\(?\s*["'](\.[^"']+)["']""")


def places_of_file(path: str, graph: Graph, files: dict[str, str]) -> set[Place]:
    """Return the places; ``files`` has the texts of all files that are no Python, by path."""
    paths = {path}
    if path.endswith(BROWSER_CODE):
        paths |= importers(path, files)
    places: set[Place] = set()
    for one in paths:
        places |= set(that_name(one, graph, files))
        folder = str(PurePosixPath(one).parent)
        if one.endswith(BROWSER_CODE) and _is_package(folder, graph):
            places |= set(_in_folder(folder, graph))
    package = next((f for f in map(str, PurePosixPath(path).parents) if _is_package(f, graph)), "")
    named = any(graph.paths[place.module].startswith(f"{package}/") for place in places)
    return places if named or not package else places | set(_below(package, graph))


def that_name(path: str, graph: Graph, files: dict[str, str]) -> Iterator[Place]:
    """Yield the definitions whose strings name the file; with its folder, if it has twins.

    A string also names a Python file in no package by importing it.
    """
    file = PurePosixPath(path)
    twins = sum(PurePosixPath(other).name == file.name for other in {*files, *graph.paths.values()})
    name = file.name if twins < 2 else f"{file.parent.name}/{file.name}"
    word = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    alone = file.suffix == ".py" and not _is_package(str(file.parent), graph)
    for place, definition in graph.places():
        imported = alone and file.stem in definition.named
        if imported or any(map(word.search, definition.strings)):
            yield place


def may_be_run(path: str) -> bool:
    """Tell whether a file is Python that something may run by its path: no package, no test.

    >>> may_be_run("qlearn/doctor/probe_torch.py"), may_be_run("tests/test_doctor.py")
    (True, False)
    """
    name = PurePosixPath(path).name
    return name.endswith(".py") and name != "__init__.py" and not name.startswith("test_")


def importers(path: str, files: dict[str, str]) -> set[str]:
    """Return the scripts that import a script, directly or by another."""
    found = {path}
    scripts = {one: set(_imports(one, text)) for one, text in files.items() if _is_script(one)}
    while new := {one for one, used in scripts.items() if used & found} - found:
        found |= new
    return found


def _is_package(folder: str, graph: Graph) -> bool:
    return f"{folder}/__init__.py" in graph.paths.values()


def _is_script(path: str) -> bool:
    return path.endswith(BROWSER_CODE)


def _imports(path: str, text: str) -> Iterator[str]:
    """Yield the paths that a script imports."""
    for found in IMPORTED.findall(text):
        parts: list[str] = []
        for part in (PurePosixPath(path).parent / found).parts:
            parts = parts[:-1] if part == ".." else [*parts, part]
        yield "/".join(parts)


def _in_folder(folder: str, graph: Graph) -> Iterator[Place]:
    """Yield the definitions of the modules that lie in a folder."""
    for place, _ in graph.places():
        if graph.paths[place.module].rpartition("/")[0] == folder:
            yield place


def _below(folder: str, graph: Graph) -> Iterator[Place]:
    """Yield the definitions of the modules that lie below a folder."""
    for place, _ in graph.places():
        if graph.paths[place.module].startswith(f"{folder}/"):
            yield place
