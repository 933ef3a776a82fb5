"""A figure's JavaScript under Node: its functions called from here, and its markup."""

from __future__ import annotations

import atexit
import base64
import json
import select
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from site_builder.widgets import PREACT, STRINGS

SERVED = Path(__file__).with_name("served.mjs")
LONGEST = 120  # seconds that a call may take


def call(node: str, module: Path, calls: list[list[Any]]) -> list[Any]:
    """Return what the module's functions return: each call is a name and its arguments."""
    # A module that was written anew has another address, because Node keeps what it has imported.
    address = f"{module.resolve().as_uri()}?{module.stat().st_mtime_ns}"
    served = start(node)
    assert served.stdin and served.stdout
    print(as_json({"module": address, "calls": calls}), file=served.stdin, flush=True)
    if not select.select([served.stdout], [], [], LONGEST)[0]:
        served.kill()
    line = served.stdout.readline()
    if not line:
        start.cache_clear()
        raise AssertionError(f"Node ended, or took {LONGEST} seconds for {calls}")
    answer = json.loads(line)
    assert "error" not in answer, answer["error"]
    return answer["answers"]


@cache
def start(node: str) -> subprocess.Popen[str]:
    """Start the Node that answers all calls of this process, since to start one takes longer."""
    pipe = subprocess.PIPE
    served = subprocess.Popen([node, str(SERVED)], stdin=pipe, stdout=pipe, text=True)
    atexit.register(served.communicate)
    return served


def markup(node: str, entry: Path, *states: dict[str, Any]) -> list[str]:
    """Return the figure as the build draws it in each state; bytes go as in a notebook."""
    order = [
        {
            "entry": str(entry),
            "state": {key: value for key, value in state.items() if not isinstance(value, bytes)},
            "buffers": [
                {"path": [key], "data": base64.b64encode(value).decode()}
                for key, value in state.items()
                if isinstance(value, bytes)
            ],
        }
        for state in states
    ]
    return call(node, STRINGS.with_name("markup.mjs"), [["markup", str(PREACT), order]])[0]


def run(node: str, arguments: list[str], given: Any) -> Any:
    """Run Node with JSON on its standard input, and return the JSON that it prints."""
    done = subprocess.run(
        [node, *arguments],
        input=as_json(given),
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def as_json(given: Any) -> str:
    """Return it as JSON, bytes in base 64."""
    return json.dumps(given, default=lambda data: {"base64": base64.b64encode(data).decode()})


def with_other(folder: Path, module: Path, name: str, expression: str) -> Path:
    """Return a module that exports what ``module`` does, but ``name`` as this expression.

    In it ``right`` is the module as it is, so a breakage names an interface and quotes no source.
    """
    address = json.dumps(module.resolve().as_uri())
    broken = folder / f"broken_{module.name}"
    broken.write_text(
        f"import * as right from {address};\nexport * from {address};\n"
        f"export const {name} = {expression};\n",
        encoding="utf-8",
    )
    return broken
