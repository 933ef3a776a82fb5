"""The student's own copies of the notebooks, which nothing here ever writes again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def bring_notebooks(pristine: Path, own: Path) -> int:
    """Copy each notebook that is not there yet; return how many were brought.

    A copy has its name only when it is whole: a start that is cut off leaves no half notebook.
    """
    brought = 0
    for source in sorted(path for path in pristine.rglob("*") if path.is_file()):
        target = own / source.relative_to(pristine)
        if target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        half = target.with_name(target.name + ".half")
        shutil.copyfile(str(source), str(half))
        os.replace(str(half), str(target))
        brought += 1
    return brought
