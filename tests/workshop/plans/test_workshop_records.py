"""What was measured of archives and of the hub stands on the page, and else nothing does."""

from __future__ import annotations

import json
from pathlib import Path

from site_builder.workshop_records import faults, load, records, where

MACHINE = {"machine": "A machine", "date": "2026-11-23"}
FORKED = MACHINE | {
    "students": 30,
    "failed": 0,
    "ready_s": [9.0, 12.5, 14.0],
    "cell_s": [0.01, 0.05, 0.2],
    "student_mib": [200, 240],
}
PLAIN = FORKED | {"failed": 2, "ready_s": [30.0, 41.0, 50.0], "student_mib": [400, 450]}
FAULTS = MACHINE | {
    "breakages": [{"what": "the hub is killed", "works_again_s": 5.4, "seen": "Starting."}],
    "attempts": [{"what": "a wrong password", "seen": "Not this one."}],
}


def test_a_room_is_shown_beside_what_is_wanted() -> None:
    lines = load({"load": FORKED, "load, not forked": PLAIN}).splitlines()
    assert lines == [
        "| 30 people at once, 95 of 100 of them | forked | each imports for itself | wanted |",
        "| --- | --: | --: | --: |",
        "| seconds to the first result | 12.5 | 41 | 40 |",
        "| seconds of a later cell | 0.05 | 0.05 | 0.3 |",
        "| MiB of memory, the largest | 240 | 450 | 300 |",
        "| people for whom something failed | 0 | 2 | 0 |",
        "",
        "Measured on 2026-11-23 on A machine.",
    ]
    busy = load({"load": FORKED | {"load_before": [6.6, 5.0, 4.0]}})
    assert busy.endswith("on A machine, which had other work at a load of 6.6.")
    assert where(MACHINE | {"load": 7.1}).endswith("at a load of 7.1.")
    assert load({"load": FORKED}).splitlines()[2] == "| seconds to the first result | 12.5 | 40 |"


def test_faults_say_what_is_seen() -> None:
    text = faults(FAULTS)
    assert "| the hub is killed | 5 s | Starting. |" in text
    assert "| a wrong password | Not this one. |" in text


def test_what_is_not_recorded_is_not_shown(tmp_path: Path) -> None:
    nothing = tmp_path / "none.json"
    assert set(records(nothing, nothing).values()) == {""}
    hub = tmp_path / "record.json"
    hub.write_text(json.dumps({"load": FORKED}))
    found = records(nothing, hub)
    assert found["room load"] and not found["room faults"]
