"""Notebooks in one setting, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from machines.forks import LONGEST, Ended
from machines.newest import python_with
from machines.settings import ALWAYS, Setting
from machines.workplace import root_of, without_override

HOOKS = Path(__file__).resolve().parent / "hooks"
LEFT_OUT = ("PYTHONPATH", "COURSE_MACHINE", "MPLBACKEND")


@dataclass
class Run:
    """What came of it: cells by verdict, what the process said, and 0 if it came to its end."""

    notebook: str
    verdicts: dict[str, str]
    said: str
    ended: int

    @property
    def passed(self) -> bool:
        """Tell whether the notebook ran to its end and no cell is red."""
        return self.ended == 0 and bool(self.verdicts) and "red" not in self.verdicts.values()


def run_notebook(notebook: Path, setting: Setting) -> Run:
    """Execute a notebook as ``python -m machines.notebook`` does, in the setting."""
    root = root_of(notebook)
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "cells.json"
        Path(folder).chmod(0o777)
        python = str(python_with(setting.torch)) if setting.torch else sys.executable
        command = [python, "-m", "machines.notebook", "--json", str(answer), str(notebook)]
        if setting.place == "read-only":
            command = [*without_override(), *command]
        try:
            ended = subprocess.run(
                command,
                cwd=root,
                env=environment(setting, root, Path(folder)),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Run(str(notebook.relative_to(root)), {}, f"not done after {LONGEST} seconds", 1)
        cells = json.loads(answer.read_text("utf-8")) if answer.exists() else []
    verdicts = {cell["name"]: cell["verdict"] for cell in cells}
    return Run(str(notebook.relative_to(root)), verdicts, ended.stdout, ended.returncode)


def run_forked(notebooks: list[Path], setting: Setting, workers: int) -> list[Run]:
    """Execute notebooks as ``python -m machines.forked`` does, in the setting."""
    root = root_of(notebooks[0])
    with tempfile.TemporaryDirectory() as name:
        answers = Path(name) / "answers.json"
        command = [sys.executable, "-m", "machines.forked", "--answers", str(answers)]
        command += ["--workers", str(workers), *map(str, notebooks)]
        subprocess.run(command, cwd=root, env=environment(setting, root, Path(name)), check=True)
        ended = [Ended(**one) for one in json.loads(answers.read_text("utf-8"))]
    return [
        Run(
            str(notebook.relative_to(root)),
            one.answer or {},
            f"{one.said}{one.died}",
            int(bool(one.died)),
        )
        for notebook, one in zip(notebooks, ended, strict=True)
    ]


def missing(setting: Setting) -> str:
    """Return what keeps this machine from a setting, and what to do; else an empty string."""
    if setting.torch and not setting.possible:
        return f"torch {setting.torch} is not there: `make newest` installs it"
    if not setting.possible:
        return f"this processor has no {setting.needs}: run {setting.name} on one that has"
    return missing_locale(setting.variables.get("LC_ALL", "C"))


def missing_locale(name: str) -> str:
    """Return what to do if the system lacks a locale: programs would take C and say nothing."""
    known = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=True).stdout
    wanted = name.lower().replace("utf-8", "utf8")
    if wanted in known.lower().split():
        return ""
    language, _, encoding = name.partition(".")
    return (
        f"the locale {name} is not there; on Debian: apt-get install locales && "
        f"localedef -i {language} -f {encoding} {name}"
    )


def environment(setting: Setting, root: Path, scratch: Path) -> dict[str, str]:
    """Return the variables for the process: this machine's, what holds always, the setting's."""
    inherited = {k: v for k, v in os.environ.items() if k not in LEFT_OUT}
    ours = {
        "PYTHONPATH": os.pathsep.join([str(HOOKS), str(root)]),
        "COURSE_MACHINE": setting.hooks,
        "IPYTHONDIR": str(scratch / "ipython"),
        "MPLCONFIGDIR": str(scratch / "matplotlib"),
    }
    return inherited | ALWAYS | ours | setting.variables
