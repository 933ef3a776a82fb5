"""The commands that check what a plan names, each with the files that ask for it."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable, Iterator, Mapping

from changes.bystanders import BROWSER_CODE
from changes.plan import SITE_TESTS, Plan
from environment.side_by_side import Part

SITE = "the site: the pages that changed"
# Each has cases for a notebook, under its path.
NOTEBOOK_TESTS = (
    "tests/notebook_pipeline/test_notebooks.py",
    "tests/site/test_reading_time.py",
)
# Their tests, each of which has a page's name in brackets, or that of an exercise.
QUESTION_TESTS = ("tests/book/test_questions.py", "tests/course/exercises/test_chapters.py")
MANY = 25  # tests, from which on a second process is worth its start
LEFT = (
    "Left to `make test`: the notebooks on two more kinds of processor, the pages over http, the "
    "site's tests of what functions compute, and what nothing here reaches."
)
LIMITED = (
    "The nearest to the change come first. After {limit:g} seconds no test or proof starts, and no "
    "notebook but those that were edited. To give it ten minutes: make check LIMIT=600"
)
ALL = ("lint", "types", "unit", "notebooks-anew", "site-test")

Why = Iterable[str]


def parts_of(plan: Plan, since: str) -> list[tuple[Part, str]]:
    """Return the parts in the order in which they start, each with its reason in words."""
    if plan.everything:
        why = in_words(plan.everything) + ", which everything may depend on"
        names = ALL if plays_a_laptop() else [name.removesuffix("-anew") for name in ALL]
        return [(Part(f"make {name}", ["make", name]), why) for name in names]
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
    """Return how to run some tests in order, with a second process where there are many."""
    named = list(dict.fromkeys(tests))
    # In small pieces: a worker that is given its half at once comes to the near ones last.
    both = ["-n", "2", "--maxschedchunk", "4"] if len(named) >= many else []
    return python("pytest", "-q", "-p", "changes.deadline", *both, *named)


def nearest_first(names: Iterable[str], steps: Mapping[str, int]) -> list[str]:
    """Return tests or notebooks in order: first what is the fewest steps from the change.

    >>> nearest_first(["a.py::test_it", "b.py::test_it", "c.ipynb"], {"a.py": 2, "b.py": 1})
    ['c.ipynb', 'b.py::test_it', 'a.py::test_it']
    """
    return sorted(names, key=lambda name: (steps.get(name.partition("::")[0], 0), name))


def _style(plan: Plan) -> Iterator[tuple[Part, Why]]:
    scripts = {path for path in plan.style if path.endswith(BROWSER_CODE)}
    if files := sorted(plan.style - scripts):
        yield Part("style: ruff", python("ruff", "check", "--force-exclude", *files)), files
        command = python("ruff", "format", "--check", "--force-exclude", *files)
        hint = f"Run: .venv/bin/ruff format {' '.join(files)}"
        yield Part("format: ruff", command, hint=hint), files
    if scripts:
        yield Part("style and format: Biome", python("site_checks.biome")), scripts


def _site(plan: Plan) -> Iterator[tuple[Part, Why]]:
    """Build the site if it is made of what has changed; open the pages that have."""
    tests = {*plan.site_tests, *(SITE_TESTS[:1] if plan.site else [])}
    tests = {test for test in tests if "::" not in test or test.partition("::")[0] not in tests}
    why = plan.site.union(*plan.site_tests.values())
    if tests:
        yield Part(SITE, ["make", "site-changed"], quiet=True), why
        yield Part("the built site", pytest(sorted(tests), many=3), after=(SITE,)), why


def _code(plan: Plan, since: str) -> Iterator[tuple[Part, Why]]:
    if plan.types:
        yield Part("types: mypy", python("mypy")), plan.types
    if plan.tests:
        tests = nearest_first(plan.tests, plan.steps)
        name = f"unit: all cases of {counted(tests, 'test')}"
        yield Part(name, pytest(tests)), asked(plan.tests)
    if plan.proofs:
        command = python("changes.concerned_proofs", since)
        yield Part("proofs: their first cases", command), plan.proofs


def _notebooks(plan: Plan) -> Iterator[tuple[Part, Why]]:
    if plan.hygiene:
        command = [*pytest(NOTEBOOK_TESTS), "-k", " or ".join(sorted(plan.hygiene))]
        yield Part("notebooks: their rules", command), plan.hygiene
    if plan.questions:
        command = [*pytest(QUESTION_TESTS), "-k", " or ".join(sorted(plan.questions))]
        yield Part("notebooks: their questions and exercises", command), asked(plan.questions)
    within = python("machines.within", "AVX2", "--") if plan.execute and plays_a_laptop() else []
    # One whose code changed has a kernel that starts anew, which lacks what it does not import.
    changed = {path for path, why in plan.execute.items() if path in why}
    if changed:
        run = python("notebook_pipeline.write_outputs", "--check", *sorted(changed))
        yield Part(f"notebooks: {counted(changed, 'notebook')} run anew", [*within, *run]), changed
    if others := nearest_first(plan.execute.keys() - changed, plan.steps):
        run = python("notebook_pipeline.check_in_forks", *others)
        name = f"notebooks: {counted(others, 'notebook')} run and compared"
        yield Part(name, [*within, *run]), asked({path: plan.execute[path] for path in others})


def plays_a_laptop() -> bool:
    """Tell whether this machine can play the laptop that has AVX2 and nothing newer."""
    import torch  # which takes seconds, and a plan without notebooks does not ask it

    from machines.classes import OWN, targets

    return targets(torch.cpu.get_capabilities(), platform.system()) != [OWN]


def asked(reasons: Mapping[str, set[str]]) -> set[str]:
    """Return the files that ask for any of these."""
    return set().union(*reasons.values())


def counted(things: Iterable[str], noun: str) -> str:
    """Return how many there are.

    >>> counted(["a"], "test"), counted(["a", "b"], "test")
    ('1 test', '2 tests')
    """
    number = len(list(things))
    return f"{number} {noun}{'' if number == 1 else 's'}"
