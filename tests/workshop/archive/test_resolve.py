"""Each laptop gets the wheels that its own Python takes, from where pip looks."""

from __future__ import annotations

import ast
import json
import sys
import tomllib
from pathlib import Path
from threading import Thread

import pytest
from packaging.requirements import Requirement

from tests.workshop.archive import tiny
from workshop.archive import resolve as module
from workshop.archive.fetch import fetch, sha256
from workshop.archive.platforms import (
    PLATFORMS,
    WrongChoiceError,
    choose_platforms,
    choose_pythons,
)
from workshop.archive.recipe import NEEDED, constraints, first_notebook, requirements
from workshop.archive.resolve import Sources, UnresolvedError, Wheel, best_wheel, read_sources
from workshop.lan.server import Server
from workshop.lan.shared import Shared

ROOT = Path(__file__).resolve().parents[3]
LINUX, ARM, MAC, WINDOWS = PLATFORMS
# What notebooks import that comes with another package
COMES_WITH = {"IPython": "ipykernel"}


def package(*files: str) -> dict:
    """Return a package of a lock, with wheels of these files."""
    wheels = [
        {"url": f"https://example.org/{file}", "size": 1, "hashes": {"sha256": "0" * 64}}
        for file in files
    ]
    name, version = files[0].split("-")[:2]
    return {"name": name, "version": version, "wheels": wheels}


@pytest.mark.parametrize(
    ("platform", "files", "best"),
    [
        (LINUX, ["a-1-cp313-cp313-manylinux_2_28_x86_64.whl",
                 "a-1-cp312-cp312-manylinux_2_28_x86_64.whl"], 1),
        (LINUX, ["a-1-py3-none-any.whl",
                 "a-1-cp39-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"], 1),
        (ARM, ["a-1-cp312-cp312-manylinux_2_28_aarch64.whl"], 0),
        (MAC, ["a-1-cp312-cp312-macosx_14_0_arm64.whl",
               "a-1-cp312-cp312-macosx_11_0_universal2.whl"], 0),
        (WINDOWS, ["a-1-py3-none-any.whl", "a-1-cp312-cp312-win_amd64.whl"], 1),
    ],
    ids=["its Python", "its system before none", "ARM", "Mac", "Windows"],
)  # fmt: skip
def test_the_best_wheel_is_that_of_the_laptop(platform, files, best) -> None:
    assert best_wheel(package(*files), platform.tags("3.12"), ROOT).file == files[best]


@pytest.mark.parametrize(
    ("platform", "file"),
    [
        (LINUX, "a-1-cp312-cp312-manylinux_2_34_x86_64.whl"),
        (LINUX, "a-1-cp312-cp312-musllinux_1_2_x86_64.whl"),
        (ARM, "a-1-cp312-cp312-manylinux_2_28_x86_64.whl"),
        (MAC, "a-1-cp312-cp312-macosx_15_0_arm64.whl"),
        (WINDOWS, "a-1-cp312-cp312-win_arm64.whl"),
        (WINDOWS, "a-1-cp313-cp313t-win_amd64.whl"),
    ],
)
def test_a_wheel_for_another_laptop_is_refused(platform, file) -> None:
    with pytest.raises(UnresolvedError, match="No wheel of a 1 fits"):
        best_wheel(package(file), platform.tags("3.12"), ROOT)


def test_pips_own_settings_are_read() -> None:
    listing = """
:env:.extra-index-url='https://example.org/cpu'
:env:.disable-pip-version-check='1'
global.extra-index-url='https://example.org/other https://example.org/third'
global.find-links='/wheels'
install.no-index='true'
"""
    sources = read_sources(listing)
    assert sources == Sources("", ("https://example.org/cpu",), ("/wheels",), no_index=True)
    assert sources.options()[2:] == [
        *("--no-index", "--extra-index-url", "https://example.org/cpu"),
        *("--find-links", "/wheels"),
    ]


def test_torch_for_processors_is_asked_for_where_another_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cpu = Wheel("torch", "2.13.0+cpu", "https://example.org/torch.whl", 1, "")
    cuda = Wheel("nvidia-cublas", "13", "https://example.org/nvidia.whl", 1, "")
    answers = {True: [cpu], False: [cpu, cuda]}

    def resolved(*arguments: object) -> list[Wheel]:
        return answers["--torch-backend" in arguments[-1]]

    def unreachable(*arguments: object) -> list[Wheel]:
        if "--torch-backend" in arguments[-1]:
            raise UnresolvedError("dns error")
        return answers[False]

    monkeypatch.setattr(module, "_resolve", resolved)
    assert module.resolve([], [], LINUX, "3.12", Sources()) == [cpu]
    monkeypatch.setattr(module, "_resolve", unreachable)
    assert module.resolve([], [], LINUX, "3.12", Sources()) == [cpu, cuda]


def test_an_index_that_tells_no_sizes_is_asked_for_them(tmp_path: Path) -> None:
    helper = tiny.wheel(tmp_path / "simple" / "helper", "helper", {"helper.py": ""})
    digest = sha256(helper)
    page = f'<a href="{helper.name}#sha256={digest}">{helper.name}</a>'
    (helper.parent / "index.html").write_text(page)
    server = Server(("127.0.0.1", 0), Shared(tmp_path, tmp_path / "none"))
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    with server:
        sources = Sources(index=f"http://127.0.0.1:{server.server_port}/simple")
        (found,) = module.resolve(["helper==1.0"], [], LINUX, "3.12", sources)
        fetch([found], tmp_path / "wheels", LINUX.tags("3.12"))
        server.shutdown()
    assert (found.size, found.sha256) == (helper.stat().st_size, digest)
    assert (tmp_path / "wheels" / helper.name).read_bytes() == helper.read_bytes()


def test_a_choice_that_cannot_be_is_told() -> None:
    assert choose_platforms("") == list(PLATFORMS)
    assert choose_platforms("macos-arm64 linux-arm64 macos-arm64") == [MAC, ARM]
    assert choose_pythons("3.13 3.12 3.13") == ["3.13", "3.12"]
    with pytest.raises(WrongChoiceError, match="PLATFORMS=amiga: there are linux-x86_64"):
        choose_platforms("linux-arm64 amiga")
    for wrong in ("", "3", "3.10", "3.12.1", "python3.12", "3.x"):
        with pytest.raises(WrongChoiceError, match="give versions from 3.11 on"):
            choose_pythons(wrong)


def test_what_the_notebooks_import_is_in_the_archive() -> None:
    imported = set()
    for path in (ROOT / "book").rglob("*.ipynb"):
        for cell in json.loads(path.read_text())["cells"]:
            if cell["cell_type"] == "code":
                imported |= imports("".join(cell["source"]))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["course"]]
    imported |= {Requirement(line).name for line in asked}
    known = {"qlearn", *NEEDED}
    assert {"torch", "torchao", "anywidget"} <= imported
    assert {COMES_WITH.get(name, name) for name in imported} - known == set()


def imports(source: str) -> set[str]:
    """Return the packages, none of Python's own, that a cell imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module).partition(".")[0])
    return found - set(sys.stdlib_module_names)


def test_all_that_goes_in_is_pinned() -> None:
    names = {line.partition("==")[0] for line in requirements()}
    assert names == {*NEEDED, "uv"}
    assert all("==" in line for line in requirements())
    assert any(line.startswith("setuptools==") for line in constraints())
    assert (ROOT / "book" / first_notebook()).is_file()
