from __future__ import annotations

import pytest

from qlearn.course.measured import Column, Row, columns, record, recorded_run
from qlearn.course.measured_tables import across, readings, refusals, scoreboard_times, speeds
from qlearn.course.scoreboard import Row as BoardRow
from qlearn.course.scoreboard import Table as Board


def column(*rows: Row) -> Column:
    return Column(
        "A processor", "cpu", ("avx2",), 4, 32.0, {"torch": "2.13.0+cpu"}, "2026-01-02",
        "make measure", {"read_gb": 20.0}, {1: 3.0}, rows,
    )  # fmt: skip


ROWS = (
    Row("mlp", 1, "float32", "eager", ms=2.0, speed=1.0, bytes=4_000_000),
    Row("mlp", 1, "int8", "eager", ms=8.0, speed=0.25, bytes=1_000_000),
    Row("mlp", 1, "int8", "compiled, frozen", ms=0.5, speed=4.0, bytes=1_000_000),
    Row("mlp", 1, "float8", "eager", error="ImportError: Requires x"),
    Row("mlp", 1, "float8", "compiled", error="ImportError: Requires x"),
)


@pytest.mark.parametrize("place", range(len(columns())))
def test_the_record_is_whole(place: int) -> None:
    found = columns()[place]
    assert found.date and found.command and found.versions["torch"]
    keys = [row[:4] for row in found.rows]
    assert len(keys) == len(set(keys))
    assert all(row.error or (row.ms > 0 and row.low <= row.speed <= row.high) for row in found.rows)


def test_a_copy_of_the_float_model_is_about_as_fast() -> None:
    for found in columns():
        copies = [row.speed for row in found.rows if row.method == "float32 again"]
        assert copies and all(0.5 < speed < 2 for speed in copies), (
            "the machine was too busy: run make measure again where nothing else runs"
        )


def test_no_path_of_a_machine_is_in_the_record() -> None:
    text = str(record())
    assert "/home/" not in text and "/root/" not in text and "site-packages" not in text


def test_a_row_is_found_and_a_wrong_one_names_the_others() -> None:
    found = column(*ROWS)
    assert found.find("mlp", 1, "int8", "eager").speed == 0.25
    assert found.best("mlp", 1, "int8").how == "compiled, frozen"
    with pytest.raises(KeyError, match="not in the record of A processor"):
        found.find("mlp", 2, "int8", "eager")
    with pytest.raises(KeyError, match="did not run"):
        found.best("mlp", 1, "float8")


def test_a_column_says_machine_date_and_command() -> None:
    assert str(column()) == "A processor; torch 2.13.0; 2026-01-02; make measure"
    assert "4 cores, a cache of 32 MB\ninstructions: avx2" in column().describe()


def test_a_run_shows_its_program_and_what_it_printed() -> None:
    run = recorded_run("compiled")
    shown = run._repr_markdown_()
    assert run.source.strip() in shown and run.printed in shown and run.date in shown
    with pytest.raises(KeyError, match="there are"):
        recorded_run("none")


def test_speeds_has_a_column_for_each_way_that_was_tried() -> None:
    shown = speeds(column(*ROWS), "mlp", 1)
    assert shown.heads == ("", "MB", "eager", "compiled", "frozen")
    assert shown.lines[1] == ("int8", "1", "0.25", "", "4")
    assert shown.lines[2] == ("float8", "", "error", "error", "")
    assert speeds(column(*ROWS), "mlp", 1, only=["int8"]).lines == (shown.lines[1],)
    assert "make measure" in repr(shown) and "make measure" in shown._repr_html_()
    with pytest.raises(ValueError, match="'cnn' with 8 rows is not in the record"):
        speeds(column(*ROWS), "cnn", 8)


def test_readings_compares_the_bytes_with_the_fastest_way() -> None:
    one = Row("token", 1, "int8", "eager", ms=9.0, speed=0.5, bytes=100_000_000)
    found = column(one, one._replace(how="compiled", ms=6.0, speed=4.0))
    assert readings(found, ["int8"]).lines == (("int8", "100", "5", "6", "4", "compiled"),)


def test_a_refusal_is_shown_once() -> None:
    assert refusals(column(*ROWS)).lines == (("float8", "mlp", "ImportError: Requires x"),)


def test_methods_stand_in_one_order_and_new_ones_last() -> None:
    rows = [Row("mlp", 1, name, "eager", ms=1, speed=1) for name in ("new", "bfloat16", "float32")]
    shown = speeds(column(*rows), "mlp", 1)
    assert [line[0] for line in shown.lines] == ["float32", "bfloat16", "new"]


def test_each_machine_has_a_column_with_its_fastest_way() -> None:
    card = column(Row("mlp", 1, "float8", "compiled", ms=1, speed=2.5))._replace(machine="A card")
    shown = across([column(*ROWS), card], "mlp", 1)
    assert shown.heads == ("", "A processor", "A card")
    assert dict((line[0], line[1:]) for line in shown.lines) == {
        "float32": ("1 eager", ""),
        "int8": ("4 frozen", ""),
        "float8": ("error", "2.5 compiled"),
    }


def test_the_scoreboard_gets_the_times_of_its_methods() -> None:
    board = Board(
        (
            BoardRow("int8 weights", "digits", 18547, 52.1, 348, "tonight"),
            BoardRow("int8 weights", "an LSTM", 18547, 52.1, 348, "tonight"),
        )
    )
    timed = column(Row("digits", 360, "int8 weights", "eager", ms=12.34, speed=0.5))
    measured = ("int8 weights, digits", "18,547", "52.1 dB", "348 right", "12", "", "", "tonight")
    assert scoreboard_times(timed, board).lines == (measured,)
    both = scoreboard_times(timed, board, unmeasured=True)
    assert both.lines == (
        measured,
        ("int8 weights, an LSTM", *measured[1:4], "", "", "", "tonight"),
    )
    assert both.source == str(timed)
