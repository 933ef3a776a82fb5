"""The places in which notebooks are run."""

import subprocess
import sys

from machines.run import run_notebook
from machines.settings import BY_NAME
from machines.workplace import root_of, without_override, workplace


def test_nothing_can_be_written_in_the_read_only_place():
    """Nor by root, nor by a process that the notebook starts with the same Python."""
    write = "open('here', 'w')"
    child = f"subprocess.run([sys.executable, '-c', {write!r}], check=True)"
    nested = f"import subprocess, sys; {child}"
    with workplace("read-only") as folder:
        command = [*without_override(), sys.executable, "-c", nested]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert not (folder / "here").exists()
    assert "PermissionError: [Errno 13] Permission denied: 'here'" in done.stderr


def test_other_places_are_copies_that_can_be_written():
    with workplace("a path with spaces") as folder:
        assert root_of(folder / "book" / "integers" / "requantization.ipynb") == folder
        (folder / "here").write_text("x")


def test_a_copy_has_all_that_a_notebook_needs():
    for name in ("spaces", "read-only"):
        with workplace(BY_NAME[name].place) as folder:
            run = run_notebook(folder / "book" / "intro.ipynb", BY_NAME[name])
            assert run.passed, run.said
