"""The examples in the docstrings of modules outside qlearn, whose own pytest collects itself."""

from __future__ import annotations

import doctest
import importlib
import linecache
from pathlib import Path
from types import ModuleType

import pytest

from changes.files import module_at
from changes.plan import examples_test

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = [folder for folder in ROOT.glob("[!._]*/") if folder.name not in ("qlearn", "tests")]
MODULES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in FOLDERS
    for path in folder.rglob("*.py")
    if ">>> " in path.read_text("utf-8")
)
# What another environment has: the package, and what installs it
ELSEWHERE = {
    **dict.fromkeys(["aiohttp", "jupyterhub"], "make hub"),
    **dict.fromkeys(["bitsandbytes", "sklearn", "tensorflow", "transformers"], "make prove"),
    **dict.fromkeys(["executorch", "onnxscript", "safetensors"], "make measure"),
}


def complaint(module: ModuleType) -> str:
    """Run a module's examples; what doctest prints of each that fails, pytest shows."""
    linecache.clearcache()  # else doctest looks at each file in it, once for each docstring
    tried = doctest.testmod(module)
    if not tried.attempted:
        return "no example runs: doctest finds `>>> ` in docstrings of functions and classes alone"
    return f"{tried.failed} of {tried.attempted} examples fail" if tried.failed else ""


# With an id of its own: to a long one that it makes itself pytest gives a number instead.
@pytest.mark.parametrize("path", [pytest.param(path, id=path) for path in MODULES])
def test_the_examples_run(path: str, request: pytest.FixtureRequest) -> None:
    assert request.node.nodeid == examples_test(path)  # as make check asks for it
    try:
        module = importlib.import_module(module_at(path))
    except ModuleNotFoundError as missing:
        if missing.name not in ELSEWHERE:
            raise
        pytest.skip(f"{missing.name} is installed by `{ELSEWHERE[missing.name]}` alone")
    assert complaint(module) == "", path


def test_modules_are_found_wherever_they_lie() -> None:
    assert {"changes/files.py", "workshop/hub/trial/table.py"} <= set(MODULES)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (">>> 1 + 1\n2", ""),
        (">>> 1 + 1\n3", "1 of 1 examples fail"),
        ("What >>> does", "no example runs"),
    ],
    ids=["right", "wrong", "none"],
)
def test_a_wrong_example_and_none_are_noticed(words: str, says: str) -> None:
    assert complaint(ModuleType("module", words)).startswith(says)
