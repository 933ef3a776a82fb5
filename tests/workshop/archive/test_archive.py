"""An archive is made, unpacked and started with no network, and keeps the student's edits."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from site_checks.site import NoSiteError
from tests.workshop.archive import tiny
from workshop.archive import __main__ as command
from workshop.archive.check import check
from workshop.archive.fetch import fetch
from workshop.archive.make import (
    NoRoomError,
    check_room,
    finish,
    graphics_weight,
    make,
    resolve_all,
)
from workshop.archive.platforms import PLATFORMS, Platform
from workshop.archive.recipe import ROOT, Recipe, of_the_course
from workshop.archive.resolve import UnresolvedError, Wheel

WINDOWS = PLATFORMS[-1]


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    return tiny.recipe(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def archive(recipe: Recipe) -> Path:
    platform = tiny.here()
    resolved = resolve_all(recipe, [platform], [tiny.PYTHON])
    return make(recipe, platform, resolved[platform.name])


@pytest.fixture(scope="module")
def folder(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the unpacked archive, in a folder with a blank in its name, started once."""
    folder = unpack(archive, tmp_path_factory.mktemp("a laptop"))
    done = start(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / "said.txt").write_text(done.stdout)
    return folder


def unpack(archive: Path, folder: Path) -> Path:
    shutil.unpack_archive(archive, folder)
    (found,) = folder.iterdir()
    return found


def start(folder: Path, *words: str, script: str = "start.py") -> subprocess.CompletedProcess[str]:
    """Start the course on a laptop whose settings would lead installers elsewhere."""
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder.parent),
        "PYTHONPATH": "/somewhere/else",
        "PIP_INDEX_URL": "http://127.0.0.1:9/nobody",
        "UV_INDEX_URL": "http://127.0.0.1:9/nobody",
    }
    by = [sys.executable] if script.endswith(".py") else ["sh"]
    command = [*by, str(folder / script), *words]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False)


def test_the_names_say_the_version_and_the_laptop(recipe: Recipe, archive: Path) -> None:
    assert recipe.name(WINDOWS) == "tiny-a-course-0.1.0-windows-x86_64.zip"
    assert archive.name == f"tiny-a-course-0.1.0-{tiny.here().name}{tiny.here().suffix}"


def test_the_same_tree_makes_the_same_bytes(recipe: Recipe, archive: Path, tmp_path: Path) -> None:
    platform = tiny.here()
    again = replace(recipe, target=tmp_path)
    resolved = resolve_all(again, [platform], [tiny.PYTHON])
    assert make(again, platform, resolved[platform.name]).read_bytes() == archive.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == [archive.name], "nothing half made is left"


def test_the_checksums_are_those_that_sha256sum_reads(recipe: Recipe, archive: Path) -> None:
    finish(recipe)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert (archive.parent / "SHA256SUMS").read_text() == f"{digest}  {archive.name}\n"


def test_an_archive_for_windows_has_what_windows_starts(recipe: Recipe, tmp_path: Path) -> None:
    small = replace(recipe, requirements=["jupyterlab==1.0"], target=tmp_path)
    resolved = resolve_all(small, [WINDOWS], ["3.12", "3.13"])
    with zipfile.ZipFile(make(small, WINDOWS, resolved[WINDOWS.name])) as packed:
        top = "tiny-a-course-0.1.0-windows-x86_64/"
        names = [name.removeprefix(top) for name in packed.namelist()]
        assert {"start.bat", "start.py", "README.txt", "site/index.html"} <= set(names)
        assert "start.sh" not in names and not [n for n in names if "checkpoints" in n]
        assert b"\r\n" in packed.read(top + "start.bat")
        assert b"python3.12 start.py" in packed.read(top + "start.py")
        contents = json.loads(packed.read(top + "contents.json"))
    assert contents["pythons"] == ["3.12", "3.13"]
    assert contents["install"]["3.12"] == ["helper==1.0", "jupyterlab==1.0", "qlearn==0.1.0"]


def test_a_tar_keeps_the_right_to_start(archive: Path) -> None:
    if archive.suffix == ".tar":
        with tarfile.open(archive) as packed:
            modes = {Path(entry.name).name: entry.mode for entry in packed}
        assert (modes["start.sh"], modes["README.txt"]) == (0o755, 0o644)
    else:
        with zipfile.ZipFile(archive) as packed:
            (entry,) = (e for e in packed.infolist() if e.filename.endswith("start.sh"))
        assert (entry.external_attr >> 16) & 0o777 == 0o755


def test_the_first_start_installs_asks_the_doctor_and_opens_the_notebook(folder: Path) -> None:
    said = (folder / "said.txt").read_text()
    places = [
        said.index(part)
        for part in ("Installing 3 packages", "Installed by uv", "the doctor was here", "the lab:")
    ]
    assert places == sorted(places)
    assert f"--ServerApp.root_dir={folder / 'my-notebooks'}" in said
    assert "--LabApp.default_url=/lab/tree/start/tonight.ipynb" in said
    assert "threads: 1 path: None" in said
    overrides = "jupyter/labconfig/default_setting_overrides.json"
    assert '"fetchNews": "false"' in (folder / ".settings" / overrides).read_text()
    assert not (folder / ".uv").exists(), "what only the installation needed is gone"


def test_a_second_start_is_quick_and_keeps_every_edit(folder: Path) -> None:
    own = folder / "my-notebooks"
    (own / "start" / "tonight.ipynb").write_text("my own words")
    (own / "numbers" / "scales.ipynb").unlink()
    (own / "mine.ipynb").write_text("new")
    done = start(folder, "--no-browser", script="start.sh")
    assert done.returncode == 0 and "Installing" not in done.stdout, done.stdout + done.stderr
    assert "doctor" not in done.stdout and "--no-browser" in done.stdout
    assert (own / "start" / "tonight.ipynb").read_text() == "my own words"
    assert (own / "numbers" / "scales.ipynb").read_text() == "numbers/scales.ipynb as it was"
    assert (own / "mine.ipynb").read_text() == "new"


def test_an_archive_unpacked_once_more_keeps_every_edit(folder: Path, archive: Path) -> None:
    (folder / "my-notebooks" / "reference" / "signs.md").write_text("mine")
    shutil.unpack_archive(archive, folder.parent)
    assert start(folder).returncode == 0
    assert (folder / "my-notebooks" / "reference" / "signs.md").read_text() == "mine"


def test_a_half_made_environment_is_made_anew(folder: Path) -> None:
    (folder / "venv" / "course-is-ready").unlink()
    (folder / "venv" / "half").touch()
    done = start(folder)
    assert done.returncode == 0 and "Installed by uv" in done.stdout
    assert not (folder / "venv" / "half").exists()


def test_a_folder_that_was_moved_gets_a_new_environment(archive: Path, folder: Path) -> None:
    moved = folder.with_name("moved")
    folder.rename(moved)
    try:
        done = start(moved)
        assert done.returncode == 0 and "Installed by uv" in done.stdout, done.stderr
    finally:
        moved.rename(folder)


def test_a_damaged_archive_is_not_installed(archive: Path, tmp_path: Path) -> None:
    folder = unpack(archive, tmp_path)
    (found,) = (folder / "wheels").glob("helper-1.0*")
    found.write_bytes(found.read_bytes()[:-9])
    (folder / "site" / "index.html").unlink()
    done = start(folder)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "not copied whole: site/index.html is missing or damaged, and 1 more" in done.stderr
    assert not (folder / "venv").exists()


def test_a_start_from_within_a_zip_says_unpack_first(archive: Path, tmp_path: Path) -> None:
    folder = unpack(archive, tmp_path)
    shutil.rmtree(folder / "starter")
    done = start(folder)
    assert done.returncode == 1 and done.stderr.startswith("Unpack the whole archive")


def test_a_missing_wheel_and_one_too_many_are_noticed(recipe: Recipe, tmp_path: Path) -> None:
    platform = tiny.here()
    wheels = resolve_all(recipe, [platform], [tiny.PYTHON])[platform.name][tiny.PYTHON]
    fetch(wheels, recipe.cache, platform.tags(tiny.PYTHON))
    for path in [*recipe.cache.glob("*.whl"), *recipe.own]:
        shutil.copy(path, tmp_path)
    check(recipe, platform, tiny.PYTHON, wheels, tmp_path)
    with pytest.raises(UnresolvedError, match="not those that were resolved.*jupyterlab"):
        fewer = [wheel for wheel in wheels if wheel.name != "jupyterlab"]
        check(recipe, platform, tiny.PYTHON, fewer, tmp_path)
    (helper,) = tmp_path.glob("helper-1.0*")
    helper.unlink()
    with pytest.raises(
        UnresolvedError, match=r"(?s)not all wheels can be had.*helper was not found"
    ):
        check(recipe, platform, tiny.PYTHON, wheels, tmp_path)


def test_a_wheel_that_is_another_than_was_resolved_is_not_packed(
    recipe: Recipe, tmp_path: Path
) -> None:
    platform = tiny.here()
    wheels = resolve_all(recipe, [platform], [tiny.PYTHON])[platform.name][tiny.PYTHON]
    other = [replace(wheel, sha256="0" * 64) for wheel in wheels if wheel.name == "helper"]
    with pytest.raises(UnresolvedError, match="could not be fetched; pip says"):
        fetch(other, tmp_path, platform.tags(tiny.PYTHON))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--pythons", "3.10"], "PYTHONS=3.10: give versions from 3.11 on"),
        (["--pythons", ""], "PYTHONS=: give versions"),
        (["--platforms", "amiga"], "PLATFORMS=amiga: there are linux-x86_64"),
    ],
)
def test_the_command_ends_with_a_sentence(words: list[str], says: str) -> None:
    assert str(command.main(words)).startswith(says)


def test_the_table_says_what_graphics_cards_cost() -> None:
    torch = Wheel("torch", "2.13.0", "https://example.org/torch-2.13.0-x.whl", 5 * 10**8, "")
    cuda = replace(torch, name="triton", url="https://example.org/triton-1-x.whl", size=2 * 10**9)
    said = command.table([WINDOWS], {WINDOWS.name: {"3.12": [torch, cuda], "3.13": [torch, cuda]}})
    assert "2.5 GB  2.13.0" in said
    assert "2.0 GB of it are for graphics cards" in said
    said = command.table([WINDOWS], {WINDOWS.name: {"3.12": [torch]}})
    assert "graphics" not in said and "500 MB  2.13.0" in said


def test_too_small_a_disk_is_told_before_anything_is_fetched(recipe: Recipe) -> None:
    huge = Wheel("torch", "2.13.0", "https://example.org/torch-2.13.0-x.whl", 10**15, "0" * 64)
    for_graphics = replace(huge, name="nvidia-cublas", size=7)
    chosen = {"linux-x86_64": {"3.12": [huge, for_graphics], "3.13": [for_graphics]}}
    assert graphics_weight(chosen["linux-x86_64"]) == 7
    with pytest.raises(NoRoomError, match=r"need 2000000\.\d GB here"):
        check_room(recipe, {"linux-x86_64": {"3.12": [huge]}})


def test_what_archives_weigh_is_said_before_there_is_a_site(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_site() -> Path:
        raise NoSiteError("no site")

    monkeypatch.setattr(command, "built_site", no_site)
    monkeypatch.setattr(command, "build_wheel", lambda folder: folder)
    monkeypatch.setattr(command, "resolve_all", lambda *_: {"macos-arm64": {}})
    assert command.main(["--sizes", "--platforms", "macos-arm64"]) == 0
    assert "a Mac with an Apple processor" in capsys.readouterr().out
    assert command.main(["--platforms", "macos-arm64"]) == "no site"


def test_the_students_archives_hold_the_notebooks_that_lie_beside_their_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, site = ROOT / "_build" / "html", tmp_path / "students" / "site"
    of_all = of_the_course(whole, ())
    assert (of_all.notebooks, of_all.target) == (ROOT / "book", ROOT / "_build" / "workshop")
    assert "students" not in of_all.stem
    (site.parent / "notebooks").mkdir(parents=True)
    theirs = of_the_course(site, ())
    assert (theirs.site, theirs.notebooks) == (site, site.parent / "notebooks")
    assert theirs.target == site.parent / "workshop", "another folder: each site has its archives"
    assert theirs.stem == f"{of_all.stem}-students"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "built_site", lambda: site)
    monkeypatch.setattr(command, "build_wheel", lambda folder: folder)
    monkeypatch.setattr(command, "resolve_all", lambda *_: {"macos-arm64": {}})
    monkeypatch.setattr(command, "make", lambda recipe, *_: Path(__file__))
    assert command.main(["--platforms", "macos-arm64"]) == 0
    assert "make serve HOST=0.0.0.0 SITE=students/site\n" in capsys.readouterr().out


def test_an_interrupted_run_leaves_no_digits_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = replace(tiny.recipe(tmp_path), target=tmp_path / "given")
    names = [WINDOWS.name, PLATFORMS[0].name]
    archive = recipe.target / recipe.name(WINDOWS)

    def made(recipe: Recipe, platform: Platform, resolved: object) -> Path:
        if platform != WINDOWS:
            raise UnresolvedError("a wheel could not be fetched")
        recipe.target.mkdir(exist_ok=True)
        archive.write_text("new")
        return archive

    monkeypatch.setattr(command, "built_site", lambda: tmp_path)
    monkeypatch.setattr(command, "build_wheel", lambda folder: folder)
    monkeypatch.setattr(command, "of_the_course", lambda *_: recipe)
    monkeypatch.setattr(command, "resolve_all", lambda *_: {name: {} for name in names})
    monkeypatch.setattr(command, "check_room", lambda *_: None)
    monkeypatch.setattr(command, "make", made)
    assert command.main(["--platforms", names[1]]) == "a wheel could not be fetched"
    assert not recipe.target.exists()
    assert command.main(["--platforms", " ".join(names)]) == "a wheel could not be fetched"
    digest = hashlib.sha256(b"new").hexdigest()
    assert (recipe.target / "SHA256SUMS").read_text() == f"{digest}  {archive.name}\n"


def test_a_killed_run_leaves_no_digits(recipe: Recipe, tmp_path: Path) -> None:
    small = replace(recipe, requirements=["jupyterlab==1.0"], target=tmp_path)
    (tmp_path / "SHA256SUMS").write_text("those of before")
    resolved = resolve_all(small, [WINDOWS], ["3.12"])
    make(small, WINDOWS, resolved[WINDOWS.name])
    assert not (tmp_path / "SHA256SUMS").exists()
