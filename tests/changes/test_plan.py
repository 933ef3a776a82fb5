"""What a change selects, in a small repository: this, and nothing else."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from changes.commands import nearest_first
from changes.files import Change, Checkout, NoSuchCommitError
from changes.graph import Graph
from changes.pages import TABLES_TEST, prose_test
from changes.plan import (
    OF_THE_SITE,
    SITE_TESTS,
    SIZE_TEST,
    Plan,
    examples_test,
    page_test,
    plan_for,
)
from proofs.bindings import Place, imported

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PAGES = {
    "one": "from qlearn import double\nprint(double(2))",
    "two": "from qlearn.course.widgets.dial import Dial\nDial()",
    "three": "from qlearn.course import check\ncheck('three')",
    "four": "from qlearn.course import check\ncheck('four')",
}
FILES = {
    "qlearn/__init__.py": "from qlearn.numbers.double import double\n__all__ = ['double']\n",
    "qlearn/numbers/__init__.py": "",
    "qlearn/numbers/double.py": """
STEP = 2

def double(x):
    '''Return 2 x.

    >>> double(3)
    6
    '''
    return STEP * x

def half(x):
    '''Return half of it.'''
    return x / 2
""",
    "qlearn/course/__init__.py": "from qlearn.course.exercises import check\n",
    "qlearn/course/digits/__init__.py": "",
    "qlearn/course/digits/load.py": "DATA = 'digits.npz'\n\ndef load():\n    return open(DATA)\n",
    "qlearn/course/digits/digits.npz": "numbers",
    "qlearn/course/digits/net.npz": "weights, by a name that is put together",
    "qlearn/course/widgets/__init__.py": "",
    "qlearn/course/widgets/dial/__init__.py": "class Dial:\n    pass\n",
    "qlearn/course/widgets/dial/dial.js": 'import { arc } from "../shared/arc.js";\n',
    "qlearn/course/widgets/dial/dial.css": "",
    "qlearn/course/widgets/other/__init__.py": "class Other:\n    pass\n",
    "qlearn/course/widgets/shared/arc.js": "export const arc = 1;\n",
    "tests/conftest.py": """
import pytest
from qlearn.numbers.double import half

@pytest.fixture
def halved():
    return half(8)
""",
    "tests/numbers/test_double.py": """
from qlearn import double
from qlearn.numbers.double import half

def test_double():
    assert double(2) == 4

def test_half():
    assert half(4) == 2

def test_fixture(halved):
    assert halved == 4
""",
    "tests/test_public_api.py": """
import qlearn

def test_all():
    for name in qlearn.__all__:
        assert getattr(qlearn, name).__doc__

def test_one():
    assert qlearn.double.__name__ == 'double'
""",
    "tests/digits/test_load.py": """
from qlearn.course.digits.load import load

def test_load():
    assert load()
""",
    "tests/widgets/test_dial.py": """
from qlearn.course.widgets.dial import Dial

def test_dial():
    assert Dial()

def test_script():
    assert 'compare.mjs'
""",
    "tests/widgets/test_other.py": """
from qlearn.course.widgets.other import Other

def test_other():
    assert Other()
""",
    "tests/widgets/compare.mjs": "",
    "tests/proofs/test_proofs.py": """
import pytest
from proofs.twice import case

@pytest.mark.parametrize('one', [case])
def test_the_first_cases(one):
    one()
""",
    "tests/site/test_site_in_browser.py": """
def test_a_page_has_no_problem():
    from site_checks.look import look
    look()

def test_a_page_shows_the_double():
    from qlearn import double
    assert double(2) == 4
""",
    "proofs/__init__.py": "",
    "proofs/twice.py": "from qlearn import double\n\ndef case():\n    return double(1), 2\n",
    "site_checks/look.py": "def look():\n    '''Look.'''\n    pass\n",
    "site_checks/count.py": """
def count():
    '''Count.

    >>> count()
    3
    '''
    return 3
""",
    "site_checks/run.py": "import sys\n\nPLACE = sys.argv[1]\n",
    "site_checks/hooks/before_all.py": "ONE = 1\n",
    "tests/site/test_run.py": """
import sys

def test_run():
    assert [sys.executable, 'run.py', 'biome.json', 'ruff.toml']

def test_hook():
    assert 'from before_all import ONE'
""",
    "qlearn/course/exercises/__init__.py": "from qlearn.course.exercises.check import check\n",
    "qlearn/course/exercises/check.py": """
from importlib import import_module

def check(name):
    return import_module('qlearn.course.exercises.catalogue').EXERCISES
""",
    "qlearn/course/exercises/chapters/__init__.py": """
from pkgutil import iter_modules

PAGES = [page.name for page in iter_modules(__path__)]
""",
    "qlearn/course/exercises/catalogue.py": """
from qlearn.course.exercises.chapters import PAGES

EXERCISES = PAGES
""",
    "qlearn/course/exercises/chapters/three.py": """
from qlearn.numbers.third import third

EXERCISES = [third]
""",
    "qlearn/numbers/third.py": "def third(x):\n    return x / 3\n",
    "tests/course/exercises/test_chapters.py": """
from qlearn.course.exercises.chapters import PAGES

def test_right():
    assert PAGES
""",
    "tests/book/one_answers.py": "WRONG = [1]\n",
    "tests/book/test_questions.py": """
from importlib import import_module
from pathlib import Path

TABLES = [import_module(f"tests.book.{path.stem}") for path in Path().glob('*')]

def test_answers():
    assert TABLES

def test_alone():
    assert f"tests.other.{Path()}" and f"{Path()}tests.book."
""",
    "site_builder/static/looks.css": "",
    "book/hello.md": "# Hello\n",
    "_config.yml": "",
    "pyproject.toml": "",
    "README.md": "",
    "data.xyz": "",
}


def notebook(code: str, prose: str = "A sentence.", output: str = "4\n") -> str:
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": [prose]},
        {
            "cell_type": "code",
            "id": "b",
            "metadata": {},
            "source": [code],
            "outputs": [{"output_type": "stream", "text": [output]}],
        },
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def git(root: Path, *arguments: str) -> None:
    names = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *names, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small repository with one commit."""
    root = tmp_path_factory.mktemp("repository")
    files = FILES | {f"book/{name}.ipynb": notebook(code) for name, code in PAGES.items()}
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "All")
    return root


@pytest.fixture
def root(template: Path) -> Path:
    """The repository as committed."""
    git(template, "checkout", "-q", "-f", "main")
    git(template, "clean", "-q", "-f", "-d")
    return template


def edit(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text(encoding="utf-8")
    assert old in text
    (root / path).write_text(text.replace(old, new), encoding="utf-8")


def planned(root: Path, since: str = "HEAD") -> Plan:
    checkout = Checkout(root)
    return plan_for(checkout.changes(since), checkout.sources(), checkout.others())


def names(plan: Plan) -> set[str]:
    """Return the tests, but for the one that each Python file asks for."""
    tests = plan.tests.keys() - {SIZE_TEST}
    return {test.rpartition("::")[2].rpartition("/")[2] for test in tests}


def only(plan: Plan, **expected: object) -> None:
    """Assert that a plan has this, and nothing else."""
    found = {
        "style": {path.rpartition("/")[2] for path in plan.style},
        "types": bool(plan.types),
        "tests": names(plan),
        "proofs": bool(plan.proofs),
        "hygiene": {path.rpartition("/")[2] for path in plan.hygiene},
        "questions": set(plan.questions),
        "execute": {path.rpartition("/")[2] for path in plan.execute},
        "site": bool(plan.site),
        "pages": set(plan.site_tests),
        "everything": plan.everything,
    }
    assert {key: value for key, value in found.items() if value} == expected


def test_a_sentence_asks_for_its_page_and_rules_and_runs_nothing(root: Path) -> None:
    edit(root, "book/one.ipynb", "A sentence.", "Another sentence.")
    only(
        planned(root),
        style={"one.ipynb"},
        tests={"test_a_page_keeps_the_rules_of_prose[one.ipynb]"},
        hygiene={"one.ipynb"},
        site=True,
        pages={page_test("book/one.ipynb")},
    )
    assert set(planned(root).tests) == {prose_test("book/one.ipynb")}


def test_a_document_asks_for_its_page_and_the_rules_of_prose(root: Path) -> None:
    edit(root, "book/hello.md", "Hello", "Welcome")
    page = {page_test("book/hello.md")}
    prose = {"test_a_page_keeps_the_rules_of_prose[hello.md]"}
    only(planned(root), tests=prose, site=True, pages=page)


@pytest.mark.parametrize(("old", "new"), [("double(2)", "double(3)"), ("4\\n", "5\\n")])
def test_code_and_outputs_of_a_notebook_are_run(root: Path, old: str, new: str) -> None:
    edit(root, "book/one.ipynb", json.dumps(old)[1:-1].replace("\\\\", "\\"), new)
    assert set(planned(root).execute) == {"book/one.ipynb"}
    assert set(planned(root).questions) == {TABLES_TEST, "[one]"}


def test_a_notebook_asks_for_the_tests_of_the_exercises_that_it_has_or_had(root: Path) -> None:
    edit(root, "book/one.ipynb", "double(2)", "check('now', double)")
    git(root, "commit", "-q", "-a", "-m", "An exercise")
    edit(root, "book/one.ipynb", "'now'", "'then'")
    words = set(planned(root).questions)
    git(root, "reset", "-q", "--hard", "HEAD^")
    assert words == {TABLES_TEST, "[one]", "[now", "[then"}


def test_a_page_that_is_gone_asks_for_its_questions_alone(root: Path) -> None:
    (root / "book/one.ipynb").unlink()
    plan = planned(root)
    assert set(plan.questions) == {TABLES_TEST, "[one]"}
    assert not plan.tests and not plan.hygiene and not plan.site_tests and not plan.execute


def test_a_function_asks_for_what_uses_it(root: Path) -> None:
    edit(root, "qlearn/numbers/double.py", "return STEP * x", "return x * STEP")
    only(
        planned(root),
        style={"double.py"},
        types=True,
        tests={"test_double", "test_all", "test_one", "double.py"},
        proofs=True,
        execute={"one.ipynb"},
    )


def test_a_signature_asks_for_what_the_site_shows_of_it(root: Path) -> None:
    edit(root, "qlearn/numbers/double.py", "def double(x)", "def double(x, y=1)")
    plan = planned(root)
    assert plan.site
    assert set(plan.site_tests) == {f"{SITE_TESTS[1]}::test_a_page_shows_the_double"}


def test_a_constant_asks_for_what_uses_it(root: Path) -> None:
    edit(root, "qlearn/numbers/double.py", "STEP = 2", "STEP = 3")
    assert set(planned(root).execute) == {"book/one.ipynb"}


def test_another_function_asks_for_its_own_tests_and_fixtures(root: Path) -> None:
    edit(root, "qlearn/numbers/double.py", "x / 2\n", "x * 0.5\n")
    plan = planned(root)
    assert names(plan) == {"test_half", "test_fixture"}
    assert not plan.execute and not plan.proofs


def test_a_docstring_asks_for_its_examples_and_for_what_reads_the_whole(root: Path) -> None:
    edit(root, "qlearn/numbers/double.py", "Return 2 x.", "Double a number.")
    plan = planned(root)
    assert names(plan) == {"double.py", "test_all"}
    assert not plan.execute and not plan.proofs


def test_examples_outside_qlearn_have_a_test_of_their_own(root: Path) -> None:
    edit(root, "site_checks/count.py", "return 3", "return 2 + 1")
    one = examples_test("site_checks/count.py")
    plan = planned(root)
    assert set(plan.tests) == {one, SIZE_TEST}
    assert nearest_first(["far.py", one], {"far.py": 9, **plan.steps})[0] == one


def test_a_docstring_without_examples_asks_for_none(root: Path) -> None:
    edit(root, "site_checks/look.py", "Look.", "Look at it.")
    only(planned(root), style={"look.py"}, types=True)
    edit(root, "site_checks/count.py", "    >>> count()\n    3\n", "")
    assert not names(planned(root))


def test_a_comment_asks_for_style_and_types(root: Path) -> None:
    edit(root, "qlearn/numbers/double.py", "STEP = 2", "STEP = 2  # of course")
    only(planned(root), style={"double.py"}, types=True)
    edit(root, "site_checks/run.py", "argv[1]", "argv[1]  # of course")
    only(planned(root), style={"double.py", "run.py"}, types=True)


def test_a_python_file_asks_for_the_test_of_its_size_while_it_is_there(root: Path) -> None:
    edit(root, "site_checks/look.py", "pass", "return 1")
    assert SIZE_TEST in planned(root).tests
    (root / "site_checks/look.py").unlink()
    assert SIZE_TEST not in planned(root).tests


def test_a_file_that_is_run_by_its_path_asks_for_what_names_it(root: Path) -> None:
    edit(root, "site_checks/run.py", "argv[1]", "argv[2]")
    only(planned(root), style={"run.py"}, types=True, tests={"test_run"})


def test_a_file_in_no_package_asks_for_programs_that_import_it(root: Path) -> None:
    edit(root, "site_checks/hooks/before_all.py", "1", "2")
    only(planned(root), style={"before_all.py"}, types=True, tests={"test_hook"})


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("numbers/double.py", "Return 2 x.", "Double a number."),
        ("numbers/double.py", "def double(x)", "def double(x, y=1)"),
        ("numbers/double.py", "STEP = 2", "STEP = 3"),
        ("course/widgets/dial/__init__.py", "pass", "pass  # a widget is drawn by the build"),
    ],
)
def test_what_the_reference_or_the_build_takes_asks_for_the_site(
    root: Path, file: str, old: str, new: str
) -> None:
    edit(root, f"qlearn/{file}", old, new)
    assert planned(root).site


def test_a_file_is_as_far_as_its_nearest_definition(root: Path) -> None:
    edit(root, "qlearn/numbers/double.py", "return STEP * x", "return x * STEP")
    steps = planned(root).steps
    assert steps["qlearn/numbers/double.py"] == 0
    assert steps["tests/numbers/test_double.py"] == steps["book/one.ipynb"] > 0


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("course/exercises/chapters/three.py", "[third]", "[third, 3]"),
        ("numbers/third.py", "x / 3", "x / 3.0"),
    ],
    ids=["the exercise", "what it calls"],
)
def test_an_exercise_asks_for_its_own_page(root: Path, path: str, old: str, new: str) -> None:
    edit(root, f"qlearn/{path}", old, new)
    plan = planned(root)
    assert set(plan.execute) == {"book/three.ipynb"} and names(plan) == {"test_right"}


def test_a_table_asks_for_the_tests_that_import_it_by_its_folder(root: Path) -> None:
    edit(root, "tests/book/one_answers.py", "1", "2")
    only(planned(root), style={"one_answers.py"}, types=True, tests={"test_answers"})


def test_a_test_asks_for_itself(root: Path) -> None:
    edit(root, "tests/numbers/test_double.py", "half(4) == 2", "half(6) == 3")
    only(planned(root), style={"test_double.py"}, types=True, tests={"test_half"})


def test_a_test_with_another_name_is_asked_for_by_that_alone(root: Path) -> None:
    edit(root, "tests/numbers/test_double.py", "def test_half(", "def test_a_half(")
    only(planned(root), style={"test_double.py"}, types=True, tests={"test_a_half"})


def files_that_need_the_site() -> set[str]:
    """Return the test files that take the site as it was built, whatever they do with it."""
    texts = {path: path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py")}
    takes = re.compile(r"import .*\bbuilt_site\b")
    return {path.relative_to(ROOT).as_posix() for path, text in texts.items() if takes.search(text)}


def test_the_makefile_and_the_plan_agree_on_what_needs_the_site() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    listed = makefile.partition("SITE_TESTS := ")[2].partition("\nNOTEBOOKS")[0]
    assert sorted(listed.replace("\\", "").split()) == sorted(SITE_TESTS)
    assert SITE_TESTS[0] in files_that_need_the_site() <= set(SITE_TESTS)


def test_a_test_of_a_page_waits_for_the_site(root: Path) -> None:
    edit(root, "site_checks/look.py", "pass", "return 1")
    pages = {f"{SITE_TESTS[1]}::test_a_page_has_no_problem"}
    only(planned(root), style={"look.py"}, types=True, pages=pages)


def test_a_name_that_is_gone_is_noticed_where_it_is_imported(root: Path) -> None:
    edit(root, "qlearn/numbers/double.py", "def half", "def third")
    assert {"test_half", "test_fixture"} <= names(planned(root))
    (root / "qlearn/numbers/double.py").unlink()
    assert {"test_double", "test_half", "test_fixture"} <= names(planned(root))


@pytest.mark.parametrize("file", ["dial.js", "dial.css"])
def test_a_script_asks_for_the_tests_and_pages_of_its_widget(root: Path, file: str) -> None:
    edit(root, f"qlearn/course/widgets/dial/{file}", "", "/* more */")
    only(
        planned(root),
        style={file},
        tests={"test_dial"},
        site=True,
        pages={page_test("book/two.ipynb")},
    )


def test_a_script_asks_for_the_widgets_that_import_it(root: Path) -> None:
    edit(root, "qlearn/course/widgets/shared/arc.js", "1", "2")
    plan = planned(root)
    assert "test_dial" in names(plan)
    assert set(plan.site_tests) == {page_test("book/two.ipynb")}


def test_a_script_of_a_test_asks_for_the_test_that_names_it(root: Path) -> None:
    edit(root, "tests/widgets/compare.mjs", "", "// more")
    only(planned(root), style={"compare.mjs"}, tests={"test_script"})


@pytest.mark.parametrize("file", ["digits.npz", "net.npz"])
def test_data_asks_for_what_names_it_or_for_its_package(root: Path, file: str) -> None:
    edit(root, f"qlearn/course/digits/{file}", "", "more")
    only(planned(root), tests={"test_load"}, site=True)


@pytest.mark.parametrize("path", ["_config.yml", "site_builder/static/looks.css"])
def test_what_makes_every_page_asks_for_all_tests_of_the_site(root: Path, path: str) -> None:
    edit(root, path, "", "x: 1")
    plan = planned(root)
    assert set(plan.site_tests) == set(SITE_TESTS)
    assert plan.site and not plan.tests and not plan.execute and not plan.everything


@pytest.mark.parametrize(
    "path",
    [
        *("pyproject.toml", "data.xyz", "requirements-new.txt"),
        *("biome.json", "site_checks/ruff.toml"),
    ],
)
def test_configuration_and_the_unknown_ask_for_everything(root: Path, path: str) -> None:
    (root / path).write_text("something else", encoding="utf-8")
    assert planned(root).everything == {path}


def test_a_document_beside_the_book_asks_for_nothing(root: Path) -> None:
    edit(root, "README.md", "", "More words.")
    only(planned(root))


def test_a_branch_is_compared_with_where_it_left(root: Path) -> None:
    git(root, "checkout", "-q", "-b", "topic")
    edit(root, "book/hello.md", "Hello", "Welcome")
    git(root, "commit", "-q", "-a", "-m", "Topic")
    assert Checkout(root).changes() == []
    assert Checkout(root).changes("main") == [Change("book/hello.md", "# Hello\n", "# Welcome\n")]
    git(root, "branch", "-q", "-m", "topic-done")
    git(root, "checkout", "-q", "main")
    git(root, "branch", "-q", "-D", "topic-done")


def test_an_unknown_commit_gets_a_sentence(root: Path) -> None:
    with pytest.raises(NoSuchCommitError, match="SINCE=nowhere: git finds no commit"):
        Checkout(root).changes("nowhere")


A_WHOLE = {
    "a/__init__.py": "",
    "a/b.py": "import os\n\ndef f():\n    pass\n",
    "uses/directory.py": "import a.b\n\ndef user():\n    return dir(a.b)\n",
    "uses/part.py": "import a\n\ndef user():\n    return a.b.f\n",
    "uses/package.py": "import a\n\ndef user():\n    return pkgutil.iter_modules(a.__path__)\n",
    "uses/option.py": "def user():\n    return run('-m', 'a.b')\n",
    "uses/script.py": "def user():\n    return 'x = 1; from a.b import f'\n",
    "uses/neither.py": "import a\n\ndef user(f):\n    return a, f\n",
}


def test_ways_to_use_a_function_unseen() -> None:
    graph = Graph(A_WHOLE)
    reached = graph.reached_from([Place("a.b", "f")])
    users = {place.module for place in reached if place.name == "user"}
    ways = ("directory", "part", "package", "option", "script")
    assert users == {f"uses.{way}" for way in ways}


OWN = {path.parent.name for path in ROOT.glob("*/__init__.py")}
WHOLE = ("qlearn/", "proofs/", "machines/", "api_status/")  # all of them are the site's


def imported_by(path: Path) -> set[Path]:
    """Return the files of this repository that a module imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [(f"{module}.{there}", module) for _, module, there in imported(tree)]
    return {file for both in names if (file := next(files_of(*both), None))}


def files_of(*modules: str) -> Iterator[Path]:
    """Yield the files that these modules have in this repository."""
    for module in modules:
        path = ROOT / module.replace(".", "/")
        if path.relative_to(ROOT).parts[0] in OWN:
            yield from filter(Path.is_file, (path.with_suffix(".py"), path / "__init__.py"))


def test_what_the_site_is_made_of_are_all_files_that_it_imports() -> None:
    waiting, seen = list((ROOT / "site_builder").rglob("*.py")), set[Path]()
    while waiting:
        path = waiting.pop()
        if path not in seen and not path.relative_to(ROOT).as_posix().startswith(WHOLE):
            waiting += imported_by(path)
        seen.add(path)
    names = {path.relative_to(ROOT).as_posix() for path in seen}
    assert "workshop/wrong_answers.py" in names and "notebook_pipeline/cells.py" in names
    assert {name for name in names if not name.startswith(OF_THE_SITE)} == set()
    (listed,) = re.findall(
        r"SITE_SOURCES := \$\(sort \$\(shell find (.*?) -name", MAKEFILE, re.DOTALL
    )
    assert {name for name in names if not name.startswith(tuple(listed.split()))} == set()
