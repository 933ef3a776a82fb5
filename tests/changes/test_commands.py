"""A plan becomes commands, each with its reason, and a build comes before what looks at it."""

from __future__ import annotations

from changes.commands import ALL, NOTEBOOK_TESTS, SITE, parts_of
from changes.plan import SITE_TESTS, Plan, page_test


def commands(plan: Plan) -> dict[str, str]:
    return {part.name: " ".join(part.command[1:]) for part, _ in parts_of(plan, "HEAD")}


def test_nothing_asks_for_no_command() -> None:
    assert parts_of(Plan(), "HEAD") == []


def test_everything_is_left_to_make() -> None:
    plan = Plan(everything={"pyproject.toml"}, types={"a.py"})
    assert list(commands(plan).values()) == list(ALL)


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


def test_each_kind_has_its_command() -> None:
    plan = Plan(style={"a.py", "b.js"}, types={"a.py"}, proofs={"a.py"}, hygiene={"book/x.ipynb"})
    plan.tests["tests/test_a.py::test_it"].add("a.py")
    plan.execute["book/far.ipynb"].add("a.py")
    plan.execute["book/near.ipynb"].add("a.py")
    plan.execute["book/x.ipynb"] |= {"a.py", "book/x.ipynb"}
    plan.steps = {"book/near.ipynb": 1, "book/far.ipynb": 2}
    found = commands(plan)
    assert found["style: ruff"] == "-m ruff check --force-exclude a.py"
    assert found["style and format: Biome"] == "-m site_checks.biome"
    assert found["types: mypy"] == "-m mypy"
    unit = "-m pytest -q -p changes.deadline tests/test_a.py::test_it"
    assert found["unit: 1 test"] == unit
    assert found["proofs: their first cases"] == "-m changes.concerned_proofs HEAD"
    rules = found["notebooks: their rules"]
    assert all(test in rules for test in NOTEBOOK_TESTS) and rules.endswith("-k book/x.ipynb")
    assert found["notebooks: 1 notebook run anew"].endswith("--check book/x.ipynb")
    in_order = "check_in_forks book/near.ipynb book/far.ipynb"
    assert found["notebooks: 2 notebooks run and compared"].endswith(in_order)


def test_a_part_says_for_which_files() -> None:
    plan = Plan(types={"d.py", "c.py", "b.py", "a.py"})
    assert [why for _, why in parts_of(plan, "HEAD")] == ["a.py, b.py, c.py and 1 more"]
