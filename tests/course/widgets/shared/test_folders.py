"""The folder of each widget: short enough to be read at one sitting."""

from __future__ import annotations

from pathlib import Path

import pytest

from qlearn.course.widgets.shared.figure import SHARED
from tests.course.widgets.examples import EXAMPLES

MOST_LINES = 250
LONGER = {"journey": 400}  # which shows all that one image becomes
FOLDERS = sorted(
    path.parent for path in SHARED.parent.glob("*/__init__.py") if path.parent != SHARED
)


def too_long(folder: Path) -> str:
    """Return what is wrong with the length of a folder's files, blank lines and comments too."""
    files = [path for path in folder.iterdir() if path.is_file()]
    lines = {path.name: len(path.read_bytes().splitlines()) for path in sorted(files)}
    most = LONGER.get(folder.name, MOST_LINES)
    if sum(lines.values()) <= most:
        return ""
    each = ", ".join(f"{name} {count}" for name, count in lines.items())
    return (
        f"{folder.name}/ has {sum(lines.values())} lines ({each}), but a widget has at most "
        f"{most}: say once what is said twice, or share what another widget can use as well"
    )


def test_each_widget_has_a_folder() -> None:
    assert len(FOLDERS) == len(EXAMPLES)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_widget_is_short(folder: Path) -> None:
    assert too_long(folder) == ""


def test_one_line_too_many_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n" * 200)
    (tmp_path / "a.js").write_text("\n" * 50)
    assert too_long(tmp_path) == ""
    (tmp_path / "a.css").write_text("/* */\n")
    assert "has 251 lines (a.css 1, a.js 50, a.py 200)" in too_long(tmp_path)
