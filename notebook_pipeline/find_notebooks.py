"""Which notebooks are meant: those named, and those in the folders named."""

from __future__ import annotations

from pathlib import Path


class NotebookError(RuntimeError):
    """A notebook cannot be executed or written."""


def find_notebooks(places: list[Path]) -> list[Path]:
    """Return the given notebooks and those in the given folders, in this order, each once.

    Raises:
        NotebookError: if there is none, or if a place is neither a folder nor a notebook.
    """
    for place in places:
        if not place.is_dir() and not (place.is_file() and place.suffix == ".ipynb"):
            raise NotebookError(f"{place} is no folder and no notebook; name one that exists.")
    found = [
        path
        for place in places
        for path in ([place] if place.is_file() else sorted(place.rglob("*.ipynb")))
    ]
    notebooks = [path for path in dict.fromkeys(found) if ".ipynb_checkpoints" not in path.parts]
    if not notebooks:
        raise NotebookError(f"No notebook in {', '.join(map(str, places))}; name one that exists.")
    return notebooks
