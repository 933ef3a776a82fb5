"""Say in plain words whether this machine can run the course: ``python -m qlearn doctor``.

It must run where nothing else does: without torch, under an old Python, on a full disk. So it
imports Python's own library alone, and tries torch and the kernel in processes of their own.
"""

from __future__ import annotations

import argparse
import os
import sys

from qlearn.doctor.gather import all_facts
from qlearn.doctor.report import as_json, can_run, in_words, judge

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Print the report; return 0 where everything runs, 1 where something will fail."""
    options = _options(arguments)
    facts = all_facts()
    findings = judge(facts)
    _print(as_json(findings, facts) if options.json else in_words(findings))
    return 0 if can_run(findings) else 1


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m qlearn")
    commands = parser.add_subparsers(dest="command", required=True)
    doctor = commands.add_parser("doctor", help="say whether this machine can run the course")
    doctor.add_argument("--json", action="store_true", help="the same for scripts")
    words = sys.argv[1:] if arguments is None else arguments
    return parser.parse_args(words)


def _print(text: str) -> None:
    """Print, whatever characters the terminal knows, and though nobody may read to the end."""
    if sys.stdout is None:  # there is no terminal at all
        return
    encoding = sys.stdout.encoding or "ascii"
    try:
        print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except OSError:  # a closed pipe, a full disk: the exit code still says it
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  Python flushes it at the end
