"""The notebooks of one setting, each in a fork of one process, which has imported their libraries.

    python -m machines.forked --answers FILE book/a.ipynb book/b.ipynb

writes what came of each notebook, in this order, to FILE.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from dataclasses import asdict
from functools import partial
from pathlib import Path

from machines.forks import LONGEST, run_all
from machines.notebook import run_and_report
from notebook_pipeline.libraries import import_libraries


def verdicts(notebook: Path, scratch: Path) -> dict[str, str]:
    """Run a notebook, with a folder of its own for IPython; return the verdict of each cell."""
    os.environ["IPYTHONDIR"] = str(scratch)
    return {cell.name: cell.verdict for cell in run_and_report(notebook)}


def main() -> None:
    """Import what notebooks import, then run them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("notebooks", nargs="+", type=Path)
    parser.add_argument("--answers", required=True, type=Path, help="a file to write them to")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    import_libraries()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tasks = {
            str(notebook): partial(verdicts, notebook, folder / f"ipython {number}")
            for number, notebook in enumerate(arguments.notebooks)
        }
        runs = run_all(tasks, folder, at_once=arguments.workers, limit=LONGEST)
        ended = {name: asdict(one) for name, one in runs}
    arguments.answers.write_text(json.dumps([ended[name] for name in tasks]), "utf-8")


if __name__ == "__main__":
    main()
