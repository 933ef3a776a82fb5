"""``make check`` lets Sphinx build the pages that changed where nothing else did."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("_toc.yml", "book/one.ipynb", "book/two.md", "book/references.bib", "qlearn/it.py")
PINS = ("requirements.txt", "constraints.txt", "pyproject.toml")
SITE, STAMP = "_build/html/index.html", "_build/site-ready"
THEN, NOW = 1_000_000_000, 2_000_000_000
# In the place of Jupyter Book: says whether it finds a site, makes one, and fails if it is to.
BUILDS = f"""#!/bin/sh
test -f {SITE} && echo beside the others || echo from nothing
mkdir -p _build/html; echo > {SITE}
test -f killed && kill -9 $PPID
test -f slow && sleep 60
! test -f broken
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return a folder with a site that is as new as what it was made of."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "environment").mkdir()
    shutil.copy(ROOT / "environment/alone.py", tmp_path / "environment")
    programs = {".venv/bin/python": "#!/bin/sh\n", ".venv/bin/jupyter-book": BUILDS}
    stamp = {".venv/ready": f"{tmp_path}\n"}
    for name, text in (dict.fromkeys((*SOURCES, *PINS), "") | programs | stamp).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    build(tmp_path)
    for path in tmp_path.rglob("*"):
        os.utime(path, (THEN, THEN))
    return tmp_path


def build(course: Path, *changed: str) -> subprocess.CompletedProcess[str]:
    """Run make for the site after some files have changed."""
    for name in changed:
        os.utime(course / name, (NOW, NOW))
    command = ["make", "--no-print-directory", "site-changed"]
    return subprocess.run(command, cwd=course, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("changed", [(), ("book", "book/one.ipynb"), ("book/two.md",)])
def test_pages_are_built_beside_the_others(course: Path, changed: tuple[str, ...]) -> None:
    assert build(course, *changed).stdout == "beside the others\n"
    assert (course / STAMP).stat().st_mtime == THEN  # for make book the site is as old as it was


@pytest.mark.parametrize(
    "changed", ["_toc.yml", "book/references.bib", "qlearn/it.py", ".venv/ready"]
)
def test_anything_else_builds_all(course: Path, changed: str) -> None:
    assert "from nothing" in build(course, "book/one.ipynb", changed).stdout
    assert (course / STAMP).stat().st_mtime > THEN


@pytest.mark.parametrize("gone", ["qlearn/it.py", "book/two.md"])
def test_a_file_that_is_gone_builds_all(course: Path, gone: str) -> None:
    (course / gone).unlink()
    assert "from nothing" in build(course).stdout


def test_what_python_and_jupyterlab_leave_builds_nothing(course: Path) -> None:
    for folder in ("qlearn/__pycache__", "book/.ipynb_checkpoints"):
        (course / folder).mkdir()
        (course / folder / "copy").touch()
    command = ["make", "--no-print-directory", "-q", STAMP]
    assert subprocess.run(command, cwd=course, check=False).returncode == 0
    (course / "qlearn" / "it.py").touch()
    assert subprocess.run(command, cwd=course, check=False).returncode == 1


@pytest.mark.parametrize("how", ["broken", "killed"])
def test_after_a_build_that_failed_or_was_ended_all_is_built(course: Path, how: str) -> None:
    (course / how).touch()
    assert build(course, "book/one.ipynb").returncode == 2
    (course / how).unlink()
    done = build(course)
    assert (done.returncode, "from nothing" in done.stdout) == (0, True)


def test_after_ctrl_c_the_site_of_before_is_back(course: Path) -> None:
    (course / SITE).write_text("of before")
    (course / "slow").touch()
    (course / "qlearn" / "it.py").touch()
    # What runs in the background may have been told to ignore Ctrl-C, and so may its children.
    heeds = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL)"
    command = [sys.executable, "-c", f"{heeds}; os.execvp('make', ['make', '{STAMP}'])"]
    with subprocess.Popen(
        command, cwd=course, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as making:
        assert making.stdout is not None
        while making.stdout.readline() != "from nothing\n":
            pass
        os.killpg(making.pid, signal.SIGINT)
        assert "The site is still that of before" in making.stdout.read()
    assert making.returncode != 0
    assert (course / SITE).read_text() == "of before" and not (course / STAMP).exists()
