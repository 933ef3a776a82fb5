"""Read a list of students, and say everything that is wrong with it at once."""

from __future__ import annotations

import csv
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

NAME = re.compile(r"[a-z][a-z0-9_-]{0,19}")
# What the room calls its groups and the user of its proxy, who would else be a student.
OF_THE_ROOM = ("proxy", "students", "instructors")
# Without 0 and o, 1, i and l, which look alike on paper.
LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"


@dataclass(frozen=True)
class Person:
    """A name to log in with, without the prefix, and how the person is called."""

    name: str
    called: str


def parse(text: str) -> list[Person]:
    r"""Return the people of a CSV file: a name to log in with, then how the person is called.

    A first line whose first word is ``name`` is a heading; an empty line is nothing.

    >>> parse("name,called\nana,Ana López\nben\n")
    [Person(name='ana', called='Ana López'), Person(name='ben', called='ben')]

    Raises:
        ValueError: with a line for each name that is missing, strange or there twice, and for each
            line that is not CSV.
    """
    people: dict[str, Person] = {}
    wrong: list[str] = []
    for number, line in enumerate(text.lstrip("\ufeff").split("\n"), 1):
        try:
            cells = cells_of(line)
        except ValueError as error:
            wrong.append(f"line {number}: {error}")
            continue
        if not any(cells) or (number == 1 and cells[0].lower() == "name"):
            continue
        name = cells[0]
        fault = fault_of(name, people)
        if fault:
            wrong.append(f"line {number}: {fault}")
        called = cells[1] if len(cells) > 1 and cells[1] else name
        people[name] = Person(name, printable(called))
    if not people and not wrong:
        wrong.append("the list names nobody")
    if wrong:
        raise ValueError("\n".join(wrong))
    return list(people.values())


def cells_of(line: str) -> list[str]:
    """Return the cells of a line: alone, because an open quotation mark takes in all that follow.

    >>> cells_of('ana,"López, Ana"'), cells_of("")
    (['ana', 'López, Ana'], [])

    Raises:
        ValueError: the line is not CSV.
    """
    try:
        return [cell.strip() for cell in next(csv.reader([line], strict=True))]
    except csv.Error as error:
        if '"' not in line:
            raise ValueError(f"this is no line of a CSV file: {error}") from None
        raise ValueError(
            'a quotation mark is not closed, or more stands behind it: write "López, Ana" for a '
            'cell with a comma, and "" for a quotation mark within such a cell'
        ) from None


def fault_of(name: str, taken: Iterable[str]) -> str:
    """Return what is wrong with a name, or nothing."""
    if ";" in name:
        return f"{name!r} has a semicolon: write a comma between the two columns"
    if not NAME.fullmatch(name):
        return (
            f"{name!r} is no name to log in with: take a letter a to z, then up to 19 of a to z, "
            "0 to 9, - and _"
        )
    if name in OF_THE_ROOM:
        return f"{name} is what the hub calls something of its own: take another name"
    return f"{name} stands there twice" if name in taken else ""


def printable(called: str) -> str:
    """Return the name as it is printed on the sheet: one line of 60 characters at most."""
    return "".join(filter(str.isprintable, called))[:60]


def new_password() -> str:
    """Return twelve random letters, 59 bits, in three groups that can be typed from paper."""
    return "-".join("".join(secrets.choice(LETTERS) for _ in range(4)) for _ in range(3))


def strip(person: Person, login: str, password: str, url: str) -> str:
    """Return one strip of the sheet, which is printed once and cut up.

    >>> print(strip(Person("ana", "Ana"), "qbb-ana", "2345-6789-abcd", "https://hub.example"))
    Ana
        address   https://hub.example
        login     qbb-ana
        password  2345-6789-abcd
    """
    return f"{person.called}\n    address   {url}\n    login     {login}\n    password  {password}"
