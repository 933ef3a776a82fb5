"""The code exercises of the chapters: solutions pass, stubs and typical mistakes do not.

A page's typical mistakes are `WRONG` in the module of its name here, `<page>_mistakes.py`: the
exercise, a part of its solution, what stands there instead, and a pattern of what is said. Other
solutions that are right are `RIGHT`, in the same form but for what is said.
"""

from __future__ import annotations

import linecache
import re
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from qlearn.course.exercises.catalogue import EXERCISES, THREADS
from qlearn.course.exercises.chapters import PAGES
from qlearn.course.exercises.check import check
from qlearn.course.exercises.exercise import Exercise, WrongError
from qlearn.course.exercises.hints import wrong_calls
from qlearn.course.exercises.judge import judge
from tests.course.exercises.chapter_pages import sources

HERE = Path(__file__).parent
Row = tuple[str, str, str, str]
MODULES = {
    path.stem.removesuffix("_mistakes"): import_module(f"tests.course.exercises.{path.stem}")
    for path in sorted(HERE.glob("*_mistakes.py"))
}
TABLES: dict[str, list[Row]] = {page: module.WRONG for page, module in MODULES.items()}
OTHERS = [(page, *row) for page, module in MODULES.items() for row in getattr(module, "RIGHT", ())]
ROWS = [(page, *row) for page, table in TABLES.items() for row in table]
ASKED = [(page, exercise) for page, exercises in PAGES.items() for exercise in exercises]
IDS = [exercise.name for _, exercise in ASKED]
OF_A_PAGE, MISTAKES_OF_EACH = 2, 3


@pytest.fixture(autouse=True)
def first_call() -> None:
    wrong_calls.clear()


def written(page: str, name: str, source: str) -> Any:
    """Run the page's imports and a cell of its reader, and return what it defines."""
    place = f"<{page} {name} {hash(source)}>"
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)
    names: dict[str, Any] = {"__name__": "reader"}
    exec(sources(page)[0], names)
    exec(compile(source, place, "exec"), names)
    return names[name]


def changed(page: str, name: str, old: str, new: str) -> Any:
    """Return what a page's solution defines once a part of it was replaced."""
    source = sources(page)[2][name]
    assert old in source, f"{old!r} is not in the page's {name}:\n{source}"
    return written(page, name, source.replace(old, new))


def test_each_core_page_has_two_exercises_and_each_exercise_three_mistakes() -> None:
    assert set(TABLES) == set(PAGES)
    few = [page for page, exercises in PAGES.items() if len(exercises) < OF_A_PAGE]
    alone = [page for page in few if not page.endswith("_to_the_bit")]
    assert not alone, f"{alone} have fewer than {OF_A_PAGE} exercises: a core page has them"
    made = Counter(row[:2] for row in set(ROWS))
    few = [(p, e.name) for p, e in ASKED if made[p, e.name] < MISTAKES_OF_EACH]
    assert not few, f"fewer than {MISTAKES_OF_EACH} mistakes in <page>_mistakes.py: {few}"


def test_names_are_unique() -> None:
    exercises = [*THREADS.values(), *PAGES.values()]
    assert len(EXERCISES) == sum(map(len, exercises))


@pytest.mark.parametrize(("page", "exercise"), ASKED, ids=IDS)
def test_the_pages_solution_is_right_and_its_stub_is_not(page: str, exercise: Exercise) -> None:
    _, stubs, solutions = sources(page)
    assert not check(exercise.name, written(page, exercise.name, stubs[exercise.name]))
    verdict = check(exercise.name, written(page, exercise.name, solutions[exercise.name]))
    assert verdict, verdict.sentence


@pytest.mark.parametrize(
    ("page", "name", "old", "new", "message"), ROWS, ids=[f"{row[1]}-{row[3]}" for row in ROWS]
)
def test_a_typical_mistake_gets_its_sentence(
    page: str, name: str, old: str, new: str, message: str
) -> None:
    verdict = check(name, changed(page, name, old, new))
    assert not verdict
    assert re.search(message, verdict.sentence), verdict.sentence


@pytest.mark.parametrize(
    ("page", "name", "old", "new"), OTHERS, ids=[f"{row[1]}-{row[3]}" for row in OTHERS]
)
def test_another_right_solution_is_right(page: str, name: str, old: str, new: str) -> None:
    verdict = check(name, changed(page, name, old, new))
    assert verdict, verdict.sentence


@pytest.mark.parametrize(("page", "exercise"), ASKED, ids=IDS)
def test_each_known_mistake_is_recognized(page: str, exercise: Exercise) -> None:
    judge(exercise, exercise.right)
    for sentence, mistake in exercise.mistakes.items():
        with pytest.raises(WrongError) as wrong:
            judge(exercise, mistake)
        assert str(wrong.value).startswith(sentence)
