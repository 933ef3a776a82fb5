from __future__ import annotations

import json
from pathlib import Path

from measure.record import load, save, with_column


def column(machine: str, device: str = "cpu", date: str = "2026-01-01") -> dict[str, object]:
    row = {"subject": "mlp", "batch": 1, "method": "float32", "how": "eager", "ms": 1.0}
    return {"machine": machine, "device": device, "date": date, "rows": [row]}


def test_another_machine_adds_a_column_and_loses_nothing() -> None:
    record = {"columns": [column("a"), column("b")], "runs": [{"name": "compiled"}]}
    found = with_column(record, column("c"))
    assert found["columns"][:2] == record["columns"]
    assert found["runs"] == record["runs"]
    assert found["columns"][2]["machine"] == "c"


def test_the_same_machine_replaces_its_own_column_in_its_place() -> None:
    record = {"columns": [column("a"), column("b")], "runs": []}
    found = with_column(record, column("a", date="2027-01-01"))
    assert [one["machine"] for one in found["columns"]] == ["a", "b"]
    assert found["columns"][0]["date"] == "2027-01-01"


def test_a_graphics_card_of_the_same_machine_is_another_column() -> None:
    found = with_column({"columns": [column("a")], "runs": []}, column("a", "cuda"))
    assert [one["device"] for one in found["columns"]] == ["cpu", "cuda"]


def test_what_is_saved_is_loaded_and_each_row_has_a_line(tmp_path: Path) -> None:
    path = tmp_path / "measured.json"
    record = {"columns": [column("a")], "runs": []}
    save(record, path)
    assert load(path) == record
    row = json.dumps(record["columns"][0]["rows"][0])  # type: ignore[index]
    assert row in [line.strip() for line in path.read_text("utf-8").splitlines()]


def test_without_a_file_the_record_is_empty(tmp_path: Path) -> None:
    assert load(tmp_path / "none.json") == {"columns": [], "runs": []}
