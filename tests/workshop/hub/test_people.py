"""A list of students, good and bad; passwords, and how long a wrong one waits."""

from __future__ import annotations

import pytest

from workshop.hub.patience import Patience
from workshop.hub.people import Person, new_password, parse
from workshop.hub.settings import Settings


def test_a_heading_an_empty_line_and_a_mark_of_windows() -> None:
    text = "\ufeffname,called\r\n\r\nana,Ana López\r\n"
    assert parse(text) == [Person("ana", "Ana López")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("", "names nobody", id="empty"),
        pytest.param("name\n", "names nobody", id="heading alone"),
        pytest.param("Ana", "line 1: 'Ana' is no name", id="capital"),
        pytest.param("ana\nana", "line 2: ana stands there twice", id="twice"),
        pytest.param("josé", "is no name", id="accent"),
        pytest.param("../etc", "is no name", id="path"),
        pytest.param("ana:x:0:0", "is no name", id="colon"),
        pytest.param("ana;Ana", "a comma between the two columns", id="semicolon"),
        pytest.param("-rf", "is no name", id="option"),
        pytest.param("a b", "is no name", id="space"),
        pytest.param(",Ana", "'' is no name", id="missing"),
        pytest.param("a" * 21, "is no name", id="long"),
        pytest.param("1\nB", "line 1.*\nline 2", id="all at once"),
        pytest.param(
            'ana,"Ana Lopez\nben,Ben',
            "^line 1: a quotation mark is not closed",
            id="open quote",
        ),
        pytest.param('a\nben,"Ben" O', "^line 2: a quotation mark", id="text after a quote"),
        pytest.param('1,"A\nB', "line 1: a quotation.*\nline 2: 'B' is no", id="quote and name"),
        pytest.param(f"ana,{'x' * 2**18}", "line 1: this is no line of a CSV file", id="long line"),
    ],
)
def test_what_is_wrong_with_a_list_is_said(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse(text)


def test_no_student_has_a_name_of_the_rooms_own() -> None:
    settings = Settings()
    for name in (settings.student_group, settings.instructor_group, f"{settings.room}-proxy"):
        with pytest.raises(ValueError, match="take another name"):
            parse(name.removeprefix(settings.prefix))


def test_a_cell_may_have_commas_and_quotation_marks() -> None:
    text = 'ana,"López, Ana ""Anita"""\nben,O"Hara'
    assert [person.called for person in parse(text)] == ['López, Ana "Anita"', 'O"Hara']


def test_how_a_person_is_called_is_one_line() -> None:
    [person] = parse('ana,"Ana\x1b\x07 López, 3b"')
    assert person.called == "Ana López, 3b"


def test_passwords_are_long_different_and_readable() -> None:
    found = {new_password() for _ in range(200)}
    assert len(found) == 200
    assert all(len(word) == 14 and not set(word) & set("01lio") for word in found)


def test_wrong_passwords_are_answered_ever_later_for_a_while() -> None:
    patience = Patience(free=3, seconds=300, slowest=2)
    assert [patience.wait("ana", now) for now in range(6)] == [0, 0, 0, 1, 2, 2]
    assert patience.wait("ben", 6) == 0
    assert patience.wait("ana", 400) == 0


def test_many_names_do_not_make_one_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workshop.hub.patience.NAMES", 20)
    patience = Patience(free=3, seconds=300, slowest=5)
    for round in range(5):
        for number in range(10):
            patience.wait(f"nobody-{round}-{number}", round)
        late = patience.wait("ana", round)
    assert late == 2 and len(patience.wrong) == 20


def test_only_the_end_of_a_line_begins_another() -> None:
    """A spreadsheet keeps a break within a cell as one of these, which Python takes for ends."""
    [person] = parse("ana,Ana\x0b López\u2028 3b\x85")
    assert person.called == "Ana López 3b"
