"""What runs before a student's server: JupyterLab is imported, and calls no program."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

NODE = """#!/bin/sh
echo called >> "$(dirname "$0")/calls"
"""


@pytest.mark.skipif(os.name != "posix", reason="here node is a script of a shell")
@pytest.mark.parametrize(
    ("program", "called"),
    [
        ("import jupyterlab.labapp", True),
        ("from workshop.hub.start import import_lab; import_lab()", False),
    ],
    ids=["as it is", "for a student"],
)
def test_jupyterlab_asks_yarn_for_nothing(tmp_path: Path, program: str, called: bool) -> None:
    node = tmp_path / "node"
    node.write_text(NODE)
    node.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    program += "; import os; print(os.environ['PATH'])"
    command = [sys.executable, "-W", "ignore", "-c", program]
    said = subprocess.run(
        command, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == path
    assert (tmp_path / "calls").exists() is called
