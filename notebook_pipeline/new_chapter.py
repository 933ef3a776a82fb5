"""Begin a chapter: copy the template into its part and put it into the table of contents.

    python -m notebook_pipeline.new_chapter your_own_model models     (make new-chapter)

The template keeps every rule for notebooks, so the chapter begins green and stays so.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = Path(__file__).resolve().parent / "template.ipynb"
TITLE = "Template of a chapter"
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


class ChapterError(ValueError):
    """A chapter cannot begin under this name, or in this part."""


def chapters(toc: str, part: str) -> list[str]:
    """Return the chapters of a part in a table of contents, without their sections."""
    entries = [chapter for entry in yaml.safe_load(toc)["parts"] for chapter in entry["chapters"]]
    names = [entry["file"] for entry in entries]
    return [name for name in names if name.startswith(f"book/{part}/")]


def with_chapter(toc: str, part: str, name: str) -> str:
    """Return the table of contents with a chapter at the end of its part.

    Only a line is added, so that comments and the rest of the form stay.

    Raises:
        ChapterError: the part has no chapter yet, so nobody can tell where it stands.
    """
    before = chapters(toc, part)
    if not before:
        parts = sorted(set(re.findall(r"file: book/(\w+)/", toc)))
        raise ChapterError(
            f"PART={part!r} is no part of the book; they are {', '.join(parts)}. For a new part, "
            "first write its caption and its first chapter into _toc.yml"
        )
    lines = toc.splitlines(keepends=True)
    own = [i for i, line in enumerate(lines) if f"file: book/{part}/" in line]
    first = next(i for i in own if re.search(rf"{before[0]}\b", lines[i]))
    indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
    lines.insert(own[-1] + 1, f"{indent}- file: book/{part}/{name}\n")
    text = "".join(lines)
    assert chapters(text, part) == [*before, f"book/{part}/{name}"]
    return text


def check_name(name: str, book: Path) -> None:
    """Raise unless a chapter can have this name.

    Raises:
        ChapterError: it is no plain name, or a page of the book has it.
    """
    if not NAME.fullmatch(name):
        raise ChapterError(
            f"NAME={name!r} cannot name a chapter: use small letters, digits and single "
            "underscores, as in NAME=your_own_model"
        )
    for path in sorted(book.rglob(f"{name}.*")):
        raise ChapterError(
            f"NAME={name!r} is taken by {path.relative_to(book.parent)}; choose another, since "
            "links and widgets go by the name alone"
        )


def title_of(name: str) -> str:
    """Return a title to begin with.

    >>> title_of("your_own_model")
    'Your own model'
    """
    return name.replace("_", " ").capitalize()


def begin(name: str, part: str, root: Path = ROOT) -> Path:
    """Write the chapter and its entry, and return the chapter's path.

    Raises:
        ChapterError: see :func:`check_name` and :func:`with_chapter`; then nothing is written.
    """
    check_name(name, root / "book")
    toc = root / "_toc.yml"
    text = with_chapter(toc.read_text(encoding="utf-8"), part, name)
    path = root / "book" / part / f"{name}.ipynb"
    notebook = TEMPLATE.read_text(encoding="utf-8").replace(TITLE, title_of(name))
    # A name to refer to is one for the whole book.
    notebook = notebook.replace("template-", f"{name.replace('_', '-')}-")
    path.write_text(notebook, encoding="utf-8", newline="\n")
    toc.write_text(text, encoding="utf-8", newline="\n")
    return path


def main() -> None:
    """Begin the chapter that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name")
    parser.add_argument("part")
    arguments = parser.parse_args()
    try:
        path = begin(arguments.name, arguments.part).relative_to(ROOT)
    except ChapterError as error:
        sys.exit(f"{error}.")
    print(f"{path} has begun, at the end of its part in _toc.yml; move it there if need be.")
    print(f"Write it in JupyterLab (make lab), then run: make outputs NOTEBOOKS={path}")


if __name__ == "__main__":
    main()
