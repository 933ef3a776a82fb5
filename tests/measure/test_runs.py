from __future__ import annotations

from pathlib import Path

import pytest

from measure.record import load
from measure.runs import PROGRAMS, printed_by


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.py")), ids=lambda path: path.stem)
def test_the_record_holds_the_program_as_it_is(path: Path) -> None:
    recorded = {run["name"]: run["source"] for run in load()["runs"]}
    assert recorded.get(path.stem) == path.read_text(), (
        f"{path.name} is not the program whose output is recorded: run `python -m measure --runs` "
        "after `make measure` installed what it needs"
    )


def test_a_program_prints_and_a_broken_one_says_why(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text("print('one'); print('two')")
    bad.write_text("open('/home/someone/none.txt')")
    assert printed_by(good) == "one\ntwo"
    assert printed_by(bad).endswith("'…/none.txt'")
