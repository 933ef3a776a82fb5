"""Run the notebooks in every setting, print a table, and keep it for the page of proofs.

python -m machines                                  # all notebooks, all settings of this processor
python -m machines --only AVX2 "Mac's engines"      # some settings
python -m machines book/numbers/observers.ipynb     # one notebook; the record stays
"""

from __future__ import annotations

import argparse
import itertools
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from environment.workers import workers_here
from machines.record import Row, save
from machines.run import Run, missing, run_forked, run_notebook
from machines.settings import BY_NAME, Setting, possible
from machines.workplace import ROOT, workplace
from notebook_pipeline.find_notebooks import NotebookError, find_notebooks


def main() -> int:
    """Return 0 if nothing is red."""
    arguments, settings = _options()
    everything = not arguments.notebooks
    try:
        found = find_notebooks(arguments.notebooks or [ROOT / "book"])
    except NotebookError as error:
        sys.exit(str(error))
    notebooks = [notebook.resolve().relative_to(ROOT) for notebook in found]
    rows = []
    for setting in settings:
        if arguments.forked:
            runs = run_forked(
                [ROOT / notebook for notebook in notebooks], setting, arguments.workers
            )
        else:
            runs = run_setting(setting, notebooks, arguments.workers)
        rows.append(Row.of(setting, runs))
        print(rows[-1], flush=True)
        if everything:
            save(rows[-1])
        for run in runs:
            if not run.passed:
                print(run.said, flush=True)
    return int(any(row.red for row in rows))


def _options() -> tuple[argparse.Namespace, list[Setting]]:
    """Return the options, and the settings that they name."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--only", nargs="+", choices=list(BY_NAME), metavar="SETTING")
    parser.add_argument("--workers", type=int, default=workers_here())
    parser.add_argument("--forked", action="store_true", help="import libraries once for all")
    arguments = parser.parse_args()
    settings = [BY_NAME[name] for name in arguments.only or possible()]
    if arguments.forked and (odd := [s.name for s in settings if not s.about_processors]):
        parser.error(f"--forked runs notebooks where they lie, once: not as in {', '.join(odd)}")
    for setting in settings:  # before the first of them has run for minutes
        if reason := missing(setting):
            parser.error(reason)
    return arguments, settings


def run_setting(setting: Setting, notebooks: list[Path], workers: int) -> list[Run]:
    """Run all notebooks in one setting, ``setting.times`` at once each."""
    with workplace(setting.place) as place, ThreadPoolExecutor(workers) as pool:
        tasks = list(itertools.chain.from_iterable([n] * setting.times for n in notebooks))
        return list(pool.map(lambda notebook: run_notebook(place / notebook, setting), tasks))


if __name__ == "__main__":
    sys.exit(main())
