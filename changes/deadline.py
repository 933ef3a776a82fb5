"""When ``make check`` starts nothing more: the nearest to the change has been checked by then.

A plugin of pytest, too (``-p changes.deadline``), which leaves the tests whose turn comes later and
says how many they are. The file that comes first, the nearest to the change, is tested whatever the
time: a check that tried nothing would look like one that passed. Where the variable CHECK_UNTIL
does not name a moment, there is none.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable

import pytest

VARIABLE = "CHECK_UNTIL"  # seconds of the system's clock
WHY = "the time was over"
LEFT = f"{{}} of {{}} {{}} are left to make test: {WHY}."
COUNTED = re.compile(LEFT.format(r"(\d+)", r"(\d+)", r"(\w+)"))


def is_over() -> bool:
    """Tell whether the moment has passed."""
    return time.time() > float(os.environ.get(VARIABLE, "inf"))


def left(some: int, of_all: int, noun: str) -> str:
    """Return the sentence about what was not begun.

    >>> left(3, 10, "notebooks")
    '3 of 10 notebooks are left to make test: the time was over.'
    """
    return LEFT.format(some, of_all, noun)


def left_in(outputs: Iterable[str]) -> str:
    """Return the sentence about all that was not begun, by what each part said, or nothing.

    >>> left_in([left(3, 10, "tests"), "10 passed", left(5, 5, "tests"), left(1, 2, "notebooks")])
    'The time was over: 8 of 15 tests and 1 of 2 notebooks are left to make test.'
    """
    counts: dict[str, tuple[int, int]] = {}
    for output in outputs:
        for some, of_all, noun in COUNTED.findall(output):
            before, all_before = counts.get(noun, (0, 0))
            counts[noun] = before + int(some), all_before + int(of_all)
    if not counts:
        return ""
    said = [f"{some} of {of_all} {noun}" for noun, (some, of_all) in counts.items()]
    return f"{WHY.capitalize()}: {' and '.join(said)} are left to make test."


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave a test, before anything is made ready for it."""
    if is_over() and item.path != item.session.items[0].path:
        pytest.skip(WHY)


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Draw no letter for a test that was left: they are counted at the end."""
    return ("skipped", "", "LEFT") if WHY in str(report.longrepr) and report.skipped else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count those that were left."""
    stats = terminalreporter.stats
    some = sum(WHY in str(report.longrepr) for report in stats.get("skipped", []))
    if some:
        ended = sum(len(stats.get(how, [])) for how in ("passed", "failed", "error", "skipped"))
        terminalreporter.write_line(left(some, ended, "tests"))
