"""Lay out the folder that a platform's archive holds."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path
from string import Template

from workshop.archive import starter
from workshop.archive.fetch import sha256
from workshop.archive.platforms import Platform
from workshop.archive.recipe import Recipe
from workshop.archive.resolve import Wheel

HERE = Path(__file__).parent
STARTER = Path(inspect.getfile(starter.main)).parent
UNWANTED = shutil.ignore_patterns("__pycache__", ".*", "*.bib", "*.toml")
MACHINERY = ("uv",)  # wheels that install others, and are not installed
HOW = {
    "Linux": "In a terminal, in this folder: sh start.sh",
    "Darwin": "In Terminal, type sh and a blank, drag start.sh into the window, press Return.",
    "Windows": "Double-click start.bat.",
}
AROUND = 300_000_000  # bytes: settings, caches of Python and of the installer

Resolved = dict[str, list[Wheel]]  # for each Python


def assemble(recipe: Recipe, platform: Platform, resolved: Resolved, folder: Path) -> None:
    """Fill an empty folder with all that the archive holds, SHA256SUMS last."""
    shutil.copytree(recipe.site, folder / "site")
    shutil.copytree(recipe.notebooks, folder / "notebooks", ignore=UNWANTED)
    write_starter(folder / "starter")
    (folder / "wheels").mkdir()
    for name in sorted({wheel.file for wheels in resolved.values() for wheel in wheels}):
        link_or_copy(recipe.cache / name, folder / "wheels" / name)
    for wheel in recipe.own:
        shutil.copy(wheel, folder / "wheels")
    contents = contents_of(recipe, platform, resolved)
    (folder / "contents.json").write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")
    write_texts(folder, platform, contents)
    write_sums(folder, (path for path in folder.rglob("*") if path.is_file()))


def write_starter(folder: Path) -> None:
    """Write the package that starts the course, under the name that it has on a laptop."""
    folder.mkdir()
    for path in sorted(STARTER.glob("*.py")):
        text = path.read_text(encoding="utf-8").replace(starter.__name__, folder.name)
        (folder / path.name).write_text(text, encoding="utf-8", newline="\n")


def link_or_copy(source: Path, target: Path) -> None:
    """Have a file in another folder, without its bytes twice where the disk can do that."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)


def contents_of(recipe: Recipe, platform: Platform, resolved: Resolved) -> dict:
    """Return what contents.json says; starter/contents.py names each entry."""
    own = [wheel.name.split("-")[:2] for wheel in recipe.own]
    return {
        "title": recipe.title,
        "version": recipe.version,
        "platform": platform.name,
        "words": platform.words,
        "needs": platform.needs,
        "system": platform.system,
        "machine": platform.machine,
        "glibc": list(platform.glibc),
        "macos": list(platform.macos),
        "names": recipe.names(),
        "pythons": list(resolved),
        "install": {
            python: [f"{w.name}=={w.version}" for w in wheels if w.name not in MACHINERY]
            + [f"{name}=={version}" for name, version in own]
            for python, wheels in resolved.items()
        },
        "disk": {python: room_for(recipe, wheels) for python, wheels in resolved.items()},
        "longest": max(len(name) for name, _ in members(recipe, *resolved.values())),
        "first": recipe.first,
    }


def room_for(recipe: Recipe, wheels: list[Wheel]) -> int:
    """Return the bytes that the wheels take when they are installed, with Python's own cache."""
    return int(1.25 * sum(size for _, size in members(recipe, wheels))) + AROUND


def members(recipe: Recipe, *lists: list[Wheel]) -> list[tuple[str, int]]:
    """Return the path and the size of each file in the wheels that are installed."""
    names = {w.file for wheels in lists for w in wheels if w.name not in MACHINERY}
    found = []
    for path in [*(recipe.cache / name for name in sorted(names)), *recipe.own]:
        with zipfile.ZipFile(path) as wheel:
            found += [(entry.filename, entry.file_size) for entry in wheel.infolist()]
    return found


def write_texts(folder: Path, platform: Platform, contents: dict) -> None:
    """Write README.txt and the start scripts that the platform has a use for."""
    pythons = contents["pythons"]
    fields = {
        "title": contents["title"],
        "version": contents["version"],
        "words": platform.words,
        "needs": f" ({platform.needs})" if platform.needs else "",
        "pythons": " or ".join(pythons),
        "first": pythons[0],
        "commands": " ".join(f"python{python}" for python in pythons),
        "disk": f"{max(contents['disk'].values()) / 1e9:.1f}",
        "how": HOW[platform.system],
    }
    scripts = {"Windows": ["start.bat"]}.get(platform.system, ["start.sh"])
    for name in ["README.txt", "start.py", *scripts]:
        text = Template(
            (HERE / "texts" / f"{name}.template").read_text(encoding="utf-8")
        ).substitute(fields)
        for_windows = platform.system == "Windows" and not name.endswith(".py")
        path = folder / name
        path.write_text(text, encoding="utf-8", newline="\r\n" if for_windows else "\n")
        path.chmod(0o644 if name == "README.txt" else 0o755)


def write_sums(folder: Path, files: Iterable[Path]) -> None:
    """Write the checksums of files into SHA256SUMS, as `sha256sum --check` reads them."""
    named = sorted((path.relative_to(folder).as_posix(), path) for path in files)
    lines = [f"{sha256(path)}  {name}\n" for name, path in named]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8", newline="\n")
