"""What the page of proofs says of other machines."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from machines.marks import MARKS
from site_builder import machines_page as page

ROW = {"name": "AVX2", "means": "a laptop", "same": 5, "marked": 1, "red": 0, "which": []}
ROW["where"] = "2026-01-02: commit abc, torch 2.13.0, X"


def test_a_row_names_what_is_not_equal():
    assert "| **AVX2**: a laptop | 5 | 1 | 0 |" in page.in_settings([ROW])
    red = ROW | {"red": 2, "which": ["qt-1", "qt-2"]}
    assert "| 2 (qt-1, qt-2) |" in page.in_settings([red])
    assert page.in_settings([ROW, red]).count("- 2026-01-02: commit abc, torch 2.13.0, X") == 1


def test_without_a_record_it_says_how_to_make_one():
    assert "make elsewhere" in page.in_settings([])
    assert page.on_arm({}, page.BOOK).count("make arm") == 3


def a_book(folder, cells):
    made = [new_code_cell("1") for _ in range(cells)]
    nbformat.write(new_notebook(cells=made), folder / "n.ipynb")
    return folder


@pytest.mark.parametrize(("cells", "newer"), [(6, False), (7, True)])
def test_what_goes_otherwise_on_arm_is_named(tmp_path, cells, newer):
    book = a_book(tmp_path, cells)
    tasks = {"book/n.ipynb": {"date": "d", "same": 5, "marked": [], "red": ["y"]}}
    run = {"emulator": "e", "processor": "p", "torch": "t", "tasks": tasks}
    said = page.on_arm({"notebooks": run}, book)
    assert "5 cells the same, 0 marked, 1 red (d, e, p, torch t)." in said
    assert "`book/n.ipynb: y is red`" in said
    assert ("The book has 7 now: the others are newer." in said) is newer


@pytest.mark.parametrize("count", [1, 2])
def test_marked_cells_are_listed_by_reason(tmp_path, count):
    cells = [new_code_cell("1", metadata={"tags": ["machine-kernel"]}) for _ in range(count)]
    (tmp_path / "part").mkdir()
    nbformat.write(new_notebook(cells=cells), tmp_path / "part" / "x.ipynb")
    listed = page.marked(tmp_path)
    assert f"[](part/x) ({count} cell{'s' * (count > 1)})" in listed
    assert MARKS["kernel"].reason in listed and MARKS["range"].reason not in listed
