"""Notebooks executed without a kernel: what is compared, and what a mark allows.

A process that has imported torch takes seconds to start, so one runs them all.
"""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import torch

from machines.__main__ import main
from machines.run import environment, run_forked, run_notebook
from machines.settings import BY_NAME, SETTINGS, possible

ROOT = Path(__file__).resolve().parents[2]
# machines.classes asks the same before it plays another processor.
on_linux_x86 = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="other processors are played on Linux on x86-64 alone",
)


def cell(source, *outputs, tags=()):
    made = nbformat.v4.new_code_cell(source, outputs=list(outputs), metadata={"tags": list(tags)})
    made.id = f"c{abs(hash(source)) % 10**6}"
    return made


def stream(text, name="stdout"):
    return nbformat.v4.new_output("stream", name=name, text=text)


def result(text):
    return nbformat.v4.new_output("execute_result", data={"text/plain": text})


ERROR = nbformat.v4.new_output("error", ename="ValueError", evalue="no", traceback=["..."])
LEAVE = "import os, torch\nprint(hasattr(torch, 'left'))\ntorch.left = open('left', 'a')"
MARKED = [
    cell("import torch"),
    cell("print('here')", stream("there\n"), tags=["machine-kernel"]),
    cell("raise ValueError", stream("there\n"), tags=["machine-kernel"]),
    cell("print('again')", stream("there\n"), tags=["machine-unheard-of"]),
]
NOTEBOOKS = {
    "as stored": [
        cell(
            "import sys\nprint(1)\nprint(2, file=sys.stderr)",
            stream("1\n"),
            stream("2\n", "stderr"),
        ),
        cell("'a'", result("'a'")),
        cell("print('z')\n'a'", stream("z\n"), result("'a'")),
        cell("x = 1"),
        cell("raise ValueError('no')", ERROR, tags=["raises-exception"]),
    ],
    "another number": [cell("print(1)", stream("2\n"))],
    "not stored": [cell("print(1) ")],
    "no output": [cell("x = 1", stream("1\n"))],
    "another result": [cell("'a'", result("'b'"))],
    "an error": [cell("raise ValueError('no')", stream("ValueError: no\n"))],
    "marked": MARKED,
    "leaves something": [cell(LEAVE, stream("False\n"))],
    "leaves it too": [cell(LEAVE + " ", stream("False\n"))],
    "ends early": [cell("import os\nos._exit(0)")],
    "is killed": [cell("import os\nos.kill(os.getpid(), 9)")],
    "older": [cell("import torch\nprint(torch.cpu._is_avx2_supported())", stream("False\n"))],
}
PASSED = {"as stored", "leaves something", "leaves it too", "older"}


def write(path, cells):
    nbformat.write(nbformat.v4.new_notebook(cells=list(cells)), path)
    return path


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Execute all of them in one setting, in forks of one process, as ``make test`` does."""
    folder = tmp_path_factory.mktemp("notebooks")
    for name in ("machines", "notebook_pipeline"):
        os.symlink(ROOT / name, folder / name)
    paths = [write(folder / f"{name}.ipynb", cells) for name, cells in NOTEBOOKS.items()]
    ended = run_forked(paths, BY_NAME["SSE4.1"], workers=2)
    return dict(zip(NOTEBOOKS, ended, strict=True))


@on_linux_x86
def test_streams_results_and_errors_are_compared(runs):
    assert list(runs["as stored"].verdicts.values()) == ["same"] * 5


@on_linux_x86
@pytest.mark.parametrize("name", list(NOTEBOOKS)[1:6])
def test_a_difference_is_red(runs, name):
    [one] = NOTEBOOKS[name]
    assert runs[name].verdicts == {one.id: "red"}
    assert f"{one.id} is red" in runs[name].said


@on_linux_x86
def test_forks_share_nothing_and_each_says_how_it_ended(runs):
    assert {name for name, run in runs.items() if run.passed} == PASSED
    assert "no answer" in runs["ends early"].said and "SIGKILL" in runs["is killed"].said


@on_linux_x86
def test_a_mark_allows_another_output_where_it_applies_but_no_error(runs, tmp_path):
    """It applies where FBGEMM's kernels do not run, as there, and not on this machine."""
    assert list(runs["marked"].verdicts.values()) == ["same", "marked", "red", "red"]
    close = cell(
        "x = 42.55018\nprint(f'{x:.1f} {0.125:.2f} {1 / 3:.3f}')", stream("42.6 0.12 0.333\n")
    )
    path, answer = write(tmp_path / "one.ipynb", [*MARKED, close]), tmp_path / "cells.json"
    options = ["--json", answer, "--margins", "1e-5"]
    ended = subprocess.run(
        [sys.executable, "-m", "machines.notebook", *options, path],
        cwd=ROOT,
        env=environment(SETTINGS[0], ROOT, tmp_path),
        capture_output=True,
        text=True,
    )
    found = [row["verdict"] for row in json.loads(answer.read_text())]
    assert found == ["same", "red", "red", "red", "same"] and ended.returncode == 1
    # And a number that is printed close to a boundary is named.
    assert ended.stdout.count("has a margin of") == 1 and "42.55018 as .1f" in ended.stdout


def test_a_notebook_that_ends_early_or_too_late_has_not_passed(tmp_path, monkeypatch):
    for name in ("machines", "notebook_pipeline"):
        os.symlink(ROOT / name, tmp_path / name)
    good = write(tmp_path / "good.ipynb", [cell("print(1)", stream("1\n"))])
    assert run_notebook(good, SETTINGS[0]).passed
    dies = run_notebook(
        write(tmp_path / "dies.ipynb", [cell("import os\nos._exit(0)")]), SETTINGS[0]
    )
    assert not dies.passed and dies.said == ""
    monkeypatch.setattr("machines.run.LONGEST", 0.1)
    late = run_notebook(good, SETTINGS[0])
    assert not late.passed and late.said == "not done after 0.1 seconds"


@pytest.mark.parametrize("name", ["locale", "read-only", "two at once"])
def test_forks_are_for_processors(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["machines", "--forked", "--only", name])
    with pytest.raises(SystemExit):
        main()
    assert f"not as in {name}" in capsys.readouterr().err


@pytest.mark.parametrize("has", [False, True], ids=["without AMX", "with AMX"])
def test_what_the_processor_lacks_is_left_out_and_refused_where_it_is_named(
    has, monkeypatch, capsys
):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"amx_int8": has})
    assert ("AMX" in possible()) is has
    monkeypatch.setattr(sys, "argv", ["machines", "--only", "AMX", "--", "nothing here"])
    with pytest.raises(SystemExit):
        main()
    assert ("this processor has no amx_int8" in capsys.readouterr().err) is not has


@on_linux_x86
@pytest.mark.parametrize("name", ["AVX2", "AVX-512", "SSE4.1", "Mac's engines", "no oneDNN"])
def test_torch_believes_the_setting(name, tmp_path):
    program = (
        "import torch; q = torch.backends.quantized; print(torch.cpu._is_vnni_supported(), "
        "'fbgemm' in q.supported_engines, q.engine, torch.backends.mkldnn.enabled)"
    )
    variables = environment(BY_NAME[name], ROOT, tmp_path)
    command = [sys.executable, "-W", "ignore", "-c", program]
    said = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    assert (
        said.stdout.split()
        == {
            "AVX2": ["False", "True", "x86", "True"],
            "AVX-512": ["False", "True", "x86", "True"],
            "SSE4.1": ["False", "False", "onednn", "True"],
            "Mac's engines": [said.stdout.split()[0], "False", "none", "True"],
            "no oneDNN": [said.stdout.split()[0], "True", "x86", "False"],
        }[name]
    )


def test_a_mac_packs_with_an_engine_only_and_then_by_torch_own_operators(tmp_path):
    program = """
import torch
ops, q = torch.ops.quantized, torch.backends.quantized
weight = torch.quantize_per_tensor(torch.ones(2, 3), 0.5, 0, torch.qint8)
guarded = ops.linear_prepack
try:
    guarded(weight, None)
except RuntimeError as error:
    print(str(error).split()[-1])
q.engine = "qnnpack"
ops.linear_prepack(weight, None)
print(type(ops.linear_prepack).__name__, ops.linear_prepack in {guarded}, ops.linear in {guarded})
"""
    variables = environment(BY_NAME["Mac's engines"], ROOT, tmp_path)
    command = [sys.executable, "-W", "ignore", "-c", program]
    said = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["NoQEngine", "OpOverloadPacket", "True", "False"]
