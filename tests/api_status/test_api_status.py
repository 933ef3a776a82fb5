"""The record of API status: still true here, complete, and able to be wrong."""

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from sphinx.errors import ExtensionError

from api_status import record
from api_status.entries import NEW, OLD, Entry
from api_status.probe import in_a_fork, said
from site_builder import api_status_page as page


def run_of(**changes):
    row = {"status": "works", "says": []}
    return {
        "torch": record.installed("torch"),
        "torchao": record.installed("torchao"),
        "python": "3.11.0",
        "system": "Linux x86_64",
        "date": "2026-11-20",
        "rows": {entry.name: row for entry in OLD + NEW},
        **changes,
    }


def test_the_record_is_still_true_with_the_pinned_versions():
    """In a process of its own: forks of this one, which has imported everything, say less.

    Only torch._dynamo, which itself says nothing, is imported beforehand; four entries need it,
    and importing it in each fork would take half the time of this test.
    """
    code = (
        "import json\nimport torch._dynamo\nfrom api_status.entries import NEW, OLD\n"
        "from api_status.probe import probe\nprint(json.dumps(probe(OLD + NEW)))"
    )
    root = Path(record.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    here = [run for run in record.load() if run["torch"] == record.installed("torch")]
    assert [run["torchao"] for run in here] == [record.installed("torchao")]
    found, recorded = json.loads(done.stdout), here[0]["rows"]
    # Another Python may bring warnings of its own.
    same_python = here[0]["python"].split(".")[:2] == platform.python_version().split(".")[:2]
    keys = ("status", "says") if same_python else ("status",)
    wrong = {n: r for n, r in found.items() if any(r[key] != recorded[n][key] for key in keys)}
    assert wrong == {}


def test_every_run_is_of_these_entries():
    runs = record.load()
    assert page.what_is_missing(runs) == ""
    assert len(runs) > 1
    for run in runs:
        assert {row["status"] for row in run["rows"].values()} <= {
            "works",
            "warns",
            "gone",
            "fails",
        }


@pytest.mark.parametrize(
    ("code", "status", "says"),
    [
        ("x.sum()", "works", []),
        ("import warnings\nwarnings.warn('Soon. Then')", "warns", ["UserWarning: Soon."]),
        ("torch.quantize_all", "gone", ["AttributeError: module 'torch' has no attribute"]),
        ("from torch.nn import Qux", "gone", ["ImportError: cannot import name 'Qux'"]),
        ("import torch.qux", "gone", ["ModuleNotFoundError: No module named 'torch.qux'"]),
        ("from torch import *\nimport os\nos.qux", "gone", ["AttributeError: module 'os'"]),
        ("getattr(torch, 'q' + 'ux')", "fails", ["AttributeError: module 'torch' has no"]),
        ("1 / 0", "fails", ["ZeroDivisionError: division by zero"]),
        ("import os\nos._exit(1)", "fails", ["the process died"]),
    ],
)
def test_what_a_piece_of_code_does(code, status, says):
    found = in_a_fork(Entry("a name", code))
    assert found["status"] == status
    assert len(found["says"]) == len(says)
    assert all(a.startswith(b) for a, b in zip(found["says"], says, strict=True))


def test_a_sentence_has_nothing_of_this_machine():
    error = ImportError("cannot import name 'a' from 'b' (/home/someone/b.py)")
    assert said(error) == "ImportError: cannot import name 'a' from 'b'"


def test_the_page_shows_each_entry_and_each_sentence():
    runs = record.load()
    parts = page.parts()
    assert parts["table: OLD"].count("\n| ") == 2 + len(OLD)
    assert all(f"torch {run['torch']} with torchao" in parts["versions"] for run in runs)
    assert "will be removed in 2.10" in parts["what they say"]


def test_names_are_set_as_code():
    assert page.code("prepare and convert") == "prepare and convert"
    assert page.code("quantize_ with QATConfig") == "`quantize_` with `QATConfig`"
    assert page.code("choose_qparams, and so on") == "`choose_qparams`, and so on"
    assert "| `import torchao` |" in page.statuses(NEW, [run_of()], {})


@pytest.mark.parametrize(
    ("runs", "why"),
    [
        ([], "nothing was tried with torch"),
        ([run_of(torchao="0.1.0")], "run `make api-status`"),
        ([run_of(rows={})], "other entry points were tried"),
    ],
)
def test_a_record_of_something_else_stops_the_build(monkeypatch, runs, why):
    monkeypatch.setattr(page, "load", lambda: runs)
    with pytest.raises(ExtensionError, match=why):
        page.parts()


def test_a_run_replaces_that_of_the_same_torch(monkeypatch, tmp_path):
    monkeypatch.setattr(record, "RECORD", tmp_path / "record.json")
    assert record.load() == []
    record.RECORD.write_text(json.dumps([run_of(torch="2.9.1"), run_of(), run_of(torch="2.10.0")]))
    record.keep({"a": {"status": "works", "says": []}})
    runs = record.load()
    assert [run["torch"] for run in runs] == ["2.9.1", "2.10.0", record.installed("torch")]
    assert list(runs[-1]["rows"]) == ["a"]
    assert record.installed("no-such-package") == "none"
