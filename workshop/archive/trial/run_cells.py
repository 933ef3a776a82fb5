"""Run a notebook's cells over JupyterLab's own interface, as a browser does.

Runs on the archive's own Python: run_cells.py URL TOKEN NOTEBOOK prints
the seconds until the first cell had run, and until all had.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
import urllib.request
import uuid
from typing import Any

from tornado.websocket import WebSocketClientConnection, websocket_connect

PATIENCE = 1800.0  # seconds for one cell; an emulated processor is slow


def ask(url: str, token: str, path: str, body: dict | None = None) -> Any:
    """Return what the server's interface answers."""
    request = urllib.request.Request(
        f"{url}{path}",
        data=json.dumps(body).encode() if body else None,
        headers={"Authorization": f"token {token}"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


async def run(channel: WebSocketClientConnection, code: str) -> str:
    """Run a cell; return the name of its error, or nothing."""
    number = uuid.uuid4().hex
    header = {"msg_id": number, "msg_type": "execute_request", "session": "trial"}
    message = {
        "header": header | {"username": "", "version": "5.3"},
        "parent_header": {},
        "metadata": {},
        "content": {"code": code, "silent": False, "store_history": True, "allow_stdin": False},
        "channel": "shell",
        "buffers": [],
    }
    await channel.write_message(json.dumps(message))
    while True:
        said = await asyncio.wait_for(channel.read_message(), PATIENCE)
        if said is None:
            return "the kernel went away"
        answer = json.loads(said)
        mine = answer.get("parent_header", {}).get("msg_id") == number
        if mine and answer["msg_type"] == "execute_reply":
            return str(answer["content"].get("ename", ""))


async def run_all(url: str, token: str, notebook: str) -> dict:
    """Start a kernel for a notebook and run its code cells in their order."""
    cells = ask(url, token, f"/api/contents/{notebook}")["content"]["cells"]
    codes = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
    start = time.monotonic()
    session = ask(
        url,
        token,
        "/api/sessions",
        {"path": notebook, "name": notebook, "type": "notebook", "kernel": {"name": "python3"}},
    )
    kernel = session["kernel"]["id"]
    address = f"ws{url[4:]}/api/kernels/{kernel}/channels?token={token}"
    channel = await websocket_connect(address, max_message_size=2**28)
    errors = [await run(channel, codes[0])]
    first = time.monotonic() - start
    errors += [await run(channel, code) for code in codes[1:]]
    everything = time.monotonic() - start
    return {
        "first_cell": round(first, 1),
        "all_cells": round(everything, 1),
        "cells": len(codes),
        "errors": [error for error in errors if error],
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run_all(*sys.argv[1:]))))
