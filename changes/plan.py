"""What to check for some changed files: which tests, notebooks and pages they can break, and why.

A changed definition reaches whatever uses it; `changes.bystanders` says for which definitions a
file stands that is no Python. A sentence in a notebook needs no run of its code. What no rule
knows is checked by everything, and so is what configures everything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from changes.bystanders import BROWSER_CODE, may_be_run, places_of_file, that_name
from changes.definitions import EXAMPLES, outline_of
from changes.files import Change, module_at, source_in
from changes.graph import Graph, changed_places
from changes.pages import (
    give_each_page_its_exercises,
    prose_alone,
    prose_test,
    words_of_questions,
)
from proofs.bindings import Place

EVERYTHING = (
    *("pyproject.toml", "requirements", "constraints.txt", "biome.json"),
    *(".ci/", "tests/conftest.py"),
)
EVERY_PAGE = ("_config.yml", "_toc.yml", "book/references.bib", "site_builder/")
DOCUMENTS = (".md", ".cff", ".gitignore", ".gitattributes", "LICENSE", "LICENSE-CONTENT", "NOTICE")
OF_THE_SITE = (
    "book/",
    "qlearn/",
    "proofs/",
    "machines/",
    "api_status/",
    "notebook_pipeline/",
    "workshop/core_pages.py",
    "workshop/plans/",
    "workshop/archive/measured.",
    "workshop/hub/trial/table.py",
    "workshop/hub/trial/record.json",
    "workshop/lan/shared.py",
    "workshop/wrong_answers.py",
    *EVERY_PAGE,
)
WIDGETS = "qlearn/course/widgets/"
IN_PAGES = (WIDGETS, "qlearn/course/question/")  # what the build takes from qlearn to make a page
SITE_TESTS = (
    *(f"tests/site/test_{name}.py" for name in ("offline_site", "site_in_browser", "live_widget")),
    *(f"tests/site/test_{name}_in_browser.py" for name in ("terms", "keys")),
    *(f"tests/site/test_{name}.py" for name in ("lost_addresses", "search", "symptom_finder")),
    "tests/workshop/book_pdf/test_printed_book.py",
    "tests/workshop/slides/test_decks.py",
    "tests/workshop/editions/test_answer_key.py",
)
PAGE_TEST = f"{SITE_TESTS[1]}::test_a_page_has_no_problem"
FIRST_CASES = "tests/proofs/test_proofs.py::test_the_first_cases"
EXAMPLES_FILE = "tests/test_examples.py"
SIZE_TEST = "tests/test_house.py::test_a_function_fits_a_screen"

Reasons = defaultdict[str, set[str]]


def no_reasons() -> Reasons:
    """Return an empty table: to what is checked, the changed files that ask for it."""
    return defaultdict(set)


@dataclass
class Plan:
    """What to check, each with the changed files that ask for it.

    Attributes:
        style: files for the linters.
        types: for what the types are checked.
        tests: test files and single tests that need no site.
        proofs: for what the first cases of the proofs are run.
        hygiene: notebooks whose rules are checked.
        questions: words of the tests of a page's questions and exercises.
        execute: notebooks to run and compare.
        site: for what the site is built.
        site_tests: tests of the built site.
        everything: for what all is run.
        steps: from what has changed to the nearest definition in a file that uses it.
    """

    style: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    tests: Reasons = field(default_factory=no_reasons)
    proofs: set[str] = field(default_factory=set)
    hygiene: set[str] = field(default_factory=set)
    questions: Reasons = field(default_factory=no_reasons)
    execute: Reasons = field(default_factory=no_reasons)
    site: set[str] = field(default_factory=set)
    site_tests: Reasons = field(default_factory=no_reasons)
    everything: set[str] = field(default_factory=set)
    steps: dict[str, int] = field(default_factory=dict)


def plan_for(changes: list[Change], sources: dict[str, str], files: dict[str, str]) -> Plan:
    """Return what to check, given all Python, that of notebooks too, and the texts of others."""
    plan = Plan()
    graph = Graph(sources)
    give_each_page_its_exercises(graph)
    for change in changes:
        places = set(_places(change, graph, files))
        _add_by_kind(plan, change)
        if not places and _is_unknown(change.path):
            plan.everything.add(change.path)
        for place, steps in graph.reached_from(places).items():
            _add_reached(plan, change, graph, place, steps)
    return plan


def _add_by_kind(plan: Plan, change: Change) -> None:
    """Add what a file asks for by its kind and place."""
    path = change.path
    if change.new is not None and path.endswith((".py", ".ipynb", *BROWSER_CODE)):
        plan.style.add(path)
    if path.endswith(".py"):
        plan.types.add(path)
        if change.new is not None:
            plan.tests[SIZE_TEST].add(path)
    if path.startswith(EVERYTHING) or path.endswith("ruff.toml"):
        plan.everything.add(path)
    if path.startswith(OF_THE_SITE) and not shown_as_before(change):
        plan.site.add(path)
    if path.startswith(EVERY_PAGE):
        for test in SITE_TESTS:
            plan.site_tests[test].add(path)
    if path.startswith("book/") and path.endswith((".ipynb", ".md")):
        _add_page(plan, change)


def _add_page(plan: Plan, change: Change) -> None:
    """Add what a page of the book asks for; one that is gone, what it was asked."""
    path, there = change.path, change.new is not None
    if there:
        plan.site_tests[page_test(path)].add(path)
        plan.tests[prose_test(path)].add(path)
    if path.endswith(".ipynb"):
        runs = not (there and prose_alone(change))
        for word in words_of_questions(change) if runs else ():
            plan.questions[word].add(path)
        if there:
            plan.hygiene.add(path)
        if there and runs:
            plan.execute[path].add(path)


def _add_reached(plan: Plan, change: Change, graph: Graph, place: Place, steps: int) -> None:
    """Add the test, notebook or page that uses what has changed, so many steps away."""
    path = graph.paths.get(place.module, "")
    plan.steps[path] = min(steps, plan.steps.get(path, steps))
    file = path.rpartition("/")[2]
    if file.startswith("test_") and place.name.startswith("test_"):
        if place.name not in graph.modules[place.module]:
            return  # it was taken away, or has another name now
        test = f"{path}::{place.name}"
        if test == FIRST_CASES:
            plan.proofs.add(change.path)
        elif path not in SITE_TESTS:
            plan.tests[test].add(change.path)
        elif not shown_as_before(change):
            plan.site_tests[test].add(change.path)
    elif has_examples(graph, place) and path.endswith(".py"):
        plan.tests[examples_test(path)].add(change.path)
        plan.steps[EXAMPLES_FILE] = min(steps, plan.steps.get(EXAMPLES_FILE, steps))
    elif path.startswith("book/"):
        if change.path.startswith(WIDGETS):
            plan.site_tests[page_test(path)].add(change.path)
        if not change.path.endswith(BROWSER_CODE):
            plan.execute[path].add(change.path)


def shown_as_before(change: Change) -> bool:
    """Tell whether the reference is the same: it is all that the site shows of most of qlearn."""
    path = change.path
    if not (path.startswith("qlearn/") and path.endswith(".py")) or path.startswith(IN_PAGES):
        return False
    return outline_of(change.old or "") == outline_of(change.new or "")


def has_examples(graph: Graph, place: Place) -> bool:
    """Tell whether a place is the examples of a module that has some: words may have none."""
    return place.name == EXAMPLES and EXAMPLES in graph.modules.get(place.module, {})


def examples_test(path: str) -> str:
    """Return what runs the examples of a module: pytest itself in qlearn, elsewhere a test."""
    if path.startswith("qlearn/"):
        return path
    return f"{EXAMPLES_FILE}::test_the_examples_run[{path}]"


def page_test(path: str) -> str:
    """Return the test that opens the page of a notebook or document in a browser."""
    return f"{PAGE_TEST}[file-{path.rpartition('.')[0]}.html]"


def _places(change: Change, graph: Graph, files: dict[str, str]) -> Iterator[Place]:
    """Yield the definitions that a changed file stands for."""
    if module := module_at(change.path):
        old, new = (source_in(change.path, text) for text in (change.old, change.new))
        changed = changed_places(module, old, new)
        yield from changed
        if changed and may_be_run(change.path):
            yield from that_name(change.path, graph, files)
        if change.new is None:
            yield Place(module.rpartition(".")[0], "")
    if not change.path.endswith(".py"):
        yield from places_of_file(change.path, graph, files)


def _is_unknown(path: str) -> bool:
    """Tell whether no rule says what a file is for."""
    known_text = path.endswith(DOCUMENTS) or path.startswith(EVERY_PAGE)
    return not (module_at(path) or known_text)
