"""Check what a change touches: python -m changes [--since COMMIT] [--plan]   (make check).

The change is what differs from the last commit, or from the one where this branch left COMMIT.
Each command is printed with the files that ask for it, and what is left to ``make test``. No test
or proof starts later than ``--limit`` says, and no notebook but those that were edited.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

from changes.commands import LEFT, LIMITED, parts_of
from changes.deadline import VARIABLE, left_in
from changes.files import Checkout, NoSuchCommitError
from changes.plan import plan_for
from environment.side_by_side import AT_ONCE, report, run_parts
from machines.workplace import ROOT

LIMIT = 80  # what has been started by then ends within two minutes of the beginning
AT_ONCE_LIMITED = 4  # so that all starts soon: what starts last would be left


def main() -> int:
    """Return 0 if all that was run passed."""
    options = _options()
    start = time.monotonic()
    checkout = Checkout(ROOT)
    try:
        changes = checkout.changes(options.since)
    except NoSuchCommitError as error:
        sys.exit(str(error))
    if not changes:
        print(f"Nothing differs from {options.since}. To check everything: make test")
        return 0
    plan = plan_for(changes, checkout.sources(), checkout.others())
    parts = parts_of(plan, options.since)
    limited = not plan.everything
    for part, why in parts:
        print(f"{part.name}: for {why}")
    print(LEFT)
    if limited:
        print(LIMITED.format(limit=options.limit))
    print(flush=True)
    if options.plan or not parts:
        return 0
    if limited:
        os.environ[VARIABLE] = str(time.time() + options.limit)
    at_once = AT_ONCE_LIMITED if limited else AT_ONCE
    ended = run_parts([part for part, _ in parts], at_once)
    status = report(ended, time.monotonic() - start)
    if what_is_left := left_in(part.output for part in ended):
        print(f"{'What was run has passed. ' if status == 0 else ''}{what_is_left}")
    return status


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m changes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--since", default="HEAD", help="a commit, or a branch (the last commit)")
    parser.add_argument("--plan", action="store_true", help="say what to run, and run nothing")
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"in seconds ({LIMIT})")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
