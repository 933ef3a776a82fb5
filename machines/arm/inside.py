"""What runs in the emulated computer: ``python -m machines.arm.inside FOLDER KIND …``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from machines.arm.tasks import notebooks, proofs, unit_tests
from machines.forks import Task, run_all

CHECKOUT = Path(__file__).resolve().parents[2]
KINDS = ("unit", "proofs", "notebooks")


def main() -> int:
    """Run the tasks of each kind, say what came of them, and write it to FOLDER/KIND.json."""
    parser = argparse.ArgumentParser(prog="python -m machines.arm.inside", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("kinds", nargs="+", choices=KINDS)
    parser.add_argument("--only", default="", help="tasks whose name contains this")
    parser.add_argument("--cases", type=int, help="of each proof; by default as the tests try")
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--limit", type=float, default=1500, help="seconds for one task")
    options = parser.parse_args()
    import matplotlib.pyplot  # noqa: F401  # once, for all forks
    import torch  # noqa: F401

    for kind in options.kinds:
        tasks = {n: t for n, t in tasks_of(kind, options.cases).items() if options.only in n}
        results = {}
        folder = options.folder / kind
        for name, ended in run_all(tasks, folder, at_once=options.at_once, limit=options.limit):
            results[name] = {"died": ended.died} if ended.died else ended.answer
            print(f"{name}: {json.dumps(results[name], ensure_ascii=False)}", flush=True)
            (options.folder / f"{kind}.json").write_text(json.dumps(results), "utf-8")
    return 0


def tasks_of(kind: str, cases: int | None) -> dict[str, Task]:
    """Return the tasks of a kind, by name."""
    if kind == "unit":
        return unit_tests(CHECKOUT)
    return proofs(cases) if kind == "proofs" else notebooks(CHECKOUT)


if __name__ == "__main__":
    sys.exit(main())
