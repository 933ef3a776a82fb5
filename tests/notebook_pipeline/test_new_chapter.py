"""A new chapter begins green: from the template, by the recipe of CONTRIBUTING.md."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from sphinx_external_toc.parsing import parse_toc_yaml

from machines.rules import RULES as MACHINE_RULES
from notebook_pipeline.new_chapter import TEMPLATE, ChapterError, begin, chapters, with_chapter
from notebook_pipeline.notebook_rules import RULES

ROOT = Path(__file__).resolve().parents[2]
TOC = """\
format: jb-book
root: book/intro
parts:
  - caption: Numbers
    chapters:
      - file: book/numbers/first # where to begin
      - file: book/numbers/second
        sections:
          - file: book/numbers/second_to_the_bit
  - caption: Reference
    chapters:
      - file: book/notation
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder with what a chapter is added to."""
    (tmp_path / "book" / "numbers").mkdir(parents=True)
    (tmp_path / "_toc.yml").write_text(TOC)
    (tmp_path / "book" / "notation.md").touch()
    return tmp_path


def run(folder: Path, *module: str) -> str:
    """Run a module of the copy; where it fails, so does the test, with its words."""
    done = subprocess.run(
        [sys.executable, "-m", *module],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("rule", RULES + MACHINE_RULES, ids=lambda rule: rule.__name__)
def test_the_template_keeps(rule) -> None:
    assert list(rule(nbformat.read(TEMPLATE, as_version=4))) == []


def test_the_recipe_ends_in_a_green_check(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    unwanted = shutil.ignore_patterns(".*", "_build", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT, copy, ignore=unwanted)
    # A name that no contributor takes: the copy has the chapters that are being written, too.
    printed = run(copy, "notebook_pipeline.new_chapter", "made_by_a_test", "numbers")
    chapter = "book/numbers/made_by_a_test"
    assert f"{chapter}.ipynb has begun" in printed
    # Each output, executed; each rule for notebooks; and the site's own reading of the contents.
    run(copy, "notebook_pipeline.write_outputs", "--check", f"{chapter}.ipynb")
    rules = ("tests/notebook_pipeline/test_notebooks.py", "-q", "-k", "made_by_a_test")
    assert f"{len(RULES + MACHINE_RULES) + 2} passed" in run(copy, "pytest", *rules)
    run(copy, "ruff", "check", f"{chapter}.ipynb")
    run(copy, "ruff", "format", "--check", f"{chapter}.ipynb")
    assert chapter in parse_toc_yaml(copy / "_toc.yml")


def test_a_chapter_comes_last_in_its_part_and_the_rest_stays() -> None:
    text = with_chapter(TOC, "numbers", "third")
    assert chapters(text, "numbers")[-1] == "book/numbers/third"
    added = "      - file: book/numbers/third\n"
    assert text.replace(added, "") == TOC and text.index(added) < text.index("Reference")


def test_title_and_names_are_the_chapters_own(checkout: Path) -> None:
    text = begin("half_a_step", "numbers", checkout).read_text()
    assert "# Half a step\\n" in text and "fig-half-a-step-steps" in text
    assert "template" not in text.casefold()


@pytest.mark.parametrize("name", ["", "Third", "3rd", "the-third", "../third", "a__b", "third.md"])
def test_a_name_that_is_none_is_named(name: str, checkout: Path) -> None:
    with pytest.raises(ChapterError, match="cannot name a chapter: use small letters"):
        begin(name, "numbers", checkout)


def test_a_name_that_is_taken_is_named(checkout: Path) -> None:
    with pytest.raises(ChapterError, match=r"'notation' is taken by book/notation\.md"):
        begin("notation", "numbers", checkout)


@pytest.mark.parametrize("part", ["", "number", "reference"])
def test_a_part_that_is_none_is_named_and_nothing_is_written(part: str, checkout: Path) -> None:
    with pytest.raises(ChapterError, match="no part of the book; they are numbers"):
        begin("third", part, checkout)
    assert (checkout / "_toc.yml").read_text() == TOC
    assert not list((checkout / "book").rglob("third*"))
