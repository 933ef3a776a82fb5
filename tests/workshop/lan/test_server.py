"""The server of a room shows the site and the archives, nothing else, and refuses nobody."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from threading import enumerate as threads

import pytest

from workshop.lan.load import BROWSERS, CONNECTIONS, load
from workshop.lan.server import EACH, MOST, Server
from workshop.lan.shared import Shared

SECRET = "nobody's business"


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    """Return a small site of two pages and a folder with an archive; a secret lies beside them."""
    site, archives = tmp_path / "html", tmp_path / "workshop"
    (site / "book").mkdir(parents=True)
    (site / "_static").mkdir()
    archives.mkdir()
    links = "".join(f'<img src="../_static/{n}.png">' for n in range(12))
    for name in ("one", "two"):
        (site / "book" / f"{name}.html").write_text(f"<p>{name}</p>{'ä' * 2000}{links}")
    for n in range(12):
        (site / "_static" / f"{n}.png").write_bytes(os.urandom(3000))
    (site / "index.html").write_text("the first page")
    (site / "404.html").write_text("our own page for it")
    (archives / "course-linux.tar").write_bytes(bytes(range(256)) * 8)
    (archives / ".course-macos.zip").write_text("half made")
    (archives / "notes").mkdir()
    (tmp_path / "secret.txt").write_text(SECRET)
    (site / "way_out.txt").symlink_to(tmp_path / "secret.txt")
    (archives / "way_out.txt").symlink_to(tmp_path / "secret.txt")
    return Shared(site, archives)


@pytest.fixture
def port(shared: Shared) -> Iterator[int]:
    server = Server(("127.0.0.1", 0), shared)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def get(
    port: int, path: str, method: str = "GET", **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers=named)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def test_a_file_of_the_site_comes_as_it_is(port: int, shared: Shared) -> None:
    answer, body = get(port, "/book/one.html?again=1#place")
    assert answer.status == 200 and body == (shared.site / "book" / "one.html").read_bytes()
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert get(port, "/")[1] == b"the first page"


def test_a_text_comes_compressed_and_a_picture_does_not(port: int, shared: Shared) -> None:
    answer, body = get(port, "/book/one.html", Accept_Encoding="gzip, br")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(body) == (shared.site / "book" / "one.html").read_bytes()
    answer, body = get(port, "/_static/3.png", Accept_Encoding="gzip, br")
    assert answer.headers["Content-Encoding"] is None
    assert body == (shared.site / "_static" / "3.png").read_bytes()


def test_a_changed_page_comes_changed(port: int, shared: Shared) -> None:
    page = shared.site / "book" / "one.html"
    first = get(port, "/book/one.html", Accept_Encoding="gzip")[0]
    again, body = get(port, "/book/one.html", If_Modified_Since=first.headers["Last-Modified"])
    assert again.status == 304 and body == b""
    page.write_text("new" * 1000)
    os.utime(page, (time.time() + 5, time.time() + 5))
    since = {"If_Modified_Since": first.headers["Last-Modified"], "Accept_Encoding": "gzip"}
    assert gzip.decompress(get(port, "/book/one.html", **since)[1]) == b"new" * 1000


def test_an_older_site_at_the_same_address_comes_anew(port: int, shared: Shared) -> None:
    """The students' site was built after the whole one: whoever was shown one may see the other."""
    page = shared.site / "book" / "one.html"
    first = get(port, "/book/one.html")[0]
    os.utime(page, (time.time() - 3600, time.time() - 3600))
    again, body = get(port, "/book/one.html", If_Modified_Since=first.headers["Last-Modified"])
    assert again.status == 200 and body == page.read_bytes()


def test_a_browser_keeps_nothing_without_asking(port: int) -> None:
    modified = get(port, "/")[0].headers["Last-Modified"]
    answers = [
        get(port, "/")[0],
        get(port, "/", If_Modified_Since=modified)[0],
        get(port, "/workshop")[0],
        get(port, "/workshop/")[0],
        get(port, "/nowhere.html")[0],
    ]
    assert [answer.status for answer in answers] == [200, 304, 301, 200, 404]
    assert {answer.headers["Cache-Control"] for answer in answers} == {"no-cache"}


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/book/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/book/..%2f..%2fsecret.txt",
        "/..%5csecret.txt",
        "/workshop/../secret.txt",
        "/workshop/%2e%2e/secret.txt",
        "/workshop/..%2fsecret.txt",
        "/way_out.txt",
        "/workshop/way_out.txt",
        "/workshop/.course-macos.zip",
        "/workshop/notes",
        "/workshop/notes/",
        "//etc/passwd",
        "/%00",
        "/book/",
        "/book",
        "/_static/",
        "/nowhere.html",
        "http://elsewhere/../secret.txt",
        "/" + "a" * 300,
        "*",
    ],
)
def test_nothing_else_is_shown(port: int, path: str) -> None:
    answer, body = get(port, path)
    assert answer.status == 404
    assert body == b"our own page for it"


def test_the_archives_are_listed_and_can_be_fetched(port: int, shared: Shared) -> None:
    answer, _ = get(port, "/workshop")
    assert (answer.status, answer.headers["Location"]) == (301, "/workshop/")
    answer, body = get(port, "/workshop/")
    assert answer.status == 200 and b'href="course-linux.tar"' in body and b"2 kB" in body
    assert b"macos" not in body and b"notes" not in body and b"way_out" not in body
    whole = (shared.archives / "course-linux.tar").read_bytes()
    assert get(port, "/workshop/course-linux.tar", Accept_Encoding="gzip")[1] == whole


def test_a_broken_download_goes_on_where_it_stopped(port: int, shared: Shared) -> None:
    whole = (shared.archives / "course-linux.tar").read_bytes()
    answer, rest = get(port, "/workshop/course-linux.tar", Range="bytes=700-")
    assert answer.status == 206 and rest == whole[700:]
    assert answer.headers["Content-Range"] == "bytes 700-2047/2048"
    assert get(port, "/workshop/course-linux.tar", Range="bytes=9999-")[1] == whole
    assert get(port, "/workshop/course-linux.tar", Range=f"bytes=0-{'9' * 5000}")[1] == whole


def test_a_download_of_another_archive_begins_anew(port: int, shared: Shared) -> None:
    archive = shared.archives / "course-linux.tar"
    modified = get(port, "/workshop/course-linux.tar")[0].headers["Last-Modified"]
    wanted = {"Range": "bytes=700-", "If_Range": modified}
    answer, rest = get(port, "/workshop/course-linux.tar", **wanted)
    assert answer.status == 206 and rest == archive.read_bytes()[700:]
    archive.write_bytes(b"another" * 500)
    os.utime(archive, (time.time() - 3600, time.time() - 3600))
    answer, whole = get(port, "/workshop/course-linux.tar", **wanted)
    assert answer.status == 200 and whole == archive.read_bytes()


@pytest.mark.parametrize("target", ["http://[", "http://[::1/"])
def test_what_is_no_url_is_answered(port: int, target: str) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as asking:
        asking.sendall(f"GET {target} HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
        assert asking.recv(22) == b"HTTP/1.1 404 Not Found"


def test_a_name_that_the_system_cannot_write_is_no_file(shared: Shared) -> None:
    """Under an ASCII encoding of file names, each accent is such a letter."""
    assert shared.file("/\ud800.html") is None


def test_without_archives_there_is_no_list(tmp_path: Path, shared: Shared) -> None:
    assert Shared(shared.site, tmp_path / "none").listing() is None
    assert Shared(shared.site, tmp_path / "none").file("/workshop/course-linux.tar") is None


def test_the_head_alone_has_no_body(port: int) -> None:
    answer, body = get(port, "/book/one.html", method="HEAD")
    assert answer.status == 200 and int(answer.headers["Content-Length"]) > 2000 and body == b""
    assert get(port, "/workshop/course-linux.tar", method="HEAD")[1] == b""


def test_nobody_can_write(port: int, shared: Shared) -> None:
    assert get(port, "/book/one.html", method="PUT")[0].status == 501
    assert get(port, "/book/one.html", method="DELETE")[0].status == 501
    assert (shared.site / "book" / "one.html").is_file()


def test_a_browser_that_goes_away_is_no_error(port: int, capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", port)) as leaving:
            leaving.sendall(b"GET /workshop/course-linux.tar HTTP/1.1\r\nHost: x\r\n\r\n")
            leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    assert get(port, "/")[0].status == 200
    assert capfd.readouterr().err == ""


def test_a_room_of_browsers_at_once_gets_every_file(port: int, shared: Shared) -> None:
    answers = load(port, shared.site, browsers=25, connections=6, requests=450)
    assert len(answers) == 450
    assert [answer.fault for answer in answers if answer.fault] == []


def test_a_hundred_callers_may_wait(shared: Shared) -> None:
    server = Server(("127.0.0.1", 0), shared)  # it does not answer yet
    address = ("127.0.0.1", server.server_port)
    callers = [socket.create_connection(address, timeout=0.5) for _ in range(100)]
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    for caller in callers:
        caller.settimeout(10)
        caller.sendall(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
    assert {caller.recv(15) for caller in callers} == {b"HTTP/1.1 200 OK"}
    for caller in callers:
        caller.close()
    server.shutdown()
    server.server_close()


def test_callers_who_say_nothing_take_a_few_places_alone(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workshop.lan.server.MOST", 3)
    server = Server(("127.0.0.1", 0), shared)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    address, before = ("127.0.0.1", server.server_port), set(threads())
    silent = [socket.create_connection(address) for _ in range(8)]
    asking = socket.create_connection(address, timeout=0.3)
    asking.sendall(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
    with pytest.raises(TimeoutError):
        asking.recv(15)
    # Threads of other tests may end meanwhile.
    assert len(set(threads()) - before) == 3
    for caller in silent:
        caller.close()
    asking.settimeout(10)
    assert asking.recv(15) == b"HTTP/1.1 200 OK"
    asking.close()
    server.shutdown()
    server.server_close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is one inner address")
def test_one_laptop_does_not_shut_the_others_out(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workshop.lan.server.MOST", 6)
    monkeypatch.setattr("workshop.lan.server.EACH", 3)
    server = Server(("0.0.0.0", 0), shared)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    address = ("127.0.0.1", server.server_port)

    def ask(source: str) -> bytes:
        asking = socket.create_connection(address, timeout=5, source_address=(source, 0))
        with asking, contextlib.suppress(ConnectionError):
            asking.sendall(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            return asking.recv(15)
        return b""

    silent = [socket.create_connection(address) for _ in range(8)]
    assert ask("127.0.0.1") == b"", "sent away at once"
    for _ in range(20):
        assert ask("127.0.0.2") == b"HTTP/1.1 200 OK"
        assert until(lambda: "127.0.0.2" not in server.taken), "its place is given back"
    for caller in silent:
        caller.close()
    assert until(lambda: not server.taken), "each place is given back"
    assert ask("127.0.0.1") == b"HTTP/1.1 200 OK"
    server.shutdown()
    server.server_close()


def until(true: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Wait until something is true, and return whether it became so."""
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


def test_a_room_behind_one_address_has_places_enough() -> None:
    assert EACH >= 1.5 * BROWSERS * CONNECTIONS and 2 * EACH <= MOST


def test_a_wrong_file_and_a_closed_port_are_noticed(shared: Shared, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "book").mkdir(parents=True)
    for name in ("one", "two"):
        (other / "book" / f"{name}.html").write_text("something else")
    server = Server(("127.0.0.1", 0), Shared(other, tmp_path / "none"))
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    faults = {answer.fault for answer in load(server.server_port, shared.site, 1, 1, 26)}
    server.shutdown()
    server.server_close()
    assert faults == {"not the file", "status 404"}
    (answer,) = load(server.server_port, shared.site, 1, 1, 1)
    assert answer.fault == "ConnectionRefusedError"
