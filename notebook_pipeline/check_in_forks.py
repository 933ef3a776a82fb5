"""Execute notebooks in forks of one process, and compare all that is stored with a fresh run.

    python -m notebook_pipeline.check_in_forks book                     (make notebooks-avx2)

This is ``write_outputs --check`` in half the time: the libraries are imported once. The kernel of
a notebook is a fork too. As a part of `make check` it stops when the time is over.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from changes.deadline import is_over, left
from environment.workers import workers_here
from machines.forks import LONGEST, Ended, run_all
from notebook_pipeline.canonical_notebook import nearly_same_picture
from notebook_pipeline.find_notebooks import NotebookError, find_notebooks
from notebook_pipeline.forked_kernels import ForkedKernels
from notebook_pipeline.libraries import import_libraries
from notebook_pipeline.write_outputs import written

LEFT = "left"


def changes(notebook: Path) -> str:
    """Return whether a fresh run would change the text of a notebook, or what a cell raised."""
    if is_over():
        return LEFT
    fresh = written(notebook, nearly_same_picture, kernel_manager_class=ForkedKernels)
    try:
        same = asyncio.run(fresh) == notebook.read_text(encoding="utf-8")
    except NotebookError as error:
        return str(error).removeprefix(f"{notebook}: ")
    return "unchanged" if same else "changed: see what `make outputs` changes"


def check_in_forks(notebooks: list[Path]) -> Iterator[tuple[str, Ended]]:
    """Yield each notebook that has been run, and what ``changes`` returned or why it died."""
    tasks = {str(notebook): partial(changes, notebook) for notebook in notebooks}
    with tempfile.TemporaryDirectory() as folder:
        yield from run_all(tasks, Path(folder), at_once=workers_here(), limit=LONGEST)


def main() -> int:
    """Check the notebooks named on the command line; return 0 if none would change."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("places", nargs="+", type=Path)
    try:
        notebooks = find_notebooks(parser.parse_args().places)
    except NotebookError as error:
        sys.exit(str(error))
    os.environ["OMP_NUM_THREADS"] = "1"  # as write_outputs has it
    if not is_over():
        import_libraries()
    answers = Counter[str]()
    for name, ended in check_in_forks(notebooks):
        answers[ended.answer] += 1
        if ended.answer != LEFT:
            said = f"{ended.said if ended.died else ''}{name}: {ended.died or ended.answer}"
            print(said, flush=True)
    if answers[LEFT]:
        print(left(answers[LEFT], len(notebooks), "notebooks"))
    return int(answers["unchanged"] + answers[LEFT] < len(notebooks))


if __name__ == "__main__":
    sys.exit(main())
