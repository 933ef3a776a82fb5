"""Whether the course can be installed here: the right laptop, a folder to write to, room in it."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from pathlib import Path

from workshop.archive.starter.contents import Contents
from workshop.archive.starter.problem import Problem

LONGEST = 259  # characters that Windows allows in a path, unless it was told to allow more
SITE_PACKAGES = "\\venv\\Lib\\site-packages\\"


def check_system(contents: Contents, system: str | None = None, machine: str | None = None) -> None:
    """Refuse an archive for other laptops.

    Raises:
        Problem: it is for another system, with the name of the right one if there is one.
    """
    system = system or platform.system()
    machine = (machine or platform.machine()).lower()
    machine = {"amd64": "x86_64", "aarch64": "arm64"}.get(machine, machine)
    # A Python for another processor may run on this one; find_python looks at that.
    translated = system != "Linux" and contents.system == system
    if (system, machine) == (contents.system, contents.machine) or translated:
        return
    name = contents.names.get(f"{system} {machine}")
    right = f"Take {name}." if name else "There is none for it: read the pages in site/ instead."
    here = {"Darwin": "macOS"}.get(system, system)
    raise Problem(f"This archive is for {contents.words}; this is {here} on {machine}. {right}")


def check_folder(folder: Path, contents: Contents) -> None:
    """Refuse a folder in which nothing can be installed.

    Raises:
        Problem: it cannot be written, or its disk has no links, or its path is too long.
    """
    try:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            if os.name != "nt":
                os.symlink("nothing", os.path.join(scratch, "link"))
    except OSError as error:
        raise Problem(
            f"Nothing can be installed in {folder} ({error.strerror}): it may be a stick, or a "
            "folder of somebody else. Copy the folder to your own disk, and start it there."
        ) from None
    length = len(str(folder)) + len(SITE_PACKAGES) + contents.longest
    if os.name == "nt" and length > LONGEST and not long_paths():
        raise Problem(
            f"The path of this folder has {len(str(folder))} characters, and Windows allows "
            f"{LONGEST - length + len(str(folder))} here. Move it to a shorter one, like "
            f"C:\\course, and start again."
        )


def check_room(folder: Path, needed: int) -> None:
    """Refuse a disk that is too full.

    Raises:
        Problem: it has less room than is needed.
    """
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise Problem(
            f"The disk has {free / 1e9:.1f} GB free, and the course needs {needed / 1e9:.1f} GB "
            f"beside what is unpacked. Make room, or copy the folder to another disk."
        )


def long_paths() -> bool:
    """Tell whether this Windows was told to allow long paths."""
    try:
        import winreg

        key = winreg.OpenKey(  # type: ignore[attr-defined,unused-ignore]
            winreg.HKEY_LOCAL_MACHINE,  # type: ignore[attr-defined,unused-ignore]
            r"SYSTEM\CurrentControlSet\Control\FileSystem",
        )
        value = winreg.QueryValueEx(key, "LongPathsEnabled")[0]  # type: ignore[attr-defined,unused-ignore]
    except (ImportError, OSError):
        return False
    return value == 1
