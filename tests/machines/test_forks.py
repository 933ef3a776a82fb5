"""Tasks in forks: each has its own end, and a task that dies ends only itself."""

import faulthandler
import os
import signal
import subprocess
import time
from pathlib import Path

from machines.forks import Ended, run_all


def fail():
    raise ValueError("no such thing")


def die():
    faulthandler.disable()  # pytest's, which would fill the screen
    os.kill(os.getpid(), signal.SIGKILL)


def leave():
    print("said before", flush=True)
    os._exit(0)


TASKS = {
    "done": lambda: [1, 2],
    "raised": fail,
    "killed": die,
    "left": leave,
    "no JSON": object,
    "slow": lambda: time.sleep(60),
}


def test_each_task_has_its_own_end(tmp_path):
    found = dict(run_all(TASKS, tmp_path, at_once=6, limit=1.5))
    assert found["raised"].said.splitlines()[-1] == "ValueError: no such thing"
    assert {name: (one.answer, one.died) for name, one in found.items()} == {
        "done": ([1, 2], ""),
        "raised": (None, "ValueError: no such thing"),
        "killed": (None, "SIGKILL"),
        "left": (None, "it left with status 0 and no answer"),
        "no JSON": (None, "TypeError: Object of type object is not JSON serializable"),
        "slow": (None, "not done after 1.5 seconds"),
    }


def test_what_a_task_started_ends_with_it(tmp_path):
    def start():
        child = subprocess.Popen(["sleep", "60"])
        (tmp_path / "child").write_text(str(child.pid), "utf-8")

    list(run_all({"a": start}, tmp_path / "out", at_once=1, limit=60))
    child = int((tmp_path / "child").read_text("utf-8"))
    for _ in range(100):
        state = Path(f"/proc/{child}/stat")
        if not state.exists() or state.read_text("utf-8").split()[2] == "Z":
            return
        time.sleep(0.05)
    raise AssertionError(f"process {child} is still there")


def test_what_tasks_print_is_kept_apart(tmp_path, capfd):
    tasks = {"a": lambda: os.write(1, b"from a"), "left": leave}
    found = dict(run_all(tasks, tmp_path, at_once=1, limit=60))
    assert capfd.readouterr().out == ""
    assert found == {
        "a": Ended(6, said="from a"),
        "left": Ended(died="it left with status 0 and no answer", said="said before\n"),
    }


def test_an_answer_of_an_earlier_run_is_none_of_this(tmp_path):
    list(run_all({"a": lambda: 1}, tmp_path, at_once=1, limit=60))
    ((_, found),) = run_all({"a": leave}, tmp_path, at_once=1, limit=60)
    assert found.answer is None and found.died


def test_no_more_than_so_many_run_at_once(tmp_path):
    def alone():
        (tmp_path / "taken").mkdir()
        time.sleep(0.1)
        (tmp_path / "taken").rmdir()

    found = dict(run_all(dict.fromkeys("abc", alone), tmp_path / "out", at_once=1, limit=60))
    assert found == dict.fromkeys("abc", Ended())
