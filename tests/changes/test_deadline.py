"""When the time is over only the nearest file is tested, and what is left is counted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from changes.deadline import VARIABLE, is_over, left, left_in

ROOT = Path(__file__).resolve().parents[2]
NEAREST = """
import os
import time

def test_begun():
    os.environ["CHECK_UNTIL"] = str(time.time() - 1)

def test_of_the_same_file():
    assert os.environ["CHECK_UNTIL"]
"""
TESTS = """
def test_left(no_such_fixture):
    assert False

def test_also_left():
    assert False
"""


def test_there_is_none_where_nobody_named_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert not is_over()


@pytest.mark.parametrize(("moment", "over"), [("1", True), ("1e12", False)])
def test_it_is_a_moment(moment: str, over: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, moment)
    assert is_over() == over


@pytest.mark.parametrize("both", [[], ["-n", "1"]], ids=["alone", "by a worker"])
def test_tests_that_come_too_late_are_left_and_counted(both: list[str], tmp_path: Path) -> None:
    (tmp_path / "test_near.py").write_text(NEAREST, "utf-8")
    (tmp_path / "test_far.py").write_text(TESTS, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "changes.deadline", *both]
    command += ["test_near.py", "test_far.py"]
    path = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert left(2, 4, "tests") in done.stdout and "2 passed" in done.stdout
    assert left_in([done.stdout]) == "The time was over: 2 of 4 tests are left to make test."
    assert "s" not in done.stdout.splitlines()[0].partition(" ")[0]


def test_nothing_is_said_where_nothing_was_left() -> None:
    assert left_in(["2 passed", ""]) == ""


def test_notebooks_that_come_too_late_are_left_and_counted() -> None:
    command = [sys.executable, "-m", "notebook_pipeline.check_in_forks", "book/intro.ipynb"]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {VARIABLE: "1"}, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == [left(1, 1, "notebooks")] and done.returncode == 0
