"""What stops a start is said in a sentence, whatever laptop it is."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import time
from collections import namedtuple
from dataclasses import replace
from pathlib import Path

import pytest

from workshop.archive import starter
from workshop.archive.starter import environment, lab, pythons, surroundings
from workshop.archive.starter.alone import alone
from workshop.archive.starter.contents import Contents, read_contents
from workshop.archive.starter.notebooks import bring_notebooks
from workshop.archive.starter.problem import Problem
from workshop.archive.starter.pythons import Python, find_python, why_not

ROOT = Path(__file__).resolve().parents[3]
OLDEST_TO_START = (3, 8)
STARTER = sorted((ROOT / "workshop" / "archive" / "starter").glob("*.py"))

CONTENTS = Contents(
    title="Tiny",
    version="0.1.0",
    platform="linux-x86_64",
    words="Linux with an Intel or AMD processor",
    needs="glibc 2.28 or later",
    system="Linux",
    machine="x86_64",
    glibc=[2, 28],
    macos=[0, 0],
    names={"Linux x86_64": "tiny-linux.tar", "Windows x86_64": "tiny-windows.zip"},
    pythons=["3.12", "3.13"],
    install={"3.12": ["a==1"], "3.13": ["a==1"]},
    disk={"3.12": 10, "3.13": 10},
    longest=150,
    first="start/tonight.ipynb",
)
MAC = replace(
    CONTENTS,
    platform="macos-arm64",
    words="a Mac",
    needs="macOS 14",
    system="Darwin",
    machine="arm64",
    macos=[14, 0],
)
GOOD = Python(
    path="/usr/bin/python3.12",
    version=[3, 12, 4],
    kind="CPython",
    bits=64,
    built_for="linux-x86_64",
    processor="x86_64",
    free_threaded=False,
    libc=["glibc", "2.36"],
    macos="",
)
APPLE = replace(
    GOOD, built_for="macosx-10.13-universal2", processor="arm64", libc=["", ""], macos="15.1"
)


def test_the_starter_runs_on_old_pythons() -> None:
    assert len(STARTER) > 5
    for path in STARTER:
        ast.parse(path.read_text(), feature_version=OLDEST_TO_START)
    with pytest.raises(SyntaxError):
        ast.parse("match 1:\n    case _: pass", feature_version=OLDEST_TO_START)


def test_the_starter_needs_nothing_but_python() -> None:
    modules = set()
    for path in STARTER:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                modules.add(str(node.module))
    foreign = {name for name in modules if not name.startswith(starter.__name__)}
    assert "json" in foreign and foreign < modules
    assert {name.partition(".")[0] for name in foreign} <= set(sys.stdlib_module_names)


def test_a_python_that_fits_is_taken_in_the_order_of_the_archive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    newer = replace(GOOD, version=[3, 13, 1], path="/opt/python3.13")
    warned_of = replace(GOOD, version=[3, 13, 0], path="/usr/bin/python3.13")

    def found(*here: Python) -> Python:
        monkeypatch.setattr(pythons, "pythons", lambda _: iter(here))
        return find_python(CONTENTS)

    assert found(newer, GOOD) == GOOD
    assert found(warned_of, newer) == newer
    assert found(warned_of) == warned_of, "torch warns, and works"


@pytest.mark.parametrize(
    ("python", "contents", "says"),
    [
        (replace(GOOD, version=[3, 9, 2]), CONTENTS, "another version"),
        (replace(GOOD, kind="PyPy"), CONTENTS, "it is PyPy"),
        (replace(GOOD, bits=32), CONTENTS, "built for 32 bits of x86_64"),
        (replace(GOOD, built_for="linux-aarch64"), CONTENTS, "built for 64 bits of arm64"),
        (replace(GOOD, version=[3, 13, 2], free_threaded=True), CONTENTS, "without a global lock"),
        (replace(GOOD, libc=["glibc", "2.27"]), CONTENTS, "C library is glibc 2.27"),
        (replace(GOOD, libc=["", ""]), CONTENTS, "C library is another than glibc"),
        (replace(APPLE, processor="x86_64"), MAC, "built for 64 bits of x86_64"),
        (replace(APPLE, macos="13.6"), MAC, "this is macOS 13.6"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_python_that_does_not_fit_is_told_why(
    python: Python, contents: Contents, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert says in str(why_not(python, contents))
    monkeypatch.setattr(pythons, "pythons", lambda _: iter([python]))
    with pytest.raises(Problem, match=r"(?s)needs Python 3\.12 or 3\.13.*has:.*Install Python"):
        find_python(contents)


def test_pythons_that_fit_are_not_refused() -> None:
    assert why_not(GOOD, CONTENTS) is None
    assert why_not(APPLE, MAC) is None
    assert why_not(replace(APPLE, macos="10.16"), MAC) is None, "as old Pythons call newer systems"


def test_this_python_is_found_and_describes_itself() -> None:
    minor = f"{sys.version_info[0]}.{sys.version_info[1]}"
    first = next(pythons.pythons(replace(CONTENTS, pythons=[minor])))
    assert first.path == sys.executable and first.minor == minor and first.bits == 64
    assert pythons.ask(["/there/is/none"]) is None
    assert pythons.ask([sys.executable, "-c", "raise SystemExit(3)"]) is None


def test_an_archive_for_another_laptop_names_the_right_one() -> None:
    surroundings.check_system(CONTENTS, "Linux", "x86_64")
    surroundings.check_system(MAC, "Darwin", "x86_64")  # a Python for Intel, on any Mac
    with pytest.raises(Problem, match=r"this is Windows on x86_64\. Take tiny-windows\.zip"):
        surroundings.check_system(CONTENTS, "Windows", "AMD64")
    with pytest.raises(Problem, match=r"macOS on arm64\. There is none for it: read the pages"):
        surroundings.check_system(CONTENTS, "Darwin", "arm64")
    with pytest.raises(Problem, match="this is Linux on riscv64"):
        surroundings.check_system(CONTENTS, "Linux", "riscv64")


def test_a_folder_that_cannot_be_written_gets_a_sentence(tmp_path: Path) -> None:
    surroundings.check_folder(tmp_path, CONTENTS)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Problem, match="Copy the folder to your own disk"):
        surroundings.check_folder(tmp_path / "none", CONTENTS)


@pytest.mark.skipif(sys.platform == "win32", reason="it plays Windows on another system")
def test_a_stick_without_links_and_a_long_path_get_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as patched:
        patched.setattr(os, "symlink", refused)
        with pytest.raises(Problem, match="Operation not permitted.*it may be a stick"):
            surroundings.check_folder(tmp_path, CONTENTS)
    own = namedtuple("own", "name symlink path")("nt", None, os.path)
    monkeypatch.setattr(surroundings, "os", own)
    monkeypatch.setattr(surroundings, "long_paths", lambda: False)
    fits = 259 - len(str(tmp_path)) - len("\\venv\\Lib\\site-packages\\")
    surroundings.check_folder(tmp_path, replace(CONTENTS, longest=fits))
    with pytest.raises(Problem, match=f"Windows allows {len(str(tmp_path)) - 1} here"):
        surroundings.check_folder(tmp_path, replace(CONTENTS, longest=fits + 1))
    monkeypatch.setattr(surroundings, "long_paths", lambda: True)
    surroundings.check_folder(tmp_path, replace(CONTENTS, longest=fits + 1))


def test_a_full_disk_gets_a_sentence(tmp_path: Path) -> None:
    surroundings.check_room(tmp_path, 1)
    with pytest.raises(Problem, match=r"needs 1000000\.0 GB beside what is unpacked"):
        surroundings.check_room(tmp_path, 10**15)


def test_a_damaged_list_of_contents_gets_a_sentence(tmp_path: Path) -> None:
    for text in ("", "[]", '{"title": "Tiny"}', "\x00"):
        (tmp_path / "contents.json").write_text(text)
        with pytest.raises(Problem, match="unpack the whole archive again"):
            read_contents(tmp_path)


def test_pip_comes_where_uv_fails_and_the_log_is_named_where_both_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []

    def runs(command: list[str], folder: Path, log: int) -> bool:
        steps.append(" ".join(command))
        return command[0] != str(tmp_path / ".uv" / "uv") and works

    monkeypatch.setattr(environment, "_runs", runs)
    monkeypatch.setattr(environment, "_unpack_uv", lambda folder: folder / ".uv" / "uv")
    works = True
    (tmp_path / "venv").mkdir()  # as pip's step would have made it
    monkeypatch.setattr(environment, "_remove", lambda _: None)
    assert environment.make(tmp_path, GOOD, CONTENTS) == "pip"
    assert " venv --no-project " in steps[0] and "-m venv" in steps[1]
    assert "--no-index --no-deps --find-links" in steps[2] and steps[2].endswith(" a==1")
    works = False
    with pytest.raises(Problem, match=r"start\.log: show it to your instructor"):
        environment.make(tmp_path, GOOD, CONTENTS)


def test_an_environment_that_cannot_be_removed_gets_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_use(_: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(environment.shutil, "rmtree", in_use)
    (tmp_path / "venv").mkdir()
    with pytest.raises(Problem, match="cannot be removed .*Close what still uses it"):
        environment.make(tmp_path, GOOD, CONTENTS)


def test_what_jupyter_and_npm_keep_stays_in_the_folder(tmp_path: Path) -> None:
    """The README says: to remove the course, delete this folder."""
    names = "JUPYTER_CONFIG_DIR JUPYTER_DATA_DIR JUPYTER_RUNTIME_DIR IPYTHONDIR npm_config_cache"
    kept = lab.variables(tmp_path)
    places = [Path(kept[name]) for name in names.split()]
    assert all(place.parent == tmp_path / ".settings" for place in places)
    assert len(set(places)) == len(places)


def test_settings_of_the_laptop_lead_no_installer_astray(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PIP_INDEX_URL", "UV_INDEX", "PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.setenv(name, "/somewhere/else")
    assert "/somewhere/else" not in environment.clean_variables().values()


def test_a_copy_that_was_cut_off_leaves_no_half_notebook(tmp_path: Path) -> None:
    pristine, own = tmp_path / "notebooks", tmp_path / "my-notebooks"
    pristine.mkdir()
    (pristine / "a.ipynb").write_text("whole")
    own.mkdir()
    (own / "a.ipynb.half").write_text("wh")
    assert bring_notebooks(pristine, own) == 1
    assert (own / "a.ipynb").read_text() == "whole"
    assert bring_notebooks(pristine, own) == 0


def test_a_second_double_click_waits(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from workshop.archive.starter.alone import alone\n"
    )
    script += "with alone(Path(sys.argv[1])): print('its turn')"
    command = [sys.executable, "-c", script, str(tmp_path / "lock")]
    with alone(tmp_path / "lock"):
        second = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert second.stdout is not None and "waits for it" in second.stdout.readline()
        time.sleep(0.2)
        assert second.poll() is None
    said, _ = second.communicate(timeout=30)
    assert said == "its turn\n"


def test_a_problem_is_printed_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_contents(_: Path) -> Contents:
        raise Problem("The archive ends here.")

    monkeypatch.setattr(starter, "read_contents", no_contents)
    assert starter.main([]) == 1
    assert capsys.readouterr().err == "The archive ends here.\n"
