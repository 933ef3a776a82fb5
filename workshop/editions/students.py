"""The edition for students: notebooks without solutions, and the site that is built from them.

python -m workshop.editions.students             # both, two minutes
python -m workshop.editions.students notebooks   # the notebooks alone, some seconds
"""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from notebook_pipeline.find_notebooks import find_notebooks
from site_builder.contents import ROOT
from workshop.editions.strip import solutions, without_solutions

# What the site's build reads beside the book
BESIDE = (
    "_config.yml",
    "_toc.yml",
    "pyproject.toml",
    "api_status",
    "machines",
    "proofs",
    "qlearn",
    "site_builder",
    "workshop",
)
LONG = 40  # letters of a line that stands in a solution and nowhere else


class BuildError(RuntimeError):
    """The site of the students could not be built, or it shows a solution."""


def main(*parts: str) -> str | None:
    """Write the edition; return a sentence if that was not possible."""
    target = ROOT / "_build" / "students"
    try:
        count = write_notebooks(ROOT / "book", target / "source" / "book")
        if parts != ("notebooks",):
            site = build(target / "source")
            refuse_leaks(list(leaks(ROOT / "book", target / "source" / "book", site)))
            replace(target / "site", site)
    except (BuildError, ValueError) as error:
        return str(error)
    hand_over(target)
    print(f"{count} notebooks without solutions: {target / 'notebooks'}")
    if parts != ("notebooks",):
        print(f"The site without them: open {target / 'site' / 'index.html'}")
    return None


def refuse_leaks(found: list[str]) -> None:
    """Refuse an edition that shows what it should not.

    Raises:
        BuildError: naming the page and the line.
    """
    if found:
        raise BuildError("The students' site shows a solution: " + "; ".join(found[:5]))


def write_notebooks(book: Path, target: Path) -> int:
    """Copy the book without its solutions; return how many notebooks it has.

    Raises:
        ValueError: naming the notebook whose marks of solutions do not match.
    """
    shutil.rmtree(target.parent, ignore_errors=True)
    shutil.copytree(book, target, ignore=shutil.ignore_patterns(".*"))
    paths = notebooks(target)
    for path in paths:
        try:
            stripped = without_solutions(read(path))
        except ValueError as error:
            raise ValueError(f"{path.relative_to(target)}: {error}") from None
        nbformat.write(stripped, path)
    return len(paths)


def build(source: Path) -> Path:
    """Build the site of the stripped notebooks, as `make book` does it; return its folder.

    Raises:
        BuildError: with what the build said.
    """
    for name in BESIDE:
        (source / name).symlink_to(ROOT / name)
    done = subprocess.run(
        [Path(sys.executable).with_name("jupyter-book"), "build", ".", "-n", "-W", "--keep-going"],
        cwd=source,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = (done.stdout + done.stderr)[-3000:]
        raise BuildError(f"The students' site could not be built:\n{said}")
    return source / "_build" / "html"


def hand_over(target: Path) -> None:
    """Leave the notebooks alone where they were written, without what the build needed."""
    replace(target / "notebooks", target / "source" / "book")
    shutil.rmtree(target / "source")


def replace(old: Path, new: Path) -> None:
    """Put a folder in the place of the one of before, which stays until the new one is good."""
    shutil.rmtree(old, ignore_errors=True)
    new.rename(old)


def leaks(book: Path, handed: Path, site: Path) -> Iterator[str]:
    """Yield each long line that stands in a solution of the book alone, and yet on a page.

    `handed` are the notebooks without solutions: what they say may stand on a page.
    """
    said = "\n".join(text for path in notebooks(handed) for text in texts(read(path)))
    lines = {line for path in notebooks(book) for line in long_lines(solutions(read(path)))}
    hidden = sorted(line for line in lines if line not in said)
    for path in sorted(site.rglob("*.html")):
        text = shown(path.read_text(encoding="utf-8"))
        yield from (f"{path.relative_to(site)} has {line!r}" for line in hidden if line in text)


def notebooks(folder: Path) -> list[Path]:
    """Return the notebooks of a book."""
    return find_notebooks([folder])


def read(path: Path) -> NotebookNode:
    """Read a notebook."""
    return nbformat.read(path, as_version=4)


def texts(notebook: NotebookNode) -> Iterator[str]:
    """Yield the texts of a notebook's cells."""
    yield from (cell.source for cell in notebook.cells)


def long_lines(parts: Iterable[str]) -> Iterator[str]:
    """Yield the lines that are too long to be the same by chance, and have no marks of Markdown."""
    lines = (line.strip() for part in parts for line in part.splitlines())
    yield from (line for line in lines if len(line) >= LONG and not set(line) & set("`$[]*{}"))


def shown(page: str) -> str:
    """Return what a page shows, without its tags."""
    return html.unescape(re.sub(r"<[^>]*>", "", page))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
