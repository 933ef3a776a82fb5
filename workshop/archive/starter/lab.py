"""The doctor, and JupyterLab on the student's notebooks, with settings of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from workshop.archive.starter.contents import Contents
from workshop.archive.starter.environment import clean_variables, own_python


def variables(folder: Path) -> dict[str, str]:
    """Return the variables under which the course runs: its results are the book's."""
    settings = folder / ".settings"  # all that programs would else write to the student's home
    (settings / "ipython").mkdir(parents=True, exist_ok=True)  # else IPython warns
    return dict(
        clean_variables(),
        OMP_NUM_THREADS="1",  # with more, results differ in their last bits
        JUPYTER_PREFER_ENV_PATH="1",
        JUPYTER_CONFIG_DIR=str(settings / "jupyter"),
        JUPYTER_DATA_DIR=str(settings / "jupyter-data"),
        JUPYTER_RUNTIME_DIR=str(settings / "jupyter-runtime"),
        IPYTHONDIR=str(settings / "ipython"),
        MPLCONFIGDIR=str(settings / "matplotlib"),
        npm_config_cache=str(settings / "npm"),  # JupyterLab asks a laptop's npm where it installs
    )


def quiet_settings(folder: Path) -> None:
    """Keep JupyterLab from asking whether it may fetch news, which it cannot."""
    file = folder / ".settings" / "jupyter" / "labconfig" / "default_setting_overrides.json"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        quiet = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}
        file.write_text(json.dumps(quiet), encoding="utf-8")


def see_doctor(folder: Path) -> bool:
    """Let the doctor look at this laptop; return what it says of it."""
    command = [str(own_python(folder)), "-m", "qlearn", "doctor"]
    return subprocess.call(command, env=variables(folder), cwd=str(folder)) == 0


def open_lab(folder: Path, own: Path, contents: Contents, arguments: list[str]) -> int:
    """Open JupyterLab, and return its exit status when it ends."""
    quiet_settings(folder)
    command = [
        str(own_python(folder)),
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={own}",
        f"--LabApp.default_url=/lab/tree/{contents.first}",
        # Without a network it must not look for other versions.
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        *(["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
        *arguments,
    ]
    sys.stdout.flush()
    if os.name != "nt":
        os.chdir(own)
        os.execve(command[0], command, variables(folder))
    process = subprocess.Popen(command, env=variables(folder), cwd=str(own))
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            pass  # it was JupyterLab's, too, which now asks whether to end
