"""What the command measures: the processor, and a graphics card where there is one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from measure import __main__ as command
from measure.record import load, save
from measure.torch_methods import METHODS

FOR_CARDS = {"int4 weights", "int4 weights, tiles", "float8 weights, bfloat16", "float8 dynamic"}


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record of its own, and a machine that answers at once."""
    path = tmp_path / "measured.json"

    def described(device: str) -> dict[str, Any]:
        return {"machine": "A card" if device == "cuda" else "A processor", "device": device}

    def rows(names: list[str], hows: tuple[str, ...], device: str) -> list[dict[str, Any]]:
        return [{"subject": name, "how": how} for name in names for how in hows]

    monkeypatch.setattr(command, "described", described)
    monkeypatch.setattr(command, "rates", lambda device: {"read_gb": 1.0})
    monkeypatch.setattr(command, "token_sweep", lambda: {"1": 1.0})
    monkeypatch.setattr(command, "measured", rows)
    monkeypatch.setattr(command, "record_runs", lambda head: [{"name": head["device"]}])
    monkeypatch.setattr(command, "load", lambda: load(path))
    monkeypatch.setattr(command, "save", lambda found: save(found, path))
    return path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["measure", *arguments])
    command.main()


def test_a_machine_with_a_card_gets_two_columns(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    run(monkeypatch)
    found = load(record)
    assert [one["machine"] for one in found["columns"]] == ["A processor", "A card"]
    assert {one["command"] for one in found["columns"]} == {"make measure"}
    assert {row["how"] for row in found["columns"][1]["rows"]} == {"eager", "compiled"}
    assert found["runs"] == [{"name": "cpu"}]


def test_a_machine_without_one_gets_its_own(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    run(monkeypatch)
    assert [one["device"] for one in load(record)["columns"]] == ["cpu"]


def test_a_part_is_printed_and_not_kept(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(monkeypatch, "--device", "cpu", "--only", "mlp", "--how", "eager")
    assert not record.exists()


def test_the_card_is_measured_in_float8_and_in_four_bits() -> None:
    for way in command.ON_GRAPHICS_CARD:
        assert {method.name for method in METHODS if method.how == way} >= FOR_CARDS
