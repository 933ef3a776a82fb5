"""Whose process answers at a port."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path
from threading import Timer

import pytest

from workshop.hub import listeners

if sys.platform != "linux":
    pytest.skip("the hub runs on Linux alone", allow_module_level=True)


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0"])
def test_who_listens_is_seen_and_who_has_only_the_port_is_not(address: str) -> None:
    with socket.socket() as one:
        one.bind((address, 0))
        port = one.getsockname()[1]
        assert listeners.owners(port) == set()
        one.listen()
        assert listeners.owners(port) == {os.getuid()}
    assert listeners.owners(port) == set()


HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
ROW = "   0: {}:1F40 00000000:0000 {} 00000000:00000000 00:00000000 00000000  {}        0 1\n"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([("127.0.0.1", "0A", 7)], {7}, id="here"),
        pytest.param([("127.0.0.1", "01", 7)], set(), id="a connection"),
        pytest.param([("127.0.0.2", "0A", 7)], set(), id="elsewhere"),
        pytest.param([("0.0.0.0", "0A", 7)], {7}, id="everywhere"),
        pytest.param([("::", "0A", 7)], {7}, id="everywhere by IPv6"),
        pytest.param([("::1", "0A", 7)], set(), id="elsewhere by IPv6"),
        pytest.param([("::ffff:127.0.0.1", "0A", 7)], {7}, id="here by IPv6"),
        pytest.param([("127.0.0.1", "0A", 7), ("0.0.0.0", "0A", 8)], {7}, id="here comes first"),
    ],
)
def test_the_tables_of_the_system(
    tmp_path: Path, rows: list[tuple[str, str, int]], expected: set[int]
) -> None:
    for name, by_six in (("tcp", False), ("tcp6", True)):
        lines = [ROW.format(listeners.written(address), state, uid)
                 for address, state, uid in rows if (":" in address) is by_six]  # fmt: skip
        (tmp_path / name).write_text(HEAD + "".join(lines))
    assert listeners.owners(8000, tmp_path) == expected


def test_a_server_that_takes_a_while_is_waited_for_and_one_that_ends_is_not() -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
        timer = Timer(0.1, one.listen)
        timer.start()
        assert asyncio.run(listeners.first(port, lambda: False, pause=0.02)) == {os.getuid()}
        timer.join()
    assert asyncio.run(listeners.first(port, lambda: True)) == set()
