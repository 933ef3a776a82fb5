"""Bad surroundings are met with a sentence: by ``import qlearn``, by the doctor, and by make."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from qlearn.doctor.facts import Facts
from qlearn.surroundings import check_imports, doctor_is_called

ROOT = Path(__file__).resolve().parent.parent
ALONE = "environment/alone.py"


def python(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the course's folder, with the modules of tmp_path before all others."""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def module(tmp_path: Path, name: str, source: str) -> None:
    (tmp_path / f"{name}.py").write_text(source)


@pytest.mark.parametrize(
    ("name", "source", "says"),
    [
        ("torch", "raise ModuleNotFoundError(\"No module named 'torch'\")", "No module named"),
        ("torch", "raise OSError('libtorch.so: cannot open')", "libtorch.so: cannot open"),
        ("torch", "__version__ = '2.12.1'", "has no attribute 'Tensor'"),
        ("jaxtyping", "raise ImportError('half there')", "half there"),
    ],
    ids=["missing", "no library", "half there", "another package"],
)
def test_the_import_says_what_is_missing(tmp_path: Path, name: str, source: str, says: str) -> None:
    module(tmp_path, name, source)
    done = python(tmp_path, "-c", "import qlearn")
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1
    assert last.startswith(f"ImportError: qlearn needs {name}")
    assert says in last
    assert "make book" in last


def test_the_imports_are_there() -> None:
    check_imports()


def test_the_doctor_runs_without_torch(tmp_path: Path) -> None:
    module(tmp_path, "torch", "raise ModuleNotFoundError(\"No module named 'torch'\")")
    done = python(tmp_path, "-m", "qlearn", "doctor", "--json")
    assert done.returncode == 1, done.stderr
    assert done.stderr == ""
    said = json.loads(done.stdout)
    assert "torch" in [finding["topic"] for finding in said["findings"] if finding["do"]]
    assert "No module named 'torch'" in said["facts"]["torch"]["error"]


def test_the_doctor_outlives_a_torch_that_dies(tmp_path: Path) -> None:
    module(tmp_path, "torch", "import os\nos.kill(os.getpid(), 4)")
    done = python(tmp_path, "-m", "qlearn", "doctor")
    assert done.returncode == 1
    assert "torch does not start: the process was killed by signal SIGILL" in done.stdout


@pytest.mark.parametrize(
    ("argv", "orig_argv", "called"),
    [
        (["-m", "doctor"], ["python", "-m", "qlearn", "doctor"], True),
        (["-m", "doctor", "--json"], ["python", "-W", "x", "-m", "qlearn", "doctor", "--j"], True),
        (["-m", "doctor"], ["python", "-mqlearn", "doctor"], True),
        (["-m", "doctor"], ["python", "-m", "another", "doctor"], False),
        (["-m"], ["python", "-m", "qlearn"], False),
        (["program.py", "doctor"], ["python", "program.py", "doctor"], False),
        ([""], ["python"], False),
    ],
)
def test_the_doctor_is_called_by_its_name_alone(
    argv: list[str], orig_argv: list[str], called: bool
) -> None:
    assert doctor_is_called(argv, orig_argv) is called


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return a folder with the Makefile and the files that .venv is made from, and no .venv."""
    folder = tmp_path / "course"
    folder.mkdir()
    (folder / "environment").mkdir()
    for name in ("Makefile", "requirements.txt", "constraints.txt", "pyproject.toml", ALONE):
        shutil.copy(ROOT / name, folder / name)
    return folder


def stand_in(folder: Path, venv: str) -> Path:
    """Write what stands in for Python, and makes a virtual environment by this shell script."""
    file = folder / "python-stand-in"
    file.write_text(
        f"""#!/bin/sh
case "$1" in -c) exit 0;; {ALONE}) exec {shlex.quote(sys.executable)} "$@";; esac
{venv}
"""
    )
    file.chmod(0o755)
    return file


def pip_by(script: str) -> str:
    """Return a script that makes a .venv whose Python runs the script; it starts always."""
    inner = shlex.quote(f'#!/bin/sh\n[ "$1" = -m ] || exit 0\n{script}\n')
    return f"mkdir -p .venv/bin; printf {inner} > .venv/bin/python; chmod +x .venv/bin/python"


def make(course: Path, python: Path | str, *words: str) -> str:
    command = ["make", f"PYTHON={python}", *(words or [".venv/ready"])]
    done = subprocess.run(
        command,
        cwd=course,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    return done.stdout


def test_make_says_that_there_is_no_such_python(course: Path) -> None:
    assert "There is no python3.99 here. Install Python 3.11" in make(course, "python3.99")


@pytest.mark.parametrize("version", ["3, 10, 9", "3, 15, 0"])
def test_make_says_for_which_pythons_there_are_packages(course: Path, version: str) -> None:
    python = course / "python-of-another-version"
    python.write_text(
        f"""#!/bin/sh
case "$1" in -c) exec {shlex.quote(sys.executable)} -c "import sys
sys.version_info = ({version})
$2";; esac
exec {shlex.quote(sys.executable)} "$@"
"""
    )
    python.chmod(0o755)
    oldest, newest = pythons()
    said = make(course, python)
    assert f"the course has packages for {oldest} to {newest}. Install one of these" in said
    assert not (course / ".venv").exists()


def pythons() -> tuple[str, str]:
    """Return the first and the last Python that the package says it is for."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"]
    versions = [each.rpartition(" ")[2] for each in told if "Python :: 3." in each]
    return versions[0], versions[-1]


def test_the_doctor_knows_the_same_pythons() -> None:
    ends = (Facts().python_wanted, Facts().python_newest)
    assert tuple(".".join(map(str, end)) for end in ends) == pythons()


def test_a_site_is_served_by_what_is_there_and_nothing_is_installed(course: Path) -> None:
    """In a room without internet pip could only fail, and make takes the stamp away before."""
    (course / ".venv" / "bin").mkdir(parents=True)
    shutil.copy(stand_in(course, 'echo "served: $@"; exit 1'), course / ".venv/bin/python")
    said = make(course, stand_in(course, "echo installs; exit 1"), "serve", "SITE=_build/html")
    assert "served: -m workshop.lan" in said and "installs" not in said


def test_the_doctor_too_needs_some_python(course: Path) -> None:
    assert "There is no python3.99 here. Install Python 3.11" in make(
        course, "python3.99", "doctor"
    )


def test_the_doctor_asks_the_python_of_venv_where_it_starts(course: Path) -> None:
    other = stand_in(course, 'echo "another Python: $@"; exit 1')
    assert "another Python: -m qlearn doctor" in make(course, other, "doctor")
    (course / ".venv" / "bin").mkdir(parents=True)
    shutil.copy(stand_in(course, 'echo "that of .venv: $@"; exit 1'), course / ".venv/bin/python")
    assert "that of .venv: -m qlearn doctor" in make(course, other, "doctor")


def test_make_says_that_no_environment_can_be_made(course: Path) -> None:
    assert "apt-get install python3-venv" in make(course, stand_in(course, "exit 1"))
    assert not (course / ".venv").exists()


def test_make_points_to_the_doctor_when_pip_fails(course: Path) -> None:
    said = make(course, stand_in(course, pip_by("exit 1")))
    assert "pip could not install all of requirements.txt" in said
    assert "run: make doctor" in said
    assert not (course / ".venv" / "ready").exists()


def test_of_two_makes_at_once_one_installs_and_the_other_waits(course: Path) -> None:
    python = stand_in(course, pip_by("echo installed >> log; sleep 1"))
    command = ["make", f"PYTHON={python}", ".venv/ready"]
    start = [subprocess.Popen(command, cwd=course, stdout=subprocess.PIPE) for _ in range(2)]
    said = [process.communicate()[0] for process in start]
    assert [process.returncode for process in start] == [0, 0]
    assert (course / "log").read_text() == "installed\n"
    assert sum(b"this one waits for it" in text for text in said) == 1


@pytest.mark.parametrize("name", ["my course", "it's", 'two "words"'])
def test_make_works_in_a_folder_of_any_name(course: Path, name: str) -> None:
    folder = course.rename(course.with_name(name))
    python = stand_in(folder.parent, pip_by("exit 0"))
    command = ["make", f"PYTHON={python}", ".venv/ready"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / ".venv/ready").read_text() == f"{folder}\n"


def test_make_removes_nothing_beside_a_folder_with_a_space_in_its_name(course: Path) -> None:
    """The guide's environment is made anew, and its path must not be taken for two."""
    folder, other = course.rename(course.with_name("my course")), course.with_name("my")
    other.mkdir()
    (other / "kept").touch()
    (folder / "measure/guide").mkdir(parents=True)
    for name in ("requirements.txt", "llama_cpp.txt"):
        (folder / "measure/guide" / name).touch()
    ready = [word for name in ("", "-test", "-measure") for word in ("-o", f".venv/ready{name}")]
    make(folder, "false", "ALONE=1", *ready, "guide-runs")
    assert (other / "kept").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_make_says_that_the_folder_cannot_be_written(course: Path) -> None:
    course.chmod(0o555)
    assert "cannot be written. Copy the course to a folder" in make(course, sys.executable)
