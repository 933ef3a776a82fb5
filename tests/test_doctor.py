"""The doctor says yes where all is well, and each no once, with what to do."""

from __future__ import annotations

import ast
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

import qlearn.doctor as doctor
from qlearn.doctor import children, gather
from qlearn.doctor.children import how_it_ended, run_child
from qlearn.doctor.facts import Facts, Folder, Package, Torch
from qlearn.doctor.finding import NO, NOTE, YES, Finding
from qlearn.doctor.pins import find_packages, fits, read_pins
from qlearn.doctor.report import as_json, can_run, in_words, judge
from qlearn.doctor.venv_state import find_checkout, venv_state
from tests.probes import Probe

HEALTHY_TORCH = Torch(
    version="2.13.0+cpu",
    file="/course/.venv/torch/__init__.py",
    capability="AVX512",
    vnni=True,
    threads=2,
    listed=["qnnpack", "onednn", "x86", "fbgemm"],
    engines=["fbgemm", "x86", "qnnpack", "onednn"],
    saturates=False,
    slow_when_compiled=False,
)
HEALTHY = Facts(
    python=(3, 12, 1),
    executable="/course/.venv/bin/python",
    checkout="/course",
    venv="ready",
    in_venv=True,
    packages=[
        Package("torch", "==2.13.0", "2.13.0+cpu"),
        Package("torchao", "==0.18.0", "0.18.0"),
        Package("numpy", "==2.4.6", "2.4.6"),
    ],
    torch=HEALTHY_TORCH,
    system="Linux",
    processor="x86_64",
    cores=2,
    memory=8 * 2**30,
    disk=20 * 2**30,
    folders=[Folder("the course", "/course"), Folder("temporary files", "/tmp")],
    browser="/usr/bin/chromium",
)


def with_torch(**changes: object) -> Facts:
    return replace(HEALTHY, torch=replace(HEALTHY_TORCH, **changes))


def with_package(name: str, found: str | None) -> Facts:
    packages = [replace(p, found=found) if p.name == name else p for p in HEALTHY.packages]
    return replace(HEALTHY, packages=packages)


def with_folder(purpose: str, error: str) -> Facts:
    return replace(HEALTHY, folders=[Folder(purpose, "/there", error)])


def topics(facts: Facts, verdict: str) -> list[str]:
    return [finding.topic for finding in judge(facts) if finding.verdict == verdict]


def the(facts: Facts, topic: str) -> Finding:
    (finding,) = [finding for finding in judge(facts) if finding.topic == topic]
    return finding


def test_a_healthy_machine_has_no_no() -> None:
    assert topics(HEALTHY, NO) == []
    assert topics(HEALTHY, NOTE) == ["instructions", "threads"]
    assert in_words(judge(HEALTHY)).endswith("This machine can run the course.")


NO_TORCH = Torch(error="ModuleNotFoundError: No module named 'torch'")
NOES = {
    "a Python that torch warns of": (
        replace(HEALTHY, python=(3, 13, 0)),
        "Python",
        "Install Python 3.13.1",
    ),
    "Python too new": (replace(HEALTHY, python=(3, 15, 0)), "Python", "PYTHON=python3.14"),
    "old Python": (replace(HEALTHY, python=(3, 9, 18)), "Python", "PYTHON=python3.11"),
    "no .venv": (replace(HEALTHY, venv="missing"), ".venv", "make book"),
    "no Python in .venv": (replace(HEALTHY, venv="broken"), ".venv", "make book"),
    "half-made .venv": (replace(HEALTHY, venv="unfinished"), ".venv", "make book"),
    "moved .venv": (replace(HEALTHY, venv="moved"), ".venv", "make book"),
    "torch dies": (with_torch(version=None, error="SIGILL"), "torch", "rm -rf .venv && make book"),
    "another torch": (
        replace(with_package("torch", "2.12.1"), torch=replace(HEALTHY_TORCH, version="2.12.1")),
        "torch",
        "pip install -r requirements.txt",
    ),
    "a hidden torch": (with_torch(version="2.12.1"), "torch", "unset PYTHONPATH"),
    "no torchao": (with_package("torchao", None), "torchao", "pip install -r requirements.txt"),
    "another torchao": (with_package("torchao", "0.17.0"), "torchao", "pip install -r requ"),
    "no numpy": (with_package("numpy", None), "packages", "pip install -r requirements.txt"),
    "another numpy": (with_package("numpy", "2.0.0"), "packages", "pip install -r requ"),
    "no list": (replace(HEALTHY, packages=[]), "packages", "pip install -r requirements.txt"),
    "no engine": (with_torch(engines=[]), "engines", "from its own wheels"),
    "no engine tried": (with_torch(engines=None, error="SIGILL"), "engines", "mend torch"),
    "little memory": (replace(HEALTHY, memory=2**30), "memory", "more"),
    "little disk": (replace(HEALTHY, disk=2**29), "disk", "Free some"),
    "no .venv yet and 3 GiB": (replace(HEALTHY, venv="missing", disk=3 * 2**30), "disk", "Free"),
    "read-only course": (with_folder("the course", "Read-only"), "write access", "Copy the course"),
    "no TMPDIR": (with_folder("temporary files", "No space"), "write access", "Set TMPDIR"),
    "no HOME": (with_folder("settings and caches", "Denied"), "write access", "Set HOME"),
    "kernel dies": (replace(HEALTHY, kernel="Kernel died"), "kernel", "Set HOME|set HOME"),
    "no jupyter": (
        replace(HEALTHY, kernel="No module named 'jupyter_client'"),
        "kernel",
        "pip install -r requirements.txt",
    ),
}


@pytest.mark.parametrize(("facts", "topic", "do"), NOES.values(), ids=NOES.keys())
def test_each_no_says_what_to_do_and_fails(facts: Facts, topic: str, do: str) -> None:
    finding = the(facts, topic)
    assert finding.verdict == NO
    assert any(part in finding.do for part in do.split("|")), finding.do
    assert not can_run(judge(facts))
    assert f"Begin with {topics(facts, NO)[0]}:" in in_words(judge(facts))


def test_what_must_be_mended_first_comes_first() -> None:
    facts = replace(HEALTHY, venv="missing", disk=0, torch=NO_TORCH)
    assert topics(facts, NO) == ["disk", ".venv", "torch", "engines"]


def test_without_torch_all_else_is_still_said() -> None:
    facts = replace(with_package("torch", None), torch=NO_TORCH)
    assert topics(facts, NO) == ["torch", "engines"]
    assert "has no torch" in the(facts, "torch").says
    assert "could not be tried" in the(facts, "instructions").says


@pytest.mark.parametrize("field", ["memory", "disk", "folders"])
def test_what_cannot_be_found_out_is_a_note(field: str) -> None:
    nothing = [] if field == "folders" else None
    facts = replace(HEALTHY, **{field: nothing}, unknown={field: "OSError: gone"})
    assert can_run(judge(facts))
    assert "OSError: gone" in in_words(judge(facts))


def test_without_a_browser_all_but_the_tests_works() -> None:
    facts = replace(HEALTHY, browser=None, browser_error="None was found.")
    assert can_run(judge(facts))
    assert the(facts, "browser").verdict == NOTE and "None was found" in the(facts, "browser").says
    assert "make browser" in in_words(judge(facts))


def test_another_python_than_that_of_venv_is_a_note() -> None:
    assert the(replace(HEALTHY, in_venv=False), ".venv").verdict == NOTE
    facts = replace(with_package("torchao", None), in_venv=False)
    assert "make doctor" in the(facts, "torchao").do


def test_a_mac_with_one_engine_can_run_the_course() -> None:
    facts = replace(with_torch(engines=["qnnpack"], listed=["qnnpack"]), processor="arm64")
    assert can_run(judge(facts))
    assert the(facts, "engines").verdict == NOTE
    assert "with qlearn alone" in the(facts, "engines").says


def test_an_engine_that_torch_lists_and_that_runs_nothing_is_named() -> None:
    facts = with_torch(engines=["qnnpack", "onednn"])
    assert "torch lists x86, fbgemm too, but no layer runs there" in the(facts, "engines").says


@pytest.mark.parametrize(
    ("facts", "says"),
    {
        "no VNNI": (with_torch(saturates=True, vnni=False), "fbgemm saturates; the chapter red"),
        "VNNI": (HEALTHY, "VNNI: fbgemm adds int8 products in 32 bits"),
        "qnnpack": (with_torch(engines=["qnnpack"]), "qnnpack adds int8 products in 32 bits"),
        "ARM": (replace(HEALTHY, processor="aarch64"), "the pages say where ARM"),
        "untried": (with_torch(saturates=None), "could not be tried"),
        "slow": (with_torch(slow_when_compiled=True), "dynamic int8 takes far longer here"),
        "limited": (replace(HEALTHY, limits={"MKL_CBWR": "COMPATIBLE"}), "MKL_CBWR=COMPATIBLE"),
    }.values(),
)
def test_the_instructions_have_their_meaning(facts: Facts, says: str) -> None:
    assert says in the(facts, "instructions").says


def test_qlearn_alone_needs_no_folder_browser_or_notebook() -> None:
    alone = replace(
        HEALTHY,
        checkout=None,
        venv=None,
        browser=None,
        kernel="No module named 'jupyter_client'",
        packages=[Package("torch", ">=2.6", "2.5.1")],
        torch=replace(HEALTHY_TORCH, version="2.5.1"),
    )
    assert topics(alone, NO) == ["torch"]
    assert "about 2.6 or later" in the(alone, "torch").says
    assert the(alone, "torch").do.endswith("-m pip install 'torch>=2.6'")


ON_A_HUB = replace(
    HEALTHY, checkout=None, venv=None, browser=None, memory=800 * 2**20, disk=250 * 2**20
)


def test_a_students_share_of_a_hub_is_enough() -> None:
    assert topics(replace(ON_A_HUB, disk_at="/tmp"), NO) == []
    assert "0.24 GiB are free in /tmp" in the(replace(ON_A_HUB, disk_at="/tmp"), "disk").says


@pytest.mark.parametrize(("topic", "size"), [("disk", 90 * 2**20), ("memory", 700 * 2**20)])
def test_a_smaller_share_is_not(topic: str, size: int) -> None:
    assert topics(replace(ON_A_HUB, **{topic: size}), NO) == [topic]


def test_json_has_verdict_findings_and_facts() -> None:
    facts = with_package("torchao", None)
    said = json.loads(as_json(judge(facts), facts))
    assert said.keys() == {"can_run", "findings", "facts"}
    assert said["can_run"] is False
    for finding in said["findings"]:
        assert finding.keys() == {"topic", "verdict", "says", "do"}
        assert finding["verdict"] in (YES, NOTE, NO)
    assert said["facts"].keys() == asdict(facts).keys()
    assert said["facts"]["torch"]["engines"] == HEALTHY_TORCH.engines


@pytest.mark.parametrize("words", [["doctor"], ["doctor", "--json"]], ids=["words", "json"])
@pytest.mark.parametrize(("memory", "code"), [(2**33, 0), (2**20, 1)], ids=["well", "ill"])
def test_the_exit_code_is_the_verdict(
    words: list[str],
    memory: int,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(doctor, "all_facts", lambda: replace(HEALTHY, memory=memory))
    assert doctor.main(words) == code
    said = capsys.readouterr().out
    assert (json.loads(said)["can_run"] is (code == 0)) if "--json" in words else "memory" in said


def test_a_no_without_what_to_do_is_a_mistake() -> None:
    with pytest.raises(AssertionError, match="disk: a no without what to do"):
        Finding("disk", NO, "It is full.")


def test_whatever_breaks_the_doctor_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> None:
        raise RuntimeError("broken")

    finders = ("find_torch", "find_kernel", "find_browser", "find_folders", "find_packages")
    for name in (*finders, "venv_state", "count_cores", "find_memory"):
        monkeypatch.setattr(gather, name, breaks)
    monkeypatch.setattr(gather.shutil, "disk_usage", breaks)
    facts = gather.all_facts()
    assert set(facts.unknown.values()) == {"RuntimeError: broken"}
    assert len(facts.unknown) == 9
    assert not can_run(judge(facts))
    json.loads(as_json(judge(facts), facts))


def test_a_terminal_of_few_characters_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ascii:
        encoding = "ascii"
        said = ""

        def write(self, text: str) -> None:
            self.said += text.encode("ascii").decode()

        def flush(self) -> None:
            pass

    out = Ascii()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(doctor, "all_facts", lambda: replace(HEALTHY, executable="/kürs/python"))
    assert doctor.main(["doctor"]) == 0
    assert "/k\\xfcrs/python" in out.said


def test_it_imports_nothing_but_pythons_own_library() -> None:
    folder = Path(doctor.__file__).parent
    heavy = {"probe_torch.py", "probe_kernel.py"}  # they run in processes of their own
    for file in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                own = name.startswith("qlearn.doctor")
                assert own or name.split(".")[0] in sys.stdlib_module_names or file.name in heavy


# What it finds out with


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(children, "HERE", tmp_path)
    return tmp_path / "script.py"


def test_a_child_that_dies_leaves_what_it_said(script: Path) -> None:
    script.write_text("import os\nprint('{\"a\": 1}', flush=True)\nprint('noise')\nos.abort()\n")
    said, error = run_child("script.py")
    assert said == {"a": 1}
    assert error is not None


def test_a_child_that_raises_leaves_its_last_line(script: Path) -> None:
    script.write_text("raise ValueError('no such thing')\n")
    assert run_child("script.py") == ({}, "ValueError: no such thing")


def test_a_child_that_hangs_is_ended(script: Path) -> None:
    script.write_text("import time\ntime.sleep(60)\n")
    assert run_child("script.py", seconds=0.5) == ({}, "it did not end within 0.5 s")


@pytest.mark.parametrize(
    ("code", "stderr", "says"),
    [(0, "a warning", None), (-4, "", "killed by signal SIGILL"), (3, "", "ended with code 3")],
)
def test_the_end_of_a_process_in_words(code: int, stderr: str, says: str | None) -> None:
    said = how_it_ended(code, stderr)
    assert said is None if says is None else says in str(said)


def test_engines_are_tried_one_by_one_where_one_of_them_kills(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def child(_: str, engine: str = "") -> tuple[dict, str | None]:
        if not engine:
            return {"version": "2.13.0", "listed": ["qnnpack", "fbgemm"]}, "SIGILL"
        return ({"works": True}, None) if engine == "qnnpack" else ({}, "SIGILL")

    monkeypatch.setattr(gather, "run_child", child)
    torch = gather.find_torch()
    assert torch.engines == ["qnnpack"]
    assert torch.error == "SIGILL"


def test_the_scripts_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are no dead letters: the Python of the tests has torch and a kernel."""
    monkeypatch.setenv("HOME", str(tmp_path))
    torch = gather.find_torch()
    assert torch.error is None
    assert torch.engines
    assert torch.saturates in (True, False)
    on_x86 = gather.platform.machine() in ("x86_64", "AMD64")
    assert (torch.slow_when_compiled is not None) is on_x86
    assert run_child("probe_torch.py", torch.engines[0]) == ({"works": True}, None)
    assert gather.find_kernel() is None


SIGNED = """
import torch
torch.cpu._is_vnni_supported = lambda: False
from qlearn.doctor.probe_torch import tell_of_signed_codes
tell_of_signed_codes()
"""


@pytest.mark.parametrize(("limit", "slow"), [("AVX2_VNNI", True), ("AVX2", False)])
def test_codes_without_a_kernel_are_found_by_their_time(
    limit: str, slow: bool, probe: Probe
) -> None:
    if not torch.cpu.get_capabilities().get("avx_vnni"):
        pytest.skip("this processor has no AVX-VNNI")
    assert json.loads(probe(SIGNED, ONEDNN_MAX_CPU_ISA=limit)) == {"slow_when_compiled": slow}


def test_the_kernel_is_asked_where_jupyters_server_asks_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel of a hub has temporary files of its own, and sees none of the doctor's."""
    seen = tmp_path / "seen"
    script = f"import pathlib, sys; pathlib.Path({str(seen)!r}).write_text(sys.argv[1])"
    spec = tmp_path / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    argv = [sys.executable, "-c", script, "{connection_file}"]
    spec.write_text(json.dumps({"argv": argv, "display_name": "seen", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    assert "died" in str(gather.find_kernel())
    assert Path(seen.read_text()).parent == tmp_path / "runtime"


def test_the_course_lists_its_pins() -> None:
    checkout = find_checkout()
    assert checkout == Path(__file__).resolve().parent.parent
    names = {package.name: package for package in find_packages(checkout)}
    assert {"torch", "torchao", "ipykernel"} <= names.keys()
    assert names["torch"].wanted.startswith("==")
    assert names["torch"].found is not None


@pytest.mark.parametrize(
    ("found", "wanted", "fit"),
    [("2.13.0+cpu", "==2.13.0", True), ("2.13.1", "==2.13.0", False), ("2.10", ">=2.6", True),
     ("2.5.1", ">=2.6", False), ("3.0rc1", ">=2.6", True)],
)  # fmt: skip
def test_versions(found: str, wanted: str, fit: bool) -> None:
    assert fits(found, wanted) is fit


def test_pins_are_read_without_comments_and_includes() -> None:
    text = "-c constraints.txt\n# a comment\ntorch==2.13.0  # why\nnumpy>=2.0; extra\n\n-e .\n"
    assert read_pins(text) == [("torch", "==2.13.0"), ("numpy", ">=2.0")]


def test_the_states_of_a_venv(tmp_path: Path) -> None:
    venv = tmp_path / ".venv"
    assert venv_state(tmp_path) == "missing"
    (venv / "bin").mkdir(parents=True)
    assert venv_state(tmp_path) == "broken"
    (venv / "bin" / "python").symlink_to(sys.executable)
    assert venv_state(tmp_path) == "unfinished"
    (venv / "ready").write_text("/elsewhere\n")
    assert venv_state(tmp_path) == "moved"
    (venv / "ready").write_text(f"{tmp_path}\n")
    assert venv_state(tmp_path) == "ready"


def test_a_folder_that_is_not_there_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gather.tempfile, "gettempdir", lambda: str(tmp_path / "none"))
    errors = {folder.purpose: folder.error for folder in gather.find_folders(tmp_path)}
    assert errors["the course"] is None
    assert "No such file" in str(errors["temporary files"])


def test_a_container_may_allow_less_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory.max").write_text("1048576\n")
    monkeypatch.setattr(gather, "CGROUPS", (str(tmp_path / "memory.max"), str(tmp_path / "none")))
    assert gather.find_memory() == 2**20
    (tmp_path / "memory.max").write_text("max\n")
    assert gather.find_memory() > 2**20


@pytest.mark.parametrize(("said", "less"), [("1048576", True), ("0", False), ("1G", False)])
def test_a_hub_may_allow_less_memory(
    said: str, less: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEM_LIMIT", said)
    assert (gather.find_memory() == 2**20) is less


def test_the_disk_is_the_fuller_one_of_notebooks_and_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = {"/course": 3, str(tmp_path): 2, "/temporary": 1}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(gather.tempfile, "gettempdir", lambda: "/temporary")
    monkeypatch.setattr(
        gather.shutil, "disk_usage", lambda path: SimpleNamespace(free=free[str(path)])
    )
    assert gather.find_disk(None) == (1, "/temporary")
    free["/temporary"] = 9
    assert gather.find_disk(None) == (2, str(tmp_path))
    assert gather.find_disk(Path("/course")) == (3, "/course")
