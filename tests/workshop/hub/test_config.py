"""The hub's configuration loads, and guards what it must; the pins are the course's."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import pytest
from jupyterlab.labapp import LabApp
from tornado.httpserver import HTTPServer
from traitlets.config import Config
from traitlets.config.loader import KVArgParseConfigLoader, PyFileConfigLoader

from environment.lock import open_requirements
from workshop.hub import bodies, install, limits
from workshop.hub.settings import read
from workshop.hub.turns import ASK, LONGEST, LULL

ROOT = Path(__file__).resolve().parents[3]
HUB = ROOT / "workshop" / "hub"


@pytest.fixture(autouse=True)
def tornado_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HTTPServer, "initialize", bodies.INITIALIZE)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.setenv("HUB_FOLDER", str(tmp_path / "hub"))
    install.folders(read())
    return PyFileConfigLoader(str(HUB / "jupyterhub_config.py")).load_config()


def test_nobody_is_let_in_by_default(config: Config) -> None:
    assert config.PAMAuthenticator.allow_all is False
    assert config.PAMAuthenticator.allowed_groups == {"qbb-students"}
    assert "allow_existing_users" not in config.Authenticator
    assert config.JupyterHub.bind_url == "http://127.0.0.1:880"


@pytest.mark.parametrize(("students", "cores"), [(30, 2), (25, 4), (7, 3)])
def test_the_hub_waits_longer_than_all_turns_take_in_whole_seconds(
    students: int, cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hub.toml").write_text(f"students = {students}")
    monkeypatch.setenv("HUB_FOLDER", str(tmp_path))
    monkeypatch.setattr(limits, "of_this_machine", lambda: (24 * 2**30, cores))
    install.folders(read())
    config = PyFileConfigLoader(str(HUB / "jupyterhub_config.py")).load_config()
    waits = config.Spawner.start_timeout
    assert type(waits) is int  # the hub's trait takes no 182.5
    assert waits >= (LULL + ASK + LONGEST) * students / cores + 120


def test_behind_a_server_with_tls_cookies_are_of_the_public_address(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "hub.toml").write_text('public_url = "https://hub.school.example"')
    monkeypatch.setenv("HUB_FOLDER", str(tmp_path))
    install.folders(read())
    config = PyFileConfigLoader(str(HUB / "jupyterhub_config.py")).load_config()
    assert config.JupyterHub.public_url == "https://hub.school.example"
    assert config.JupyterHub.bind_url == "http://127.0.0.1:880"


def test_what_is_secret_is_the_owners_alone(config: Config, tmp_path: Path) -> None:
    state = tmp_path / "hub" / "state"
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    for file in state.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert str(state) in config.JupyterHub.db_url
    assert str(state) in config.JupyterHub.cookie_secret_file


def test_no_role_reaches_into_a_students_server(config: Config) -> None:
    scopes = {scope for role in config.JupyterHub.load_roles for scope in role["scopes"]}
    assert not any(scope.startswith(("access:", "admin:")) or scope == "tokens" for scope in scopes)


def test_kernels_do_not_listen_on_ports_that_others_reach(config: Config) -> None:
    assert "--KernelManager.transport=ipc" in config.Spawner.args


def test_no_students_server_looks_for_news(config: Config) -> None:
    loader = KVArgParseConfigLoader(config.Spawner.args, classes=[LabApp])
    app = LabApp(config=loader.load_config())
    assert app.news_url is None
    assert app.check_for_updates_class.__name__ == "NeverCheckForUpdate"


def test_strangers_do_not_fill_the_memory(config: Config) -> None:
    assert HTTPServer.initialize is bodies.initialize


def test_an_open_state_folder_stops_the_hub(config: Config, tmp_path: Path) -> None:
    (tmp_path / "hub" / "state").chmod(0o755)
    with pytest.raises(AssertionError, match="must be of mode 700"):
        PyFileConfigLoader(str(HUB / "jupyterhub_config.py")).load_config()


def pins(file: Path) -> dict[str, str]:
    return dict(line.split("==") for line in open_requirements(file.read_text()) if "==" in line)


def test_the_chapters_run_with_the_versions_of_the_course() -> None:
    course = pins(ROOT / "requirements.txt") | pins(ROOT / "requirements-test.txt")
    shared = {name: version for name, version in pins(HUB / "requirements.txt").items()
              if name in course}  # fmt: skip
    assert {"torch", "torchao", "numpy", "matplotlib", "jupyterlab"} <= set(shared)
    assert shared == {name: course[name] for name in shared}


def test_every_requirement_of_the_hub_is_pinned() -> None:
    lines = open_requirements((HUB / "requirements.txt").read_text())
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []


def test_the_proxy_is_pinned_by_its_content_and_names_no_host() -> None:
    lock = json.loads((HUB / "package-lock.json").read_text())
    wanted = json.loads((HUB / "package.json").read_text())["dependencies"]
    assert lock["packages"][""]["dependencies"] == wanted
    packages = [package for name, package in lock["packages"].items() if name]
    assert all(package["integrity"].startswith("sha512-") for package in packages)
    assert not any("resolved" in package for package in packages)


def test_a_python_below_a_closed_folder_is_none_for_students(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "python3").write_text("")
    with pytest.raises(RuntimeError, match=r"Students cannot start .*closed/python3"):
        install.python_for_students([closed / "python3"])
