"""What is written on the board is right, and a wrong HOST or PORT gets a sentence."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from workshop.lan import __main__ as command
from workshop.lan import addresses
from workshop.lan.addresses import NoAddressError, find_host, read_port, urls
from workshop.lan.shared import Shared

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def networks(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[object]]:
    """Return the networks of a laptop: its own, a cable, a Wi-Fi, containers, one that is down."""
    family = socket.AF_INET
    found = {
        name: [SimpleNamespace(family=family, address=address)]
        for name, address in {
            "lo": "127.0.0.1",
            "eth0": "10.0.0.7",
            "wlan0": "192.168.4.20",
            "docker0": "172.17.0.1",
            "tun0": "10.8.0.2",
        }.items()
    }
    found["wlan0"] += [SimpleNamespace(family=socket.AF_INET6, address="fe80::1")]
    stats = {name: SimpleNamespace(isup=name != "tun0") for name in found}
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: found)
    monkeypatch.setattr(psutil, "net_if_stats", lambda: stats)
    monkeypatch.setattr(addresses, "_towards_others", lambda: "192.168.4.20")
    return found


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_text("the first page")
    return tmp_path


def test_all_networks_of_people_are_written_on_the_board(networks: dict) -> None:
    assert urls("0.0.0.0", 8000) == ["http://192.168.4.20:8000/", "http://10.0.0.7:8000/"]
    assert urls("10.0.0.7", 80) == ["http://10.0.0.7:80/"]
    assert urls("fe80::1", 80) == ["http://[fe80::1]:80/"]


def test_the_announcement_says_who_can_read_it(networks: dict, site: Path) -> None:
    alone = command.announcement("127.0.0.1", 8000, Shared(site, site / "none"))
    assert "http://localhost:8000/" in alone and "Nobody but this machine" in alone
    room = command.announcement("0.0.0.0", 8000, Shared(site, site / "none"))
    assert "http://192.168.4.20:8000/" in room and "/workshop/" not in room
    assert "Everybody in this network can read the site:" in room
    (site / "workshop").mkdir()
    (site / "workshop" / "course.tar").write_text("")
    room = command.announcement("0.0.0.0", 8000, Shared(site, site / "workshop"))
    assert "http://192.168.4.20:8000/workshop/" in room and "copy the archives" in room
    assert "a changed archive" in room and "SHA-256" not in room
    digest = "0123456789abcdef" + "f" * 48
    (site / "workshop" / "SHA256SUMS").write_text(f"{digest}  course.tar\n{digest}  gone.tar\n")
    room = command.announcement("0.0.0.0", 8000, Shared(site, site / "workshop"))
    assert "  0123 4567 89ab cdef  course.tar\n" in room and "gone.tar" not in room
    assert "archives (1 file):" in room, "the checksums are no archive"
    (site / "workshop" / "course.zip").write_text("")
    room = command.announcement("0.0.0.0", 8000, Shared(site, site / "workshop"))
    assert "archives (2 files):" in room


def test_a_site_is_served_with_the_archives_beside_it(
    monkeypatch: pytest.MonkeyPatch, networks: dict, site: Path
) -> None:
    served: list[Shared] = []

    def refused(_: object, shared: Shared) -> None:
        served.append(shared)
        raise OSError

    for name in ("html", "students/site"):
        (site / name).mkdir(parents=True)
        (site / name / "index.html").write_text("the first page")
        monkeypatch.setenv("QB_SITE", str(site / name))
        monkeypatch.setattr(command, "Server", refused)
        assert isinstance(command.main([]), str)
    assert [shared.archives for shared in served] == [
        site / "workshop",
        site / "students" / "workshop",
    ]


def test_a_machine_without_a_network_is_told(networks: dict, site: Path) -> None:
    for name in ("eth0", "wlan0"):
        del networks[name]
    said = command.announcement("0.0.0.0", 8000, Shared(site, site / "none"))
    assert "in no network" in said and "board" not in said


@pytest.mark.parametrize("port", ["", "0", "65536", "80.5", "http", "-1", "８０００"])
def test_a_wrong_port_gets_a_sentence(port: str) -> None:
    with pytest.raises(NoAddressError, match=f"PORT={port} is no port: give a number"):
        read_port(port)


def test_a_host_that_is_none_gets_a_sentence(
    monkeypatch: pytest.MonkeyPatch, networks: dict
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(NoAddressError, match="HOST=lectern is no address: .*192.168.4.20"):
        find_host("lectern")


def test_a_port_in_use_and_an_address_of_another_get_a_sentence(
    monkeypatch: pytest.MonkeyPatch, site: Path
) -> None:
    monkeypatch.setenv("QB_SITE", str(site))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = command.main(["--port", str(port)])
    assert f"Another program has port {port}" in str(said) and f"PORT={port % 65535 + 1}" in said
    said = command.main(["--host", "192.0.2.1", "--port", str(port)])
    assert "HOST=192.0.2.1 is no address of this machine" in str(said)


def test_without_a_site_it_says_what_to_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("QB_SITE", raising=False)
    monkeypatch.setattr("site_checks.site.ROOT", tmp_path)
    assert "html: run `make book` first" in str(command.main([]))
    monkeypatch.setenv("QB_SITE", str(tmp_path))
    said = str(command.main([]))
    assert said.startswith(f"There is no site in {tmp_path}: `make students` makes the students'")
    assert "run `make book`" not in said, "it makes no site in that folder"


def test_make_serves_this_machine_alone_whatever_the_environment_says() -> None:
    # Some shells export HOST as the name of the machine.
    shell = ["make", "-n", "--no-print-directory", "-o", "_build/site-ready", "serve"]
    environment = {"HOST": "lectern", "PATH": "/usr/bin:/bin"}
    for words, wanted in (([], "127.0.0.1"), (["HOST=0.0.0.0"], "0.0.0.0")):
        said = subprocess.run(
            [*shell, *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        assert f"--host {wanted} --port 8000" in said.stdout, said


def test_the_command_ends_with_a_sentence_and_no_traceback(site: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "workshop.lan", "--port", "99999"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == "PORT=99999 is no port: give a number from 1024 to 65535, like 8000.\n"


def test_make_serves_another_site_and_builds_none(tmp_path: Path) -> None:
    shutil.copyfile(ROOT / "Makefile", tmp_path / "Makefile")

    def would(*words: str) -> list[str]:
        making = ["make", "-n", "ALONE=1", *words]
        env = {"PATH": os.environ["PATH"], "SITE": "/of/the/shell"}
        done = subprocess.run(
            making, cwd=tmp_path, env=env, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    (line,) = would("-o", ".venv/ready", "serve", "SITE=_build/students/site")
    assert line.startswith('QB_SITE="_build/students/site" .venv/bin/python -m workshop.lan')
    (line,) = would("-o", "_build/site-ready", "serve")
    assert line.startswith(".venv/bin/python -m workshop.lan")
