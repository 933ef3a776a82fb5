"""The notebooks of one setting, each in a fork of one process, which has imported their libraries.

To import torch, IPython and matplotlib takes three seconds, more than most notebooks compute. Here
it is done once. A fork begins with nothing else, and the notebooks share nothing. It cannot show
that a notebook imports all that it uses: kernels do, which start anew in `make notebooks-avx2`.

    python -m machines.forked --answers FOLDER book/a.ipynb book/b.ipynb

writes FOLDER/0.json with the cells of the first notebook, FOLDER/0.txt with what its process said,
and FOLDER/ended.json with the exit statuses.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import sys
import traceback
from pathlib import Path

from machines.notebook import run_and_report

LONGEST = 900  # seconds; the slowest notebook takes 20
# Not torchao, which logs when it is imported: the notebooks show that, or prevent it.
LIBRARIES = (
    *("torch.ao.quantization", "matplotlib.pyplot", "matplotlib_inline.backend_inline"),
    *("qlearn.course", "qlearn.course.plots", "qlearn.course.widgets"),
)


def run_forked(notebooks: list[Path], answers: Path, workers: int) -> list[int]:
    """Run each notebook in a fork, ``workers`` at once; return their exit statuses, in order."""
    running: dict[int, int] = {}
    statuses = [0] * len(notebooks)

    def wait_for_one() -> None:
        process, status = os.wait()
        statuses[running.pop(process)] = os.waitstatus_to_exitcode(status)

    for index, notebook in enumerate(notebooks):
        if len(running) == workers:
            wait_for_one()
        process = os.fork()
        if process == 0:
            run_here_and_end(notebook, answers / str(index))
        running[process] = index
    while running:
        wait_for_one()
    return statuses


def run_here_and_end(notebook: Path, answer: Path) -> None:
    """Be the fork: run a notebook, write what came of it, and end this process."""
    status = 1
    try:
        signal.alarm(LONGEST)  # which ends the process
        said = os.open(answer.with_suffix(".txt"), os.O_WRONLY | os.O_CREAT)
        os.dup2(said, 1)
        os.dup2(said, 2)
        os.environ["IPYTHONDIR"] = f"{answer}.ipython"
        status = run_and_report(notebook, answer.with_suffix(".json"))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def main() -> None:
    """Import what notebooks import, then run them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("notebooks", nargs="+", type=Path)
    parser.add_argument("--answers", required=True, type=Path, help="a folder to write them to")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    for library in LIBRARIES:
        importlib.import_module(library)
    statuses = run_forked(arguments.notebooks, arguments.answers, arguments.workers)
    (arguments.answers / "ended.json").write_text(json.dumps(statuses), "utf-8")


if __name__ == "__main__":
    main()
