"""What is laid into the environment, and what is taken out of it again."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jupyterlab_server.settings_utils import get_settings

from workshop.hub import install
from workshop.hub.settings import Settings


def test_no_debugger_is_left_that_others_could_attach_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(
        install.subprocess, "run", lambda command, **_: ran.append([*map(str, command)])
    )
    monkeypatch.setattr(install, "proxy", lambda settings: None)
    settings = Settings(folder=tmp_path)
    kernel = settings.venv / "share/jupyter/kernels/python3/kernel.json"
    kernel.parent.mkdir(parents=True)
    kernel.write_text('{"argv": ["python"], "metadata": {"debugger": true}}')
    settings.python.parent.mkdir()
    settings.python.touch()
    install.others_packages(settings)
    verbs = ["install" if "install" in command else command[-1] for command in ran]
    assert verbs.index("debugpy") > verbs.index("install")
    assert "uninstall" in ran[verbs.index("debugpy")] and "install" not in verbs[2:]
    assert json.loads(kernel.read_text()) == {"argv": ["python"], "metadata": {"debugger": False}}


def test_jupyterlab_asks_no_student_about_news(tmp_path: Path) -> None:
    lab = Path(sys.prefix, "share", "jupyter", "lab")
    asks = "@jupyterlab/apputils-extension:notification"
    settings = Settings(folder=tmp_path)
    mine = settings.venv / "share/jupyter/lab/settings"

    def chosen() -> str:
        found, warnings = get_settings(str(mine), str(lab / "schemas"), "", asks)
        assert not any(warnings)
        return found["schema"]["properties"]["fetchNews"]["default"]

    assert chosen() == "none"  # which asks
    install.ask_nothing(settings)
    assert chosen() == "false"


def test_who_is_not_root_takes_the_proxy_along(tmp_path: Path) -> None:
    """Sudo drops each variable that it is not told to keep, and pip then finds no internet."""
    (tmp_path / "id").write_text("#!/bin/sh\necho 1000\n")
    (tmp_path / "id").chmod(0o755)
    done = subprocess.run(
        ["make", "-n", "hub"],
        cwd=install.ROOT,
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = [line for line in done.stdout.splitlines() if "workshop.hub" in line]
    sudo, kept, *_ = line.split()
    assert sudo == "sudo"
    kept_names = kept.removeprefix("--preserve-env=").split(",")
    assert set(kept_names) == {"HUB_FOLDER", "PIP_EXTRA_INDEX_URL", "HTTPS_PROXY"}


@pytest.mark.parametrize("target", ["hub", "hub-students", "hub-stop", "room-load"])
def test_an_old_python_gets_a_sentence(target: str, tmp_path: Path) -> None:
    python = tmp_path / "old-python"
    python.write_text(
        f"""#!/bin/sh
[ "$1" = -c ] || exit 3
exec {shlex.quote(sys.executable)} -c "import sys
sys.version_info = (3, 10, 9)
$2"
"""
    )
    python.chmod(0o755)
    (tmp_path / "id").write_text("#!/bin/sh\necho 0\n")
    (tmp_path / "id").chmod(0o755)
    shutil.copy(install.ROOT / "Makefile", tmp_path)
    done = subprocess.run(
        ["make", f"PYTHON={python}", target],
        cwd=tmp_path,
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "the course has packages for 3.11 to 3.14. Install one of these" in done.stderr
    assert "Error 1" in done.stderr, "the hub itself was not called"
