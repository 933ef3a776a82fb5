"""The record of what other programs made of the guide's configs: a run for each leaf."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

from measure.guide.found import Found
from measure.machine import processor
from measure.record import RECORD
from qlearn.course.decisions import LEAVES
from qlearn.course.guide_runs import GuideRun

GUIDE_RECORD = RECORD.parent / "guide_runs.json"
ELSEWHERE = [name for name, leaf in LEAVES.items() if leaf.runs == "elsewhere"]


def recorded(name: str, found: Found) -> dict[str, Any]:
    """Return what the record keeps of a run, with its config, this machine and the day."""
    return GuideRun(
        leaf=name,
        config=LEAVES[name].config,
        model=found.model,
        size=found.size,
        whole=found.whole,
        sqnr=round(found.sqnr, 2),
        said=found.said,
        program=LEAVES[name].needs.partition(";")[0],
        version=found.version,
        machine=processor(),
        date=datetime.date.today().isoformat(),
    )._asdict()


def with_run(record: dict[str, Any], run: dict[str, Any]) -> dict[str, Any]:
    """Return the record with a run in the place of the leaf's last one, in the guide's order.

    >>> [one["leaf"] for one in with_run({"runs": [{"leaf": "gptq"}]}, {"leaf": "gguf_4"})["runs"]]
    ['gguf_4', 'gptq']
    """
    runs = {one["leaf"]: one for one in record["runs"]} | {run["leaf"]: run}
    return {"runs": [runs[name] for name in LEAVES if name in runs]}


def load(path: Path = GUIDE_RECORD) -> dict[str, Any]:
    """Return the record, empty where there is none."""
    return json.loads(path.read_text("utf-8")) if path.exists() else {"runs": []}
