"""``python -m qlearn.course.exercises tinyquant.py``: check a file in a terminal.

Exits with 0 where all is right and with 1 where something is not. ``--hint 1`` adds the first
hint, ``--hint 2`` the second.
"""

from __future__ import annotations

import argparse
import sys

from qlearn.course.exercises.catalogue import EXERCISES, THREADS
from qlearn.course.exercises.check import check
from qlearn.course.exercises.hints import wrong_calls


def main(arguments: list[str] | None = None) -> int:
    """Print the verdict on a file."""
    parser = argparse.ArgumentParser(prog="python -m qlearn.course.exercises")
    parser.add_argument("file", help="your file, for example tinyquant.py")
    parser.add_argument(
        "name",
        nargs="?",
        default="tinyquant",
        choices=[*THREADS, *EXERCISES],
        metavar="name",
        help="one exercise alone, for example requantize; all of tinyquant by default",
    )
    parser.add_argument("--hint", type=int, default=0, metavar="N", help="show hint N as well")
    options = parser.parse_args(arguments)
    for name in EXERCISES:
        wrong_calls[name] = options.hint
    verdict = check(options.name, options.file)
    print(verdict)
    return 0 if verdict else 1


if __name__ == "__main__":
    sys.exit(main())
