"""The wheel holds what the package needs, and works where there is no checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from workshop.archive.own_wheel import build_wheel

# Runs beside an installed wheel: the core, the data, and a widget's JavaScript.
TRY = """
import sys
import torch
import qlearn
from qlearn.course.widgets import Saturation

assert qlearn.__file__.startswith(sys.argv[1]), qlearn.__file__
qparams = qlearn.QParams(0.5, 0, -128, 127, torch.int8)
print(qlearn.quantize(torch.tensor([0.0, 1.0, 100.0]), qparams).tolist())
print(len(qlearn.load_digits()[0]))
widget = Saturation()
assert "export default" in widget._esm and ".qb-" in widget._css
print(repr(widget))
"""


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """Return what a command prints; where it fails, so does the test, with its words."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def left_out(package: Path, held: set[str]) -> list[str]:
    """Return the files of the package's folder, by their path, that are not among those held."""
    files = (path for path in package.rglob("*") if path.is_file())
    names = {path.relative_to(package.parent).as_posix() for path in files}
    # A Markdown file beside widgets is for who writes one; the data's names the data's licence.
    unneeded = {n for n in names if n.endswith(".md") and "/data/" not in n}
    return sorted(names - unneeded - held)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def test_the_wheel_holds_each_file_of_the_package_and_the_licences(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    package = wheel.parent / "source" / "qlearn"
    assert left_out(package, held) == [], "name their kind in pyproject.toml's package-data"
    assert "qlearn/py.typed" in held
    assert {name.rpartition("/")[2] for name in held if "/licenses/" in name} == {
        "LICENSE",
        "LICENSE-CONTENT",
        "NOTICE",
    }


def test_a_file_that_the_wheel_lacks_is_named(tmp_path: Path) -> None:
    package = tmp_path / "qlearn"
    package.mkdir()
    for name in ("__init__.py", "widget.js", "README.md"):
        (package / name).touch()
    assert left_out(package, {"qlearn/__init__.py"}) == ["qlearn/widget.js"]


def test_the_wheel_works_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    run(*pip, "--no-deps", "--no-index", "--target", target, wheel, cwd=tmp_path)
    printed = run(sys.executable, "-c", TRY, target, cwd=tmp_path, PYTHONPATH=str(target))
    assert printed.splitlines()[:2] == ["[0, 2, 127]", "1797"]
    assert "Saturation(" in printed
