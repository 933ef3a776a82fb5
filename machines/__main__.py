"""Run the notebooks in every setting, print a table, and keep it for the page of proofs.

python -m machines                                  # all notebooks, all settings
python -m machines --only AVX2 "Mac's engines"      # some settings
python -m machines book/numbers/observers.ipynb     # one notebook; the record stays
"""

from __future__ import annotations

import argparse
import itertools
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from machines.record import Row, save
from machines.run import Run, run_notebook
from machines.settings import BY_NAME, SETTINGS, Setting
from machines.workplace import workplace

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Return 0 if nothing is red."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--only", nargs="+", choices=list(BY_NAME), metavar="SETTING")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    everything = not arguments.notebooks
    notebooks = notebooks_in(arguments.notebooks or [ROOT / "book"])
    settings = [BY_NAME[name] for name in arguments.only] if arguments.only else list(SETTINGS)
    rows = []
    for setting in settings:
        runs = run_setting(setting, notebooks, arguments.workers)
        rows.append(Row.of(setting, runs))
        print(rows[-1], flush=True)
        if everything:
            save(rows[-1])
        for run in runs:
            if not run.passed:
                print(run.said, flush=True)
    return int(any(row.red for row in rows))


def notebooks_in(places: list[Path]) -> list[Path]:
    """Return the chapters that are named, or lie in folders that are, relative to the checkout."""
    found = [n for p in places for n in (p.rglob("*.ipynb") if p.is_dir() else [p])]
    found = [n.resolve() for n in found if n.exists() and ".ipynb_checkpoints" not in n.parts]
    chosen = {notebook.relative_to(ROOT) for notebook in found}
    if not chosen:
        sys.exit(f"{', '.join(map(str, places))}: no notebook there; name one, or a folder of them")
    return sorted(chosen)


def run_setting(setting: Setting, notebooks: list[Path], workers: int) -> list[Run]:
    """Run all notebooks in one setting, ``setting.times`` at once each."""
    with workplace(setting.place) as place, ThreadPoolExecutor(workers) as pool:
        tasks = list(itertools.chain.from_iterable([n] * setting.times for n in notebooks))
        return list(pool.map(lambda notebook: run_notebook(place / notebook, setting), tasks))


if __name__ == "__main__":
    sys.exit(main())
