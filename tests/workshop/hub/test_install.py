"""What is laid into the environment, and what is taken out of it again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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
