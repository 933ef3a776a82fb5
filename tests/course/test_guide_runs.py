"""The record of the guide's configs that other programs ran: it is of the guide as it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import pytest

from qlearn.course.decisions import LEAVES, Leaf
from qlearn.course.guide_runs import COMMAND, GuideRun, guide_run, runs, table

RUNS = runs()
LEAST = {"four": 10, "GGUF, Q4": 20}  # in decibels; eight bits reach 25


def stale(recorded: Iterable[GuideRun], leaves: Mapping[str, Leaf]) -> Iterator[str]:
    """Yield in which leaves the record is not of the guide."""
    configs = {run.leaf: run.config for run in recorded}
    for name, leaf in leaves.items():
        if leaf.runs == "elsewhere" and configs.get(name) != leaf.config:
            what = "has another config than" if name in configs else "is not in"
            yield f"the leaf {name!r} {what} the record of its run: run {COMMAND}"


def test_each_leaf_for_another_program_ran_as_it_stands_in_the_guide() -> None:
    assert list(stale(RUNS, LEAVES)) == []


def test_a_leaf_that_changed_or_is_new_is_noticed() -> None:
    leaf = LEAVES["gptq"]
    changed = LEAVES | {"gptq": leaf._replace(config=leaf.config + "\n"), "new": leaf}
    assert list(stale(RUNS, changed)) == [
        "the leaf 'gptq' has another config than the record of its run: run make guide-runs",
        "the leaf 'new' is not in the record of its run: run make guide-runs",
    ]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.leaf)
def test_a_recorded_run_saved_bytes_and_kept_the_outputs(run: GuideRun) -> None:
    method = LEAVES[run.leaf].method
    assert 0.1 < run.size / run.whole < 0.6
    assert next((least for key, least in LEAST.items() if key in method), 25) <= run.sqnr < 60
    assert run.machine and run.date and run.version
    assert run.program == LEAVES[run.leaf].needs.partition(";")[0]
    assert "/" not in run.said


def test_a_run_is_said_as_a_trial_is() -> None:
    run = RUNS[0]._replace(leaf="gguf_8", size=272, whole=1000, sqnr=44.2)
    assert str(run) == "25 %, 45 dB  GGUF, Q8_0"
    assert guide_run(RUNS[0].leaf) == RUNS[0]
    with pytest.raises(KeyError, match="no run of 'half' is recorded: make guide-runs"):
        guide_run("half")


def test_the_table_says_where_and_when() -> None:
    shown = repr(table())
    assert all(LEAVES[run.leaf].method in shown for run in RUNS)
    assert all(run.machine in shown and run.date in shown for run in RUNS)
    assert all(f"{run.program} {run.version}" in shown for run in RUNS)
    assert shown.endswith(COMMAND)
