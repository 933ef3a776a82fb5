"""Find out the facts; a fact that cannot be found out is no reason to stop."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from qlearn.doctor.children import run_child
from qlearn.doctor.facts import Facts, Folder, Torch
from qlearn.doctor.pins import find_packages
from qlearn.doctor.venv_state import find_checkout, runs_in, venv_state

LIMITS = ("ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "FBGEMM_ENABLE_INSTRUCTIONS", "MKL_CBWR")
CGROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
TRIAL = b"\0" * 2**20  # on a full disk an empty file may still be made


def all_facts() -> Facts:
    """Return all facts about this machine; it takes about ten seconds."""
    checkout = find_checkout()
    unknown: dict[str, str] = {}
    attempt = noting(unknown)
    browser, browser_error = attempt("browser", lambda: find_browser(checkout), (None, None))
    disk, disk_at = attempt("disk", lambda: find_disk(checkout), (None, ""))
    return Facts(
        python=sys.version_info[:3],
        executable=sys.executable,
        checkout=str(checkout) if checkout else None,
        venv=attempt("venv", lambda: venv_state(checkout) if checkout else None),
        in_venv=bool(checkout and runs_in(checkout)),
        packages=attempt("packages", lambda: find_packages(checkout), []),
        torch=attempt("torch", find_torch, Torch()),
        system=platform.system(),
        processor=platform.machine(),
        limits={name: os.environ[name] for name in LIMITS if name in os.environ},
        cores=attempt("cores", count_cores),
        threads_variable=os.environ.get("OMP_NUM_THREADS"),
        memory=attempt("memory", find_memory),
        disk=disk,
        disk_at=disk_at,
        folders=attempt("folders", lambda: find_folders(checkout), []),
        kernel=attempt("kernel", find_kernel),
        browser=browser,
        browser_error=browser_error,
        unknown=unknown,
    )


def noting(unknown: dict[str, str]) -> Callable[..., Any]:
    """Return what tries to find a fact; why one cannot be found, it notes in ``unknown``."""

    def attempt(name: str, find: Callable[[], Any], otherwise: Any = None) -> Any:
        try:
            return find()
        except Exception as error:  # the doctor never crashes, whatever is broken
            unknown[name] = f"{type(error).__name__}: {error}"
            return otherwise

    return attempt


def find_torch() -> Torch:
    """Return what torch says in a process of its own, and what it said before it died."""
    found, error = run_child("probe_torch.py")
    if error and found.get("listed") and "engines" not in found:
        alone = {name: run_child("probe_torch.py", name)[0] for name in found["listed"]}
        found["engines"] = [name for name, said in alone.items() if said.get("works")]
    return Torch(**found, error=error)


def count_cores() -> int | None:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def find_memory() -> int:
    """Return the bytes of memory that there are, or that a container or a JupyterHub allows."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for file in CGROUPS:
        try:
            text = Path(file).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdigit():
            limits.append(int(text))
    of_hub = os.environ.get("MEM_LIMIT", "")  # JupyterHub says it in bytes
    if of_hub.isdecimal() and int(of_hub) > 0:
        limits.append(int(of_hub))
    return min(limits)


def find_disk(checkout: Path | None) -> tuple[int, str]:
    """Return the free bytes of the course's folder, and which that is.

    Where qlearn alone is installed, they are those of the fuller one of two: the folder of the
    notebook, which on a hub is as large as the student's share, and that for temporary files.
    """
    folders = [checkout] if checkout else [Path.cwd(), Path(tempfile.gettempdir())]
    return min((shutil.disk_usage(folder).free, str(folder)) for folder in folders)


def find_folders(checkout: Path | None) -> list[Folder]:
    """Try to write a megabyte to each folder that something is written to."""
    wanted = {"temporary files": tempfile.gettempdir, "settings and caches": Path.home}
    if checkout is not None:
        wanted = {"the course": lambda: checkout, **wanted}
    folders = []
    for purpose, where in wanted.items():
        path = ""
        try:
            path = str(where())
            with tempfile.TemporaryFile(dir=path) as file:
                file.write(TRIAL)
        except (OSError, RuntimeError) as error:  # no such folder; no home
            folders.append(Folder(purpose, path, getattr(error, "strerror", None) or str(error)))
        else:
            folders.append(Folder(purpose, path))
    return folders


def find_kernel() -> str | None:
    """Return None if a Jupyter kernel starts and computes, else the reason why not."""
    found, error = run_child("probe_kernel.py")
    if error is None and found.get("answer") != "42":
        return f"asked for 6 * 7 it said {found.get('answer')!r}"
    return error


def find_browser(checkout: Path | None) -> tuple[str | None, str | None]:
    """Return the path of a Chromium that starts, or why there is none, as the tests look for it."""
    if checkout is None:
        return None, None
    path = checkout / "environment" / "find_browser.py"
    spec = importlib.util.spec_from_file_location("find_browser_of_the_course", path)
    if spec is None or spec.loader is None:
        return None, f"{path} cannot be read"
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    try:
        return module.find_browser(), None
    except module.NoBrowserError as error:
        return None, str(error)
