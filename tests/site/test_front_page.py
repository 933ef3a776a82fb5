"""The numbers on the first page are counted."""

from __future__ import annotations

import pytest

from site_builder import front_page


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
    assert front_page.parts()["cells"] == "701"
