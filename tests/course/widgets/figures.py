"""A figure's JavaScript under Node: its functions called from here, and its markup."""

from __future__ import annotations

import base64
import json
import subprocess
from pathlib import Path
from typing import Any

from site_builder.widgets import PREACT, STRINGS

# Infinity and NaN have no JSON; they come back as the words. Bytes arrive as a DataView.
CALLS = """
import { readFileSync } from "node:fs";
const module = await import(process.argv[1]);
const word = (_, value) =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
const bytes = (_, value) =>
  value?.base64 ? new DataView(Uint8Array.from(Buffer.from(value.base64, "base64")).buffer) : value;
const calls = JSON.parse(readFileSync(0, "utf8"), bytes);
const answers = calls.map(([name, ...given]) => module[name](...given));
console.log(JSON.stringify(answers, word));
"""


def call(node: str, module: Path, calls: list[list[Any]]) -> list[Any]:
    """Return what the module's functions return: each call is a name and its arguments."""
    return run(node, ["--input-type=module", "--eval", CALLS, module.resolve().as_uri()], calls)


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
    return run(node, [str(STRINGS), str(PREACT)], order)


def run(node: str, arguments: list[str], given: Any) -> Any:
    """Run Node with JSON on its standard input, and return the JSON that it prints."""
    sent = json.dumps(given, default=lambda data: {"base64": base64.b64encode(data).decode()})
    done = subprocess.run(
        [node, *arguments], input=sent, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


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
