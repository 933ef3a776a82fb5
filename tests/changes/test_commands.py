"""A plan becomes commands, each with its reason, and a build comes before what looks at it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from changes.commands import ALL, NOTEBOOK_TESTS, QUESTION_TESTS, SITE, parts_of
from changes.files import Change
from changes.pages import prose_test, words_of_questions
from changes.plan import SITE_TESTS, SIZE_TEST, Plan, page_test

ROOT = Path(__file__).resolve().parents[2]
PAGE = "book/calibration/observers.ipynb"
LAPTOP = {"architecture": "x86_64", "avx2": True}


def commands(plan: Plan) -> dict[str, str]:
    return {part.name: " ".join(part.command[1:]) for part, _ in parts_of(plan, "HEAD")}


def test_nothing_asks_for_no_command() -> None:
    assert parts_of(Plan(), "HEAD") == []


@pytest.fixture
def laptop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: LAPTOP)


@pytest.fixture(params=["a Mac", "Linux on ARM"])
def another(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    mac = request.param == "a Mac"
    monkeypatch.setattr("platform.system", lambda: "Darwin" if mac else "Linux")
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"architecture": "aarch64"})


EVERYTHING = Plan(everything={"pyproject.toml"}, types={"a.py"})


@pytest.mark.usefixtures("laptop")
def test_everything_is_left_to_make() -> None:
    assert list(commands(EVERYTHING).values()) == list(ALL)


@pytest.mark.usefixtures("another")
def test_no_laptop_is_played_where_none_can_be() -> None:
    assert "notebooks-anew" in ALL
    made = list(commands(EVERYTHING).values())
    assert made == [{"notebooks-anew": "notebooks"}.get(name, name) for name in ALL]
    plan = Plan()
    plan.execute[PAGE] |= {PAGE}
    plan.execute["book/far.ipynb"] |= {PAGE}
    assert [command.split()[1] for command in commands(plan).values()] == [
        "notebook_pipeline.write_outputs",
        "notebook_pipeline.check_in_forks",
    ]


def test_a_page_is_built_and_then_opened() -> None:
    plan = Plan(site={"book/one.md"})
    plan.site_tests[page_test("book/one.md")].add("book/one.md")
    build, look = (part for part, _ in parts_of(plan, "HEAD"))
    assert (build.name, look.after) == (SITE, (SITE,))
    assert look.command[-2:] == [SITE_TESTS[0], page_test("book/one.md")]


def test_a_test_is_not_named_twice() -> None:
    plan = Plan()
    for test in (*SITE_TESTS, page_test("book/one.md")):
        plan.site_tests[test].add("site_builder/static/book.css")
    look = parts_of(plan, "HEAD")[-1][0]
    assert {one for one in look.command if one.startswith("tests/")} == set(SITE_TESTS)


@pytest.mark.usefixtures("laptop")
def test_each_kind_has_its_command() -> None:
    plan = Plan(style={"a.py", "b.js"}, types={"a.py"}, proofs={"a.py"}, hygiene={"book/x.ipynb"})
    plan.tests["tests/test_a.py::test_it"].add("a.py")
    plan.questions["[x]"].add("book/x.ipynb")
    plan.execute["book/far.ipynb"].add("a.py")
    plan.execute["book/near.ipynb"].add("a.py")
    plan.execute["book/x.ipynb"] |= {"a.py", "book/x.ipynb"}
    plan.steps = {"book/near.ipynb": 1, "book/far.ipynb": 2}
    found = commands(plan)
    assert found["style: ruff"] == "-m ruff check --force-exclude a.py"
    assert found["style and format: Biome"] == "-m site_checks.biome"
    assert found["types: mypy"] == "-m mypy"
    unit = "-m pytest -q -p changes.deadline tests/test_a.py::test_it"
    assert found["unit: all cases of 1 test"] == unit
    assert found["proofs: their first cases"] == "-m changes.concerned_proofs HEAD"
    rules = found["notebooks: their rules"]
    assert all(test in rules for test in NOTEBOOK_TESTS) and rules.endswith("-k book/x.ipynb")
    assert found["notebooks: 1 notebook run anew"].endswith("--check book/x.ipynb")
    questions = found["notebooks: their questions and exercises"]
    assert all(test in questions for test in QUESTION_TESTS) and questions.endswith("-k [x]")
    assert found["notebooks: 1 notebook run anew"].startswith("-m machines.within AVX2 -- ")
    in_order = "check_in_forks book/near.ipynb book/far.ipynb"
    assert found["notebooks: 2 notebooks run and compared"].endswith(in_order)


def test_a_part_says_for_which_files() -> None:
    plan = Plan(types={"d.py", "c.py", "b.py", "a.py"})
    assert [why for _, why in parts_of(plan, "HEAD")] == ["a.py, b.py, c.py and 1 more"]


def collected(*arguments: str) -> list[str]:
    """Return the tests that pytest finds."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_tests_that_are_named_are_there() -> None:
    named = [SIZE_TEST, prose_test("book/notation.md"), prose_test(PAGE)]
    assert sorted(collected(*named)) == sorted(named)


def test_words_find_the_tests_of_a_page_and_its_exercises() -> None:
    change = Change(PAGE, None, (ROOT / PAGE).read_text("utf-8"))
    found = collected(*QUESTION_TESTS, "-k", " or ".join(sorted(words_of_questions(change))))
    ids = {test.partition("[")[2].partition("-")[0].rstrip("]") for test in found}
    assert ids == {"", "observers", "moving_average", "percentile_ends"}
    assert {test.partition("::")[0] for test in found} == set(QUESTION_TESTS)
