"""When ``make check`` starts nothing more: the nearest to the change has been checked by then.

A plugin of pytest, too (``-p changes.deadline``), which leaves the tests whose turn comes later and
says how many they are. The file that comes first, the nearest to the change, is tested whatever the
time: a check that tried nothing would look like one that passed. Where the variable CHECK_UNTIL
does not name a moment, there is none.
"""

from __future__ import annotations

import os
import time

import pytest

VARIABLE = "CHECK_UNTIL"  # seconds of the system's clock
WHY = "the time was over"


def is_over() -> bool:
    """Tell whether the moment has passed."""
    return time.time() > float(os.environ.get(VARIABLE, "inf"))


def left(some: int, of_all: int, noun: str) -> str:
    """Return the sentence about what was not begun.

    >>> left(3, 10, "notebooks")
    '3 of 10 notebooks are left to make test: the time was over.'
    """
    return f"{some} of {of_all} {noun} are left to make test: {WHY}."


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave a test, before anything is made ready for it."""
    if is_over() and item.path != item.session.items[0].path:
        pytest.skip(WHY)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count those that were left."""
    stats = terminalreporter.stats
    some = sum(WHY in str(report.longrepr) for report in stats.get("skipped", []))
    if some:
        ended = sum(len(stats.get(how, [])) for how in ("passed", "failed", "error", "skipped"))
        terminalreporter.write_line(left(some, ended, "tests"))
