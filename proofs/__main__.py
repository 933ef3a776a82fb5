"""Run the proofs in full and record what came out; see ``python -m proofs --help``."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed

from proofs.collection import NotRun, all_proofs, run_by_name
from proofs.fingerprint import fingerprint
from proofs.proof import Outcome, Proof
from proofs.record import load, outdated, row_of, save
from proofs.surroundings import surroundings


def main() -> int:
    """Run what has changed since it was recorded, or what the options say."""
    options = _options()
    proofs = {name: proof for name, proof in all_proofs().items() if options.only in name}
    rows = {name: row for name, row in load().items() if name in all_proofs()}
    if not options.all and options.cases is None:
        proofs = {name: proof for name, proof in proofs.items() if outdated(proof, rows.get(name))}
    print(f"{len(proofs)} proofs to run; the others stand.", flush=True)
    # Taken now: a file that is changed while the proofs run makes them outdated.
    codes = {name: fingerprint(proof) for name, proof in proofs.items()}
    runs = {name: surroundings(proof) for name, proof in proofs.items()}
    failed = 0
    for name, outcome, seconds in _outcomes(proofs, options.cases):
        if isinstance(outcome, NotRun):
            print(f"not run here: {name}: {outcome.why}", flush=True)
            continue
        if isinstance(outcome, str):
            failed += 1
            print(f"DISPROVED {outcome}", flush=True)
            rows.pop(name, None)
        else:
            print(f"{seconds:6.0f} s  {name}: {outcome.cases:,} cases, {outcome.differing} of "
                  f"{outcome.values:,} values differ", flush=True)  # fmt: skip
            rows[name] = row_of(proofs[name], outcome, codes[name], runs[name])
        if options.cases is None:
            save(rows)
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proofs", description=__doc__)
    parser.add_argument("--only", default="", help="proofs whose name contains this")
    parser.add_argument("--all", action="store_true", help="also those that still stand")
    parser.add_argument("--cases", type=int, help="of each so many cases, and record nothing")
    return parser.parse_args()


def _outcomes(
    proofs: dict[str, Proof], cases: int | None
) -> Iterator[tuple[str, Outcome | NotRun | str, float]]:
    """Yield name, outcome (or what disproves it) and seconds, as the proofs come to an end."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=spawn) as pool:
        futures = [pool.submit(run_by_name, name, cases) for name in proofs]
        for future in as_completed(futures):
            yield future.result()


if __name__ == "__main__":
    sys.exit(main())
