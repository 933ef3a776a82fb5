"""The commands that check what a plan names, each with the files that ask for it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from changes.bystanders import BROWSER_CODE
from changes.plan import SITE_TESTS, Plan, Reasons
from environment.side_by_side import Part

SITE = "the site, built from nothing"
MANY = 25  # tests, from which on a second process is worth its start
LEFT = (
    "Left to `make test`: the notebooks on two more kinds of processor, the pages over http and "
    "those pages and tests that nothing here reaches.\n"
)
ALL = ("lint", "types", "unit", "notebooks-anew", "site-test")

Why = Iterable[str]


def parts_of(plan: Plan, since: str) -> list[tuple[Part, str]]:
    """Return the parts in the order in which they start, each with its reason in words."""
    if plan.everything:
        why = in_words(plan.everything) + ", which everything may depend on"
        return [(Part(f"make {name}", ["make", name]), why) for name in ALL]
    parts = [*_style(plan), *_site(plan), *_code(plan, since), *_notebooks(plan)]
    return [(part, in_words(why)) for part, why in parts]


def in_words(paths: Why) -> str:
    """Name three files, and say how many more there are.

    >>> in_words(["d", "c", "b", "a"])
    'a, b, c and 1 more'
    """
    named = sorted(set(paths))
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    return ", ".join(named[:3]) + more


def python(*arguments: str) -> list[str]:
    """Return how to run a module of this environment."""
    return [sys.executable, "-m", *arguments]


def pytest(tests: Iterable[str], many: int = MANY) -> list[str]:
    """Return how to run some tests, with a second process where there are many."""
    named = sorted(set(tests))
    return python("pytest", "-q", *(["-n", "2"] if len(named) >= many else []), *named)


def _style(plan: Plan) -> Iterator[tuple[Part, Why]]:
    scripts = {path for path in plan.style if path.endswith(BROWSER_CODE)}
    if files := sorted(plan.style - scripts):
        yield Part("style: ruff", python("ruff", "check", "--force-exclude", *files)), files
        command = python("ruff", "format", "--check", "--force-exclude", *files)
        yield Part("format: ruff", command), files
    if scripts:
        yield Part("style and format: Biome", python("site_checks.biome")), scripts


def _site(plan: Plan) -> Iterator[tuple[Part, Why]]:
    """Build the site if it is made of what has changed; open the pages that have."""
    tests = {*plan.site_tests, *(SITE_TESTS[:1] if plan.site else [])}
    tests = {test for test in tests if "::" not in test or test.partition("::")[0] not in tests}
    why = plan.site.union(*plan.site_tests.values())
    if tests:
        yield Part(SITE, ["make", "_build/site-ready"]), why
        yield Part("the built site", pytest(tests, many=3), after=(SITE,)), why


def _code(plan: Plan, since: str) -> Iterator[tuple[Part, Why]]:
    if plan.types:
        yield Part("types: mypy", python("mypy")), plan.types
    if plan.tests:
        yield Part(f"unit: {counted(plan.tests, 'test')}", pytest(plan.tests)), asked(plan.tests)
    if plan.proofs:
        command = python("changes.concerned_proofs", since)
        yield Part("proofs: their first cases", command), plan.proofs


def _notebooks(plan: Plan) -> Iterator[tuple[Part, Why]]:
    if plan.hygiene:
        rules = "tests/notebook_pipeline/test_notebooks.py"
        command = [*pytest([rules]), "-k", " or ".join(sorted(plan.hygiene))]
        yield Part("notebooks: their rules", command), plan.hygiene
    if plan.execute:
        run = python("notebook_pipeline.write_outputs", "--check", *sorted(plan.execute))
        name = f"notebooks: {counted(plan.execute, 'notebook')} run and compared"
        yield Part(name, [*python("machines.within", "AVX2", "--"), *run]), asked(plan.execute)


def asked(reasons: Reasons) -> set[str]:
    """Return the files that ask for any of these."""
    return set().union(*reasons.values())


def counted(things: Iterable[str], noun: str) -> str:
    """Return how many there are.

    >>> counted(["a"], "test"), counted(["a", "b"], "test")
    ('1 test', '2 tests')
    """
    number = len(list(things))
    return f"{number} {noun}{'' if number == 1 else 's'}"
