"""A course so small that its archives are made and started within seconds, from local wheels."""

from __future__ import annotations

import platform
import sys
import zipfile
from pathlib import Path

from uv import find_uv_bin

from workshop.archive.platforms import PLATFORMS, Platform
from workshop.archive.recipe import Recipe
from workshop.archive.resolve import Sources

PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
LAB = """
import os, sys
print("the lab:", *sys.argv[1:])
print("threads:", os.environ["OMP_NUM_THREADS"], "path:", os.environ.get("PYTHONPATH"))
"""
DOCTOR = "import helper, sys; print('the', sys.argv[1], 'was here'); sys.exit(helper.STATUS)"


def here() -> Platform:
    """Return the platform of this machine."""
    machine = {"aarch64": "arm64"}.get(platform.machine(), platform.machine())
    (found,) = (p for p in PLATFORMS if (p.system, p.machine) == (platform.system(), machine))
    return found


def wheel(
    folder: Path,
    name: str,
    files: dict[str, bytes | str],
    *,
    version: str = "1.0",
    tag: str = "py3-none-any",
    needs: tuple[str, ...] = (),
) -> Path:
    """Write a wheel, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-{tag}.whl"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    info = f"{name}-{version}.dist-info"
    about = {
        f"{info}/METADATA": "\n".join([*lines, *(f"Requires-Dist: {need}" for need in needs), ""]),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n",
    }
    everything = files | about
    record = "".join(f"{entry},,\n" for entry in [*everything, f"{info}/RECORD"])
    with zipfile.ZipFile(path, "w") as packed:
        for entry, content in (everything | {f"{info}/RECORD": record}).items():
            packed.writestr(entry, content)
    return path


def recipe(folder: Path) -> Recipe:
    """Return a course of one page, two notebooks and three wheels, and uv beside them."""
    index = folder / "index"
    wheel(index, "jupyterlab", {"jupyterlab.py": LAB}, needs=("helper>=1",))
    wheel(index, "helper", {"helper.py": "STATUS = 0"})
    wheel(index, "helper", {"helper.py": "STATUS = 1"}, version="2.0")
    program = Path(find_uv_bin()).read_bytes()
    wheel(index, "uv", {"uv-1.0.data/scripts/uv": program})
    own = wheel(folder / "own", "qlearn", {"qlearn/__main__.py": DOCTOR}, version="0.1.0")
    (folder / "site").mkdir()
    (folder / "site" / "index.html").write_text("the first page")
    for name in ("start/tonight.ipynb", "numbers/scales.ipynb", "reference/signs.md"):
        path = folder / "book" / name
        path.parent.mkdir(parents=True)
        path.write_text(f"{name} as it was")
    (folder / "book" / "start" / ".ipynb_checkpoints").mkdir()
    return Recipe(
        title="Tiny, a Course",
        version="0.1.0",
        requirements=["jupyterlab==1.0", "uv==1.0"],
        constraints=["helper==1.0"],
        sources=Sources(links=(str(index),), no_index=True),
        site=folder / "site",
        notebooks=folder / "book",
        first="start/tonight.ipynb",
        own=(own,),
        cache=folder / "wheels",
        target=folder / "workshop",
    )
