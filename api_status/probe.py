"""Try entry points, each in a process of its own, and say how it went.

Runs in any Python that has torch; imports nothing of this project but the entries.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from api_status.entries import SETTING, Entry

# How Python says that a module or a name is not there, or not there any more
GONE = re.compile(r"(?:No module named|cannot import name|has no attribute) '([\w.]+)'")


def status_of(entry: Entry) -> dict[str, Any]:
    """Run the entry's code here, and return its status and what it said."""
    names: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(SETTING, names)
            caught.clear()
            exec(entry.code, names)
        except Exception as error:
            missing = GONE.search(str(error))
            gone = missing and missing[1] in entry.code
            return {"status": "gone" if gone else "fails", "says": [said(error)]}
    sentences = sorted({said(w.message) for w in caught})
    return {"status": "warns" if sentences else "works", "says": sentences}


def said(message: BaseException | str) -> str:
    """Return the kind and the first sentence, without what differs from machine to machine."""
    text = " ".join(str(message).split())
    text = re.sub(r"\(?/[\w/.+-]+\)?|0x[0-9a-f]+| \(Triggered internally.*", "", text)
    sentence = re.split(r"(?<=[.!?])\s", text.strip())[0]
    return f"{type(message).__name__}: {sentence[:300].strip()}"


def in_a_fork(entry: Entry) -> dict[str, Any]:
    """Return the entry's status, found in a copy of this process that ends right after."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - the process ends
        logging.disable()
        try:
            os.write(write, json.dumps(status_of(entry)).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        found = answer.read()
    os.waitpid(child, 0)
    return json.loads(found) if found else {"status": "fails", "says": ["the process died"]}


def probe(entries: Sequence[Entry]) -> dict[str, dict[str, Any]]:
    """Return the status of each entry by its name.

    torch is imported once, and with the first entry that needs it torchao; the copies of this
    process then start with it. So an entry's warnings are its own, not those of the import.
    """
    importlib.import_module("torch")
    found = {}
    for entry in sorted(entries, key=lambda entry: entry.needs_torchao):
        found[entry.name] = in_a_fork(entry)
        if entry.code == "import torchao" and found[entry.name]["status"] != "gone":
            logging.disable()
            importlib.import_module("torchao.quantization")
    return {entry.name: found[entry.name] for entry in entries}
