"""``python -m qlearn.course.exercises tinyquant.py``: check a file in a terminal.

Exits with 0 where all is right and with 1 where something is not. ``--hint 1`` adds the first
hint, ``--hint 2`` the second.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from qlearn.course.exercises.catalogue import EXERCISES, THREADS, nearest
from qlearn.course.exercises.check import check
from qlearn.course.exercises.hints import hint_after, wrong_calls
from qlearn.course.exercises.verdict import Verdict

DEFAULT = "tinyquant"


def main(arguments: list[str] | None = None) -> int:
    """Print the verdict on a file."""
    parser = argparse.ArgumentParser(prog="python -m qlearn.course.exercises")
    parser.add_argument("file", help="your file, for example tinyquant.py")
    parser.add_argument(
        "name",
        nargs="?",
        default=DEFAULT,
        help="one exercise alone, for example requantize; all of tinyquant by default",
    )
    parser.add_argument("--hint", type=int, default=0, metavar="N", help="show hint N as well")
    options = parser.parse_intermixed_args(arguments)
    if options.name not in {*THREADS, *EXERCISES}:
        parser.error(unknown(options.name))
    for name in EXERCISES:
        wrong_calls[name] = options.hint
    verdict = check(options.name, options.file)
    if not verdict.hint:
        verdict = with_hint_to_begin(verdict, options.name, options.hint)
    print(verdict)
    return 0 if verdict else 1


def unknown(name: str) -> str:
    """Return what is said of a name that no exercise has.

    >>> unknown("layer")
    "there is no exercise 'layer': do you mean Layer?"
    """
    near = nearest(name)
    steps = ", ".join(step.name for step in THREADS[DEFAULT])
    told = f"do you mean {' or '.join(near)}?" if near else f"the steps are {steps}"
    return f"there is no exercise {name!r}: {told}"


def with_hint_to_begin(verdict: Verdict, name: str, hint: int) -> Verdict:
    """Return the verdict with the hint of the step that it asks for, which is not begun yet."""
    for step in THREADS.get(name, [EXERCISES[name]] if name in EXERCISES else []):
        if not verdict and f"et `{step.call}` return" in verdict.sentence:
            return replace(verdict, hint=hint_after(step, hint))
    return verdict


if __name__ == "__main__":
    sys.exit(main())
