"""Start the course on a laptop that has nothing but Python: the steps, in their order.

This folder goes into each archive. It runs on Python 3.8 and later with nothing installed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from workshop.archive.starter.alone import alone
from workshop.archive.starter.contents import Contents, damaged, read_contents
from workshop.archive.starter.environment import in_words, is_ready, make, tidy
from workshop.archive.starter.lab import open_lab, see_doctor
from workshop.archive.starter.notebooks import bring_notebooks
from workshop.archive.starter.problem import Problem
from workshop.archive.starter.pythons import find_python
from workshop.archive.starter.surroundings import check_folder, check_room, check_system

OWN = "my-notebooks"


def main(arguments: list[str]) -> int:
    """Start the course; what the command line says besides is for JupyterLab."""
    folder = Path(__file__).resolve().parent.parent
    try:
        contents = read_contents(folder)
        check_system(contents)
        check_folder(folder, contents)
        with alone(folder / ".start-lock"):
            new = not is_ready(folder, contents)
            if new:
                install(folder, contents)
            bring_notebooks(folder / "notebooks", folder / OWN)
        if new and not see_doctor(folder):
            say("The doctor has said no to something above: show it to your instructor.")
        say(f"Your notebooks are in {folder / OWN}. To end: Ctrl-C in this window.")
        return open_lab(folder, folder / OWN, contents, arguments)
    except Problem as problem:
        say(str(problem), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def install(folder: Path, contents: Contents) -> None:
    """Make the environment, unless something stands in the way.

    Raises:
        Problem: what that is.
    """
    say(f"{contents.title}, version {contents.version}: the first start takes a minute or more.")
    python = find_python(contents)
    check_room(folder, contents.disk[python.minor])
    say("Looking whether all files of the archive are whole ...")
    broken = damaged(folder)
    if broken:
        more = f", and {len(broken) - 1} more" if len(broken) > 1 else ""
        raise Problem(
            f"The archive was not copied whole: {broken[0]} is missing or damaged{more}. Copy the "
            "archive again, and unpack it again; what is in my-notebooks stays."
        )
    say(in_words(python, contents))
    try:
        by = make(folder, python, contents)
    finally:
        tidy(folder)
    say(f"Installed by {by}. Now the doctor looks at this laptop:\n")


def say(text: str, file: TextIO | None = None) -> None:
    """Print, whatever characters the terminal knows."""
    stream = file or sys.stdout
    encoding = stream.encoding or "ascii"
    print(text.encode(encoding, "backslashreplace").decode(encoding), file=stream, flush=True)
