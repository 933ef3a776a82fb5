"""As many processes as processors, within what memory holds, or as one asks."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from environment.workers import FEWEST, MOST, workers, workers_here

ROOT = Path(__file__).resolve().parents[2]
GIB = 2**30


@pytest.mark.parametrize(
    ("processors", "gib", "expected"),
    [(1, 64, FEWEST), (2, 2, FEWEST), (4, 16, 4), (8, 16, 4), (6, 64, 6), (64, 256, MOST)],
)
def test_processors_and_memory_decide(processors: int, gib: int, expected: int) -> None:
    assert workers(processors, gib * GIB) == expected


def test_whoever_asks_gets_another_number(monkeypatch: pytest.MonkeyPatch) -> None:
    assert workers(16, 2 * GIB, {"WORKERS": "5"}) == 5
    monkeypatch.setenv("WORKERS", "1")
    assert workers_here() == 1


@pytest.mark.parametrize("asked", ["0", "-1", "two", "1.5", "²"])
def test_what_is_no_number_of_processes_is_refused(asked: str) -> None:
    with pytest.raises(ValueError, match=f"WORKERS is '{re.escape(asked)}': give a whole number"):
        workers(2, 8 * GIB, {"WORKERS": asked})


def test_no_test_starts_where_the_number_is_wrong() -> None:
    """The recipe ends with the sentence: pytest never runs."""
    recipe = re.search(r"^PYTEST = (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert recipe
    command = recipe[1].replace("$$", "$").replace("$(PY)", sys.executable)
    ended = subprocess.run(
        ["sh", "-c", f"{command} --version"],
        cwd=ROOT,
        env={"WORKERS": "none", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("WORKERS is 'none'")
    assert "pytest" not in ended.stdout
