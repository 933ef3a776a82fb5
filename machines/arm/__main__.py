"""Build the emulated ARM computer, run the course on it, and record what came of it.

python -m machines.arm                    # all, an hour and more, and the record
python -m machines.arm --only unit        # one kind of task
python -m machines.arm --only notebooks --named language    # of these, those with this in the name
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from machines.arm.computer import build, environment, of_checkout
from machines.arm.inside import CHECKOUT, KINDS, tasks_of
from machines.arm.record import exceptions, load, missing, save, totals, with_run


def main() -> int:
    """Return 0 if all could be run; what came of it is for the record to say."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--named", default="", help="tasks whose name contains this")
    parser.add_argument("--cases", type=int, help="of each proof; by default as the tests try")
    options = parser.parse_args()
    computer = of_checkout(CHECKOUT)
    results = computer.folder / "results"
    try:
        build(computer, CHECKOUT / "constraints.txt")
    except RuntimeError as error:
        print(f"make arm: {error}", file=sys.stderr)
        return 1
    for kind in [options.only] if options.only else KINDS:
        command = [str(computer.python), "-m", "machines.arm.inside", str(results), kind]
        command += ["--only", options.named] if options.named else []
        command += ["--cases", str(options.cases)] if options.cases else []
        ended = subprocess.run(command, env=environment(computer, CHECKOUT), cwd=CHECKOUT)
        if ended.returncode:
            return ended.returncode
        there = tasks_of(kind, options.cases)
        save(with_run(load(), kind, computer, results, there))
        tasks = load()[kind]["tasks"]
        print("\n  ".join([f"{kind}: {totals(kind, tasks)}", *exceptions(tasks)]), flush=True)
        print(*(f"  not run yet: {name}" for name in missing(tasks, there)), sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
