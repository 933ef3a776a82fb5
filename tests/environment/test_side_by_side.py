"""Parts side by side: what passes, what fails, what waits, and what is said of it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time

import pytest

from environment.side_by_side import SKIPPED, Ended, Part, main, report, run_part, run_parts


def script(text: str, name: str = "a part", **options: object) -> Part:
    return Part(name, [sys.executable, "-c", text], **options)  # type: ignore[arg-type]


def test_a_part_tells_its_output_status_and_seconds() -> None:
    ended = run_part(script("import os, sys, time; print('said'); time.sleep(0.2); sys.exit(3)"))
    assert (ended.output, ended.status) == ("said\n", 3)
    assert ended.seconds > 0.2
    assert 0 < ended.processor < ended.seconds + 1


def test_work_of_grandchildren_counts() -> None:
    work = "sum(range(20_000_000))"
    inner = f"import subprocess, sys; subprocess.run([sys.executable, '-c', '{work}'])"
    assert run_part(script(inner)).processor > 2 * run_part(script("pass")).processor


def test_a_part_killed_by_a_signal_has_failed() -> None:
    assert run_part(script("import os; os.abort()")).status < 0


def test_parts_run_at_once_and_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    running: list[str] = []
    most = 0

    def run(part: Part) -> Ended:
        nonlocal most
        running.append(part.name)
        most = max(most, len(running))
        time.sleep(0.05)
        running.remove(part.name)
        return Ended(part.name, 0, output=f"said by {part.name}\n")

    ended = run_parts([Part(name, []) for name in "abcd"], 2, run)
    assert [row.name for row in ended] == list("abcd")
    assert most == 2
    assert "=== c ===\nsaid by c\n" in capsys.readouterr().out


def test_a_quiet_part_speaks_where_it_fails(capsys: pytest.CaptureFixture[str]) -> None:
    talk = "import sys; print('long talk'); sys.exit({})"
    run_parts([script(talk.format(0), "good", quiet=True)], 1)
    assert capsys.readouterr().out == "\n=== good ===\npassed\n"
    run_parts([script(talk.format(1), "bad", quiet=True)], 1)
    assert capsys.readouterr().out == "\n=== bad ===\nlong talk\n"


def test_a_part_waits_for_what_it_needs_and_is_not_run_without() -> None:
    parts = [script("pass", "good"), script("1 / 0", "bad")]
    parts += [script("pass", "after good", after=("good",))]
    parts += [script("pass", "after bad", after=("bad",))]
    status = {row.name: row.status for row in run_parts(parts, 1)}
    assert status == {"good": 0, "bad": 1, "after good": 0, "after bad": SKIPPED}


def test_a_part_that_comes_before_what_it_needs_is_our_mistake() -> None:
    with pytest.raises(AssertionError, match="b comes too early"):
        run_parts([Part("b", [], after=("a",)), Part("a", [])])


@pytest.mark.parametrize(
    ("rows", "status", "words"),
    [
        ([Ended("a", 0, 5, 9)], 0, "5 s      9 s\n"),
        ([Ended("a", 0), Ended("b", 1)], 1, "FAILED"),
        ([Ended("a", SKIPPED)], 1, "not run: what it needs failed"),
    ],
    ids=["all passed", "one failed", "one not run"],
)
def test_the_table_tells_what_passed(rows: list[Ended], status: int, words: str) -> None:
    out = io.StringIO()
    assert report(rows, 7.0, out) == status
    assert words in out.getvalue()
    assert "all, side by side" in out.getvalue()


@pytest.mark.parametrize(("last", "status"), [("True", 0), ("0 < 0", 1)])
def test_a_command_is_run_with_each_part(last: str, status: int) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit(not eval(sys.argv[1]))"]
    assert main(["1", "1 < 2", last, "--", *command]) == status


@pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="Linux alone has longer turns")
def test_a_part_takes_longer_turns_than_who_started_it() -> None:
    told = "import os, sys; sys.exit(os.sched_getscheduler(0) != os.SCHED_BATCH)"
    part = [sys.executable, "-c", told]
    beside = [sys.executable, "-m", "environment.side_by_side", "a part", "--", *part]
    # Under make test these tests have longer turns already: here nobody has.
    usual = "import os, sys; os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0)); "
    usual += "os.execv(sys.argv[1], sys.argv[1:])"
    for command, status in ((part, 1), (beside, 0)):
        assert subprocess.run([sys.executable, "-c", usual, *command]).returncode == status


def test_what_to_run_is_said_where_a_part_fails(capsys: pytest.CaptureFixture[str]) -> None:
    run_parts([script("pass", "good", hint="Run: this"), script("1 / 0", "bad", hint="Run: that")])
    said = capsys.readouterr().out
    assert "Run: that\n" in said and "Run: this" not in said
