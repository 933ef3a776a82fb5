"""The emulated ARM computer: how it is put together, what it runs, and what is recorded of it."""

import os
from types import SimpleNamespace

import pytest
import torch

from machines.arm import debian, processor, record, tasks, wheels
from machines.arm.computer import Computer, environment, write_launchers
from machines.arm.tasks import notebooks, proofs, run_tests, unit_tests
from machines.workplace import ROOT
from proofs import collection
from proofs.proof import Proof


def test_the_tasks_are_those_of_the_checkout():
    assert "tests/numbers/test_quantize.py" in unit_tests(ROOT)
    assert not any("widgets" in name or name.count("/") == 1 for name in unit_tests(ROOT))
    assert "book/numbers/quantized_tensors.ipynb" in notebooks(ROOT)
    assert "linear_dynamic: torch.ops.quantized.linear_dynamic, engine qnnpack" in proofs(1)
    assert not any("onnxruntime" in name or "TensorFlow" in name for name in proofs(1))
    ranges = "quant_range: torch.ao.quantization.utils.calculate_qmin_qmax"  # has few cases
    assert proofs(10**6)[ranges].args == (ranges, collection.all_proofs()[ranges].cases)


def test_a_run_of_tests_says_what_failed(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\n", "utf-8")
    (tmp_path / "test_three.py").write_text(
        "import pytest\n"
        "def test_good(): pass\n"
        "def test_bad(): raise ValueError('not\\nthis')\n"
        "def test_other(): pytest.skip('no')\n",
        "utf-8",
    )
    assert run_tests(tmp_path, "test_three.py") == {
        "passed": 1,
        "skipped": 1,
        "failed": {"test_three.py::test_bad": "ValueError: not"},
    }


def test_a_file_without_a_test_is_no_success(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\n", "utf-8")
    (tmp_path / "test_empty.py").write_text("", "utf-8")
    with pytest.raises(RuntimeError, match=r"pytest ran no test of test_empty\.py.*NO_TESTS"):
        run_tests(tmp_path, "test_empty.py")


def test_a_file_that_cannot_be_read_fails(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\n", "utf-8")
    (tmp_path / "test_broken.py").write_text("import nothing_of_that_name\n", "utf-8")
    failed = run_tests(tmp_path, "test_broken.py")["failed"]
    assert "nothing_of_that_name" in failed["test_broken.py"]


@pytest.mark.parametrize(
    ("tolerance", "cases"), [(0.0, 2), (0.5, 1)], ids=["every bit", "half allowed"]
)
def test_a_proof_goes_on_after_a_case_that_differs(monkeypatch, tolerance, cases):
    def case(draw):
        ours = torch.tensor([1.0, 2.0])
        return ours, ours + torch.tensor([0.0, {1: 0.25, 3: 9.0}.get(draw.number, 0.0)])

    broken = Proof("quantize", "nothing", case, tolerance=tolerance)
    monkeypatch.setattr(collection, "all_proofs", lambda: {"broken": broken})
    expected = {"cases": 5, "differing_cases": cases, "values": 10, "differing": cases}
    assert tasks.run_proof("broken", 5) == expected


def test_a_notebook_is_counted_by_verdict(monkeypatch, tmp_path):
    verdicts = [("a", "same"), ("b", "red"), ("c", "marked"), ("d", "same")]
    monkeypatch.setattr(tasks, "_cells", lambda path: iter(verdicts))
    assert tasks.run_notebook(tmp_path) == {"same": 2, "marked": ["c"], "red": ["b"]}


UNIT = {"tests/test_a.py": {"passed": 2, "skipped": 1, "failed": {"a::b": "why"}}}
PROOFS = {
    "p": {"cases": 10, "differing_cases": 2, "values": 1000, "differing": 3},
    "q": {"died": "SIGSEGV"},
}
NOTEBOOKS = {"book/n.ipynb": {"same": 5, "marked": ["x"], "red": ["y"]}}


def test_the_totals_count_and_the_exceptions_are_named():
    assert record.totals("unit", UNIT) == "2 passed, 1 skipped, 1 failed"
    assert record.totals("proofs", PROOFS) == "1,000 values in 10 cases, 3 differ"
    assert record.totals("notebooks", NOTEBOOKS) == "5 cells the same, 1 marked, 1 red"
    assert record.exceptions(UNIT | PROOFS | NOTEBOOKS) == [
        "a::b: why",
        "p: 2 of 10 cases differ",
        "q ended early: SIGSEGV",
        "book/n.ipynb: y is red",
    ]


def test_a_run_of_a_part_leaves_the_rest_in_the_record(tmp_path):
    (tmp_path / "notebooks.json").write_text('{"book/n.ipynb": {"same": 5}}')
    computer = SimpleNamespace(emulator=lambda: "an emulator")
    then = {"date": "2026-01-02", "commit": "c", "same": 3}
    tasks = {"book/n.ipynb": then, "book/m.ipynb": then, "book/moved.ipynb": then}
    before = {"unit": {"tasks": {}}, "notebooks": {"tasks": tasks}, "gone": {}}
    there = ["book/n.ipynb", "book/m.ipynb", "book/new.ipynb"]
    after = record.with_run(before, "notebooks", computer, tmp_path, there)
    assert set(after) == {"unit", "notebooks"} and after["unit"] == {"tasks": {}}
    run = after["notebooks"]
    assert run["emulator"] == "an emulator"
    assert list(run["tasks"]) == ["book/m.ipynb", "book/n.ipynb"]
    assert run["tasks"]["book/m.ipynb"] == then
    now = run["tasks"]["book/n.ipynb"]
    assert now["same"] == 5 and now["date"] > "2026" and now["commit"] not in ("", "c")
    assert record.dates(run["tasks"]) == f"2026-01-02 to {now['date']}"
    assert record.missing(run["tasks"], there) == ["book/new.ipynb"]


@pytest.mark.parametrize("release", ["ID=fedora\n", 'NAME="Not ID=debian"\n', None])
def test_without_debian_it_says_so(tmp_path, release):
    path = tmp_path / "os-release"
    if release is not None:
        path.write_text(release, "utf-8")
    with pytest.raises(RuntimeError, match="this is no Debian: run it in a container"):
        debian.check_debian(path)


def test_a_command_that_fails_is_named():
    with pytest.raises(RuntimeError, match=r"^sh .*exit 3 failed:\nno network$"):
        debian._run(["sh", "-c", "echo no network >&2; exit 3"])


def test_apt_works_in_a_folder_of_its_own(tmp_path):
    options = debian.private(tmp_path / "arm64", "arm64")
    places = [one.partition("=") for one in options if one.startswith("Dir::")]
    assert places and all(place.startswith(str(tmp_path)) for _, _, place in places)
    assert "APT::Architecture=arm64" in options
    assert (tmp_path / "arm64" / "status").read_text("utf-8") == ""


def test_the_processor_is_described_where_the_emulator_looks(tmp_path):
    processor.describe(tmp_path)
    described = (tmp_path / "proc" / "cpuinfo").read_text("utf-8")
    assert "asimddp" in described and "sve" not in described
    cpu = tmp_path / "sys" / "devices" / "system" / "cpu"
    # Bits 4 to 15 of the register are the part, bits 24 and up the implementer.
    register = int((cpu / "cpu0" / "regs" / "identification" / "midr_el1").read_text("utf-8"), 16)
    assert f"CPU part\t: {register >> 4 & 0xFFF:#x}" in described
    assert f"CPU implementer\t: {register >> 24:#x}" in described


def test_its_python_takes_the_launcher_for_itself(tmp_path):
    computer = Computer(tmp_path)
    for program in ("emulator/usr/bin/qemu-aarch64", "root/usr/bin/python3.13"):
        (tmp_path / program).parent.mkdir(parents=True)
        (tmp_path / program).touch()
    (tmp_path / "root/usr/bin/python3.13-config").touch()
    assert write_launchers(computer).name == "python3.13"
    for command in (computer.python, computer.bare / "python3.13"):
        assert os.access(command, os.X_OK)
        assert '-0 "$0"' in command.read_text("utf-8")
    assert "PYTHONPATH" in computer.python.read_text("utf-8")
    assert "PYTHONPATH" not in (computer.bare / "python3.13").read_text("utf-8")
    (tmp_path / "emulator/usr/bin/qemu-aarch64").unlink()
    with pytest.raises(RuntimeError, match="brought no qemu-aarch64"):
        write_launchers(computer)


def test_this_computers_variables_stay_here(tmp_path, monkeypatch):
    monkeypatch.setenv("LD_PRELOAD", "")
    monkeypatch.setenv("COURSE_MACHINE", "mac")
    found = environment(Computer(tmp_path), ROOT)
    assert found["PYTHONPATH"] == str(ROOT)
    assert not {"LD_PRELOAD", "COURSE_MACHINE"} & set(found)


def test_pip_is_asked_for_wheels_of_the_other_processor(tmp_path):
    asked = wheels.arguments(tmp_path, "3.11", ROOT / "constraints.txt")
    assert "manylinux_2_28_aarch64" in asked and "torch" in asked
    assert not any("x86" in one for one in asked)
    pinned = (ROOT / "constraints.txt").read_text("utf-8")
    assert all(f"\n{name}==" in pinned for name in wheels.WANTED)
