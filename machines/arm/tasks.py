"""What the emulated computer runs: the unit tests of qlearn, the proofs, the notebooks."""

from __future__ import annotations

import contextlib
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from machines.forks import Task
from notebook_pipeline.find_notebooks import find_notebooks


def unit_tests(checkout: Path) -> dict[str, Task]:
    """Return a task for each module in a folder of qlearn that has tests.

    The modules beside the folders are about torch's absence, which is another thing in an emulator,
    and those of widgets need Node.
    """
    modules = [path.relative_to(checkout) for path in (checkout / "qlearn").glob("*/**/*.py")]
    tests = sorted(str(test_of(module)) for module in modules if "widgets" not in module.parts)
    here = [name for name in tests if (checkout / name).exists()]
    return {name: partial(run_tests, checkout, name) for name in here}


def test_of(module: Path) -> Path:
    """Return where the tests of a module lie: tests/numbers/test_ranges.py for its ranges.py."""
    return Path("tests", *module.parts[1:-1], f"test_{module.name}")


def run_tests(checkout: Path, name: str) -> dict[str, Any]:
    """Run one file of tests; return how many passed and were skipped, and which failed, and why."""
    import pytest

    outcomes = Outcomes()
    # Plugins found by themselves bring modules that are imported already, and pytest warns of it.
    # The other one collects garbage five times at the end, which with torch takes seconds.
    plugins = ["--disable-plugin-autoload", "-p", "no:unraisableexception"]
    options = ["-q", *plugins, "-o", "cache_dir=_build/arm/pytest"]
    with contextlib.chdir(checkout):
        ended = pytest.main([*options, name], [outcomes])
    if ended not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and not outcomes.failed:
        raise RuntimeError(f"pytest ran no test of {name}: {ended!r}")
    return {**outcomes.counts, "failed": outcomes.failed}


class Outcomes:
    """A plugin of pytest that keeps what it reports."""

    def __init__(self) -> None:
        self.counts = {"passed": 0, "skipped": 0}
        self.failed: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count a test once: by its call, or by what kept it from being called."""
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.failed[report.nodeid] = first_line(crash.message if crash else report.longrepr)
        elif report.skipped or report.when == "call":
            self.counts[report.outcome] += 1

    def pytest_collectreport(self, report: Any) -> None:
        """Keep a file that could not be read."""
        if report.failed:
            self.failed[report.nodeid] = str(report.longrepr).strip().splitlines()[-1]


def first_line(message: Any) -> str:
    """Return what fits a line of the record."""
    return (str(message).strip().splitlines() or [""])[0][:200]


def proofs(cases: int | None) -> dict[str, Task]:
    """Return a task for each proof that needs torch alone: so many cases, or as the tests try."""
    from proofs.collection import all_proofs

    return {
        name: partial(run_proof, name, min(cases or proof.quick, proof.cases))
        for name, proof in all_proofs().items()
        if proof.package is None
    }


def run_proof(name: str, cases: int) -> dict[str, Any]:
    """Try so many cases of a proof; return how many differ by more than it allows, and values.

    Elsewhere a proof ends with the first such case. Here it goes on, to say how rare they are.
    """
    from proofs.collection import all_proofs
    from proofs.draw import Draw
    from proofs.proof import compare

    proof = all_proofs()[name]
    values = differing = differing_cases = 0
    for number in range(cases):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the deprecations of the oracles
            seen, unequal, distance = compare(*proof.case(Draw(number)))
        values += seen
        if (unequal and not proof.tolerance) or distance > proof.tolerance:
            differing, differing_cases = differing + unequal, differing_cases + 1
    counts = {"values": values, "differing": differing}
    return {"cases": cases, "differing_cases": differing_cases, **counts}


def notebooks(checkout: Path) -> dict[str, Task]:
    """Return a task for each chapter."""
    paths = find_notebooks([checkout / "book"])
    return {str(p.relative_to(checkout)): partial(run_notebook, p) for p in paths}


def run_notebook(path: Path) -> dict[str, Any]:
    """Execute a notebook; return how many cells came out the same, and which did not."""
    verdicts: dict[str, str] = dict(_cells(path))
    counts = Counter(verdicts.values())
    named = {v: [name for name in verdicts if verdicts[name] == v] for v in ("marked", "red")}
    return {"same": counts["same"], **named}


def _cells(path: Path) -> Iterator[tuple[str, str]]:
    from machines.notebook import execute, report

    for cell in execute(path):
        if cell.verdict != "same":
            print(report(cell), flush=True)
        yield cell.name, cell.verdict
