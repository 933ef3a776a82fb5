"""The record of the runs on other machines."""

import json
import sys

import pytest

import machines.__main__
from machines import record
from machines.run import Run, missing_locale
from machines.settings import BY_NAME, Setting


def run(*verdicts, ended=0):
    cells = {f"c{i}": verdict for i, verdict in enumerate(verdicts)}
    return Run("book/n.ipynb", cells, "", ended)


def test_a_row_counts_cells_and_names_the_red_ones():
    row = record.Row.of(BY_NAME["AVX2"], [run("same", "red", "marked"), run("same")])
    assert (row.same, row.marked, row.red, row.which) == (2, 1, 1, ["c1"])
    assert str(row).split(":")[0].split() == ["AVX2", "2", "same", "1", "marked", "1", "red"]


def test_a_notebook_that_did_not_end_is_red():
    row = record.Row.of(BY_NAME["AVX2"], [run("same", ended=-9), run()])
    assert (row.red, row.which) == (2, ["book/n.ipynb"] * 2)


def test_a_row_replaces_its_own_and_keeps_the_order(monkeypatch, tmp_path):
    monkeypatch.setattr(record, "RECORD", tmp_path / "record.json")
    for name, verdict in (("Mac's engines", "same"), ("AVX2", "red"), ("AVX2", "same")):
        record.save(record.Row.of(BY_NAME[name], [run(verdict)]))
    rows = json.loads((tmp_path / "record.json").read_text())
    assert [(row["name"], row["red"]) for row in rows] == [("AVX2", 0), ("Mac's engines", 0)]


def test_a_missing_locale_is_said_before_anything_runs(monkeypatch, capsys):
    nowhere = Setting("nowhere", "a locale that no system has", {"LC_ALL": "xx_XX.UTF-8"})
    monkeypatch.setitem(BY_NAME, "nowhere", nowhere)
    monkeypatch.setattr(machines.__main__, "run_setting", None)
    monkeypatch.setattr(sys, "argv", ["machines", "--only", "AVX2", "nowhere"])
    with pytest.raises(SystemExit):
        machines.__main__.main()
    assert "localedef -i xx_XX -f UTF-8 xx_XX.UTF-8" in capsys.readouterr().err
    assert missing_locale("C") == ""
