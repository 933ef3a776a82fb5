"""The numbers on the first page: counted, and each one that the page names is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from site_builder import front_page

INTRO = Path(__file__).parents[2] / "book" / "intro.ipynb"


def test_other_pages_are_left_alone() -> None:
    source = ["{{ cells }}"]
    front_page.fill_in(None, "book/proofs", source)
    assert source == ["{{ cells }}"]


def test_each_number_is_filled_in() -> None:
    source = [INTRO.read_text(encoding="utf-8")]
    assert "{{ cells }}" in source[0]
    front_page.fill_in(None, front_page.PAGE, source)
    assert "{{" not in source[0]


def test_an_unknown_number_is_an_error() -> None:
    with pytest.raises(KeyError, match="wishes"):
        front_page.fill_in(None, front_page.PAGE, ["{{ wishes }}"])


def test_a_page_that_is_not_there_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="no page .*numbers/nothing"):
        front_page.minutes(["numbers/nothing"])


def test_minutes_add_up() -> None:
    page = "start/tonight"
    assert front_page.minutes([page, page]) == 2 * front_page.minutes([page])


@pytest.mark.parametrize(
    ("minutes", "text"),
    [(7, "7 minutes"), (54, "54 minutes"), (55, "1 hour"), (89, "1½ hours"), (268, "4½ hours")],
)
def test_minutes_are_said_as_a_person_would(minutes: int, text: str) -> None:
    assert front_page.spoken(minutes) == text


def test_the_cells_are_those_of_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    same = {"as it is": 700, "two at once": 1402}
    rows = [{"name": name, "same": n, "marked": 0, "red": 1} for name, n in same.items()]
    monkeypatch.setattr(front_page, "load_machines", lambda: rows)
    assert front_page.numbers()["cells"] == "701"
