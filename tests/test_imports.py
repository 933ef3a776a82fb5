"""qlearn without qlearn.course stands on torch, numpy and jaxtyping, and never on torch.ao."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# Prints what an import of every module of a package brings along, beyond what torch brings.
BROUGHT = """
import importlib, pkgutil, sys
import jaxtyping, numpy, torch

def import_all(name):
    module = importlib.import_module(name)
    for found in pkgutil.iter_modules(getattr(module, "__path__", []), name + "."):
        if found.name != "qlearn.course" and not found.name.endswith("__main__"):
            import_all(found.name)

before = set(sys.modules)
import_all(sys.argv[1])
print("\\n".join(sorted(set(sys.modules) - before)))
"""
# What the extra `course` is for, and what PyTorch is about to remove
HEAVY = ("torch.ao", "torchao", "matplotlib", "anywidget", "ipywidgets", "traitlets")


def brought_along(package: str, folder: Path | None = None) -> set[str]:
    """Return the modules that come with all modules of `package`, in a Python of its own."""
    done = subprocess.run(
        [sys.executable, "-c", BROUGHT, package],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def heavy(modules: set[str]) -> list[str]:
    """Return those of the modules that a plain `pip install qlearn` must do without."""
    return sorted(m for m in modules if m.startswith(HEAVY))


def test_qlearn_without_course_imports_nothing_heavy() -> None:
    modules = brought_along("qlearn")
    assert {"qlearn.numbers.quantize", "qlearn.integers.requantization"} <= modules
    assert heavy(modules) == [], "move what needs these to qlearn/course, or import it there"
    exercises = [name for name in modules if name.startswith("qlearn.course.exercises.chapters")]
    assert exercises == [], "import exercises when the first one is checked"


def test_a_heavy_import_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "light").mkdir()
    (tmp_path / "light" / "__init__.py").touch()
    # torch itself imports neither of them.
    (tmp_path / "light" / "module.py").write_text("import matplotlib, torch.ao.ns.fx.utils")
    found = heavy(brought_along("light", tmp_path))
    assert {"matplotlib", "torch.ao.ns.fx.utils"} <= set(found)
