"""The scoreboard: its record, what it refuses, and how it is shown."""

from __future__ import annotations

import json
import math
from html.parser import HTMLParser
from pathlib import Path

import pytest

import qlearn.course
from qlearn.course import scoreboard
from qlearn.course.scoreboard import Row, Table, row, stored_rows, table

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(qlearn.course.__file__).parent / "scoreboard.json"
ROWS = (
    Row("float32", "digits", 25273, None, 348, "first"),
    Row("int8 weights", "digits", 18547, 52.1, 348, "first"),
    Row("int8 dynamic", "digits", 18803, 40.0, 347, "second", within=0.5),
)
NUMBERS = {"bytes": 18547, "sqnr": 52.1086, "right": 348, "page": "first"}


@pytest.fixture(autouse=True)
def three_rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "real" not in request.keywords and "real" not in request.node.name:
        monkeypatch.setattr(scoreboard, "stored_rows", lambda: ROWS)


# ------------------------------------------------------------------------------- the real record


def test_the_real_record_is_written_as_json_writes_it() -> None:
    rows = json.loads(RECORD.read_text(encoding="utf-8"))
    lines = [json.dumps(each, ensure_ascii=False) for each in rows]
    assert RECORD.read_text(encoding="utf-8") == "[\n" + ",\n".join(lines) + "\n]\n"


def test_the_real_rows_have_names_of_their_own_and_pages_that_exist() -> None:
    rows = stored_rows()
    assert len({each[:2] for each in rows}) == len(rows) > 0
    chapters = {path.stem for path in (ROOT / "book").rglob("*.ipynb")}
    assert {each.page for each in rows} <= chapters


def test_each_real_row_is_earned_in_its_page() -> None:
    for page in {each.page for each in stored_rows()}:
        (path,) = (ROOT / "book").rglob(f"{page}.ipynb")
        text = path.read_text(encoding="utf-8")
        methods = {each.method for each in stored_rows() if each.page == page}
        assert [method for method in methods if f'\\"{method}\\"' not in text] == []


# ------------------------------------------------------------------------------ what a page does


def test_numbers_that_are_the_stored_ones_give_the_row() -> None:
    assert row("int8 weights", "digits", **NUMBERS) == ROWS[1]
    assert row("float32", "digits", **{**NUMBERS, "bytes": 25273, "sqnr": math.inf}) == ROWS[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [("bytes", 18804), ("sqnr", 52.2), ("sqnr", math.inf), ("right", 347), ("page", "second")],
)
def test_another_number_is_refused_and_named(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"has {name} .* and here .*change the row"):
        row("int8 weights", "digits", **{**NUMBERS, name: value})


def test_decibels_on_the_boundary_are_refused() -> None:
    with pytest.raises(ValueError, match="print fewer digits"):
        row("int8 weights", "digits", **{**NUMBERS, "sqnr": 52.1501})


def test_a_row_that_is_missing_is_given_as_json() -> None:
    with pytest.raises(LookupError, match="has no row 'two bits' of 'digits': add") as caught:
        row("two bits", "digits", **NUMBERS)
    line = caught.value.args[0].partition(": add ")[2]
    assert Row(**json.loads(line)) == ROWS[1]._replace(method="two bits")


def test_a_file_may_be_a_little_longer_by_another_python() -> None:
    stored = row("int8 weights", "digits", **NUMBERS)
    assert row("int8 weights", "digits", **NUMBERS | {"bytes": 18547 + 64}) == stored


@pytest.mark.parametrize(("sqnr", "holds"), [(39.6, True), (40.449, True), (40.7, False)])
def test_decibels_that_differ_from_machine_to_machine(sqnr: float, holds: bool) -> None:
    numbers = {"bytes": 18803, "sqnr": sqnr, "right": 347, "page": "second"}
    if holds:
        assert row("int8 dynamic", "digits", **numbers) == ROWS[2]
    else:
        with pytest.raises(ValueError, match="has sqnr 40.0 and here 40.7"):
            row("int8 dynamic", "digits", **numbers)


# ------------------------------------------------------------------------------------ how it looks


class Cells(HTMLParser):
    """The texts of a table's cells, and how each heading is marked."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.scopes: list[str | None] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "th":
            self.scopes.append(dict(attrs).get("scope"))

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append(data)


def test_a_table_says_the_same_in_text_and_in_html() -> None:
    shown = table()
    cells = Cells(shown._repr_html_())
    assert [cell for cell in cells.texts if cell not in repr(shown)] == []
    assert cells.scopes == ["col"] * 6 + ["row"] * 3
    assert "≈ 40 dB" in cells.texts and "exact" in cells.texts and "18,547" in cells.texts
    assert len(repr(shown).splitlines()) == 4


def test_names_are_escaped() -> None:
    assert "a&lt;b" in Table((ROWS[0]._replace(method="a<b"),))._repr_html_()


def test_a_table_grows_with_the_course() -> None:
    assert table(upto="first").rows == ROWS[:2]
    assert table(upto="second").rows == table().rows == ROWS
    with pytest.raises(ValueError, match="no row is of the page 'third'.*first, second"):
        table(upto="third")


def test_a_row_in_one_line() -> None:
    said = " ".join(str(ROWS[1]).split())
    assert said == "digits int8 weights 18,547 bytes 52.1 dB 348 right"


# ------------------------------------------------------------------------------- language models


BITS = Row("float32", "language", 4461056, None, None, "first", bits=1.377)


def test_a_language_model_has_bits_for_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoreboard, "stored_rows", lambda: (BITS,))
    numbers = {"bytes": 4461056, "page": "first"}
    assert row("float32", "language", **numbers, bits=1.37712) == BITS
    assert "1.377 bits a byte" in str(BITS)
    assert BITS.cells()[3] == ""
    with pytest.raises(ValueError, match=r"has bits 1\.377 and here 1\.378"):
        row("float32", "language", **numbers, bits=1.3782)
    with pytest.raises(ValueError, match="print fewer digits"):
        row("float32", "language", **numbers, bits=1.37749)
