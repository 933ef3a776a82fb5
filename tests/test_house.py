"""What a stranger meets first: the citation, workflows, forms for issues, and short functions."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import check_jsonschema
import pytest
import yaml
from click.testing import CliRunner

ROOT = Path(__file__).resolve().parents[1]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted((GITHUB / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
# Of a function's body; docstring, comments and empty lines are not counted. For JavaScript,
# biome.json says the same.
MOST_LINES = 30
BESIDE_MAKE = {"uses", "with", "name"}  # what a step may have that runs no make target
SCHEMAS = {
    "github-workflows": WORKFLOWS,
    "github-issue-forms": FORMS,
    "github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "citation-file-format": [ROOT / "CITATION.cff"],
}


def breaches(schema: str, *paths: Path) -> str:
    """Return what the schema of that name, which check-jsonschema brings, says against files."""
    arguments = ["--builtin-schema", f"vendor.{schema}", *map(str, paths)]
    done = CliRunner().invoke(check_jsonschema.main, arguments)
    return "" if done.exit_code == 0 else f"{done.output}{done.exception!r}"


def targets(makefile: str) -> set[str]:
    """Return the targets that a Makefile tells of in its help."""
    return set(re.findall(r"^([a-z0-9-]+):.*## ", makefile, re.MULTILINE))


def strange_steps(workflow: dict[str, Any], makefile: str) -> list[str]:
    """Return what the steps of a workflow run that is no make target."""
    known = targets(makefile)
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    runs = [step["run"] for step in steps if not set(step) <= BESIDE_MAKE]
    made = (re.fullmatch(r"make ([a-z0-9-]+)( [A-Z]+=\S+)*", run) for run in runs)
    return [run for run, make in zip(runs, made, strict=True) if not make or make[1] not in known]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_keep_their_schema(schema: str) -> None:
    assert SCHEMAS[schema] and breaches(schema, *SCHEMAS[schema]) == ""


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        ("github-workflows", "runs-on:", "run-on:"),
        ("github-issue-forms", "type: textarea", "type: text"),
        ("citation-file-format", "Apache-2.0", "Apache"),
    ],
    ids=lambda word: word.partition(":")[0],
)
def test_a_broken_file_is_noticed(schema: str, right: str, wrong: str, tmp_path: Path) -> None:
    path = SCHEMAS[schema][0]
    broken = tmp_path / path.name
    text = path.read_text()
    assert right in text
    broken.write_text(text.replace(right, wrong))
    assert "error" in breaches(schema, broken)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_the_steps_of_a_workflow_are_make_targets(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text())
    assert strange_steps(workflow, (ROOT / "Makefile").read_text()) == []


@pytest.mark.parametrize("run", ["make bok", "pip install torch", "make book && make test"])
def test_another_step_is_noticed(run: str) -> None:
    steps = [{"uses": "actions/checkout@v4"}, {"run": "make book"}, {"run": run}]
    workflow = {"jobs": {"one": {"steps": steps}}}
    assert strange_steps(workflow, "book: ready ## the site\ntest: ## all\n") == [run]


def test_a_container_begins_with_a_make_target() -> None:
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    workflow = {"jobs": {"container": {"steps": [{"run": container["postCreateCommand"]}]}}}
    assert strange_steps(workflow, (ROOT / "Makefile").read_text()) == []


def test_citation_and_package_tell_the_same() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    package = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    book = yaml.safe_load((ROOT / "_config.yml").read_text())
    assert citation["title"] == book["title"]
    assert citation["version"] == package["version"]
    authors = [author["name"] for author in package["authors"]]
    assert [author["name"] for author in citation["authors"]] == authors == [book["author"]]
    repository = package.get("urls", {}).get("Repository")
    assert citation.get("repository-code") == repository, "set both, or none"


def test_each_folder_with_others_work_is_named_in_the_notice() -> None:
    notice = (ROOT / "NOTICE").read_text()
    kept = [ROOT / "site_builder", ROOT / "qlearn", ROOT / "workshop"]
    licences = [path for folder in kept for path in folder.rglob("*LICENSE")]
    folders = {path.parent.relative_to(ROOT).as_posix() + "/" for path in licences}
    assert folders, "KaTeX's licence lies beside KaTeX, at the least"
    assert [folder for folder in sorted(folders) if folder not in notice] == []


def long_functions(source: str) -> Iterator[str]:
    """Yield the functions of a module whose bodies have too many lines."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[ast.get_docstring(node, clean=False) is not None :]
            first = body[0].lineno if body else node.end_lineno
            assert first is not None and node.end_lineno is not None
            code = [line.strip() for line in lines[first - 1 : node.end_lineno]]
            count = sum(bool(line) and not line.startswith("#") for line in code)
            if count > MOST_LINES:
                yield f"{node.name} has {count} lines: name its parts"


def test_a_function_fits_a_screen() -> None:
    ours = [path for folder in ROOT.glob("[!._]*/") for path in folder.rglob("*.py")]
    assert {ROOT / "qlearn/numbers/quantize.py", ROOT / "tests/test_house.py"} <= set(ours)
    long = {str(p.relative_to(ROOT)): list(long_functions(p.read_text("utf-8"))) for p in ours}
    assert {path: found for path, found in long.items() if found} == {}


def test_a_function_of_one_line_too_many_is_named() -> None:
    body = '    """What it does."""\n    # why\n\n' + "    x = 1\n" * 30
    assert list(long_functions(f"def f(x):\n{body}")) == []
    assert list(long_functions(f"def f(x):\n{body}    return x\n")) == [
        "f has 31 lines: name its parts"
    ]
