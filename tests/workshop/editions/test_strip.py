"""What a notebook loses for the students: its solutions, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from notebook_pipeline.outputs import WIDGET_STATE, WIDGET_VIEW, outputs
from qlearn.course.question import still
from site_builder.contents import ROOT
from tests.course.question.questions import CODE
from tests.course.widgets.figures import markup
from workshop.editions import students
from workshop.editions.strip import OpenSolutionError, solutions, without_solutions
from workshop.editions.students import leaks, write_notebooks

START, END = "```{solution-start} ex-one\n:class: dropdown\n```", "```{solution-end}\n```"
OUTSIDE = "a_line_that_stands_outside_as_well = stub(1, 2, 3)"
SECRET = "the_secret_of_the_exercise = 1 + 2 + 3 + 4"


def exercise(*solution: NotebookNode) -> NotebookNode:
    ask = "```{exercise-start}\n:label: ex-one\n```\nWhat is it?\n\n```{exercise-end}\n```"
    before = new_markdown_cell(f"## Exercises\n\n{ask}\n\n{START}\n\nIt is so.")
    after = new_markdown_cell(f"Because of that.\n\n{END}\n\n## Further reading")
    return new_notebook(cells=[new_code_cell("stub()"), before, *solution, after])


def sources(notebook: NotebookNode) -> list[str]:
    return [cell.source for cell in notebook.cells]


def test_a_solution_goes_and_its_exercise_stays() -> None:
    notebook = exercise(new_code_cell(SECRET), new_markdown_cell("More."))
    stub, asked, after = sources(without_solutions(notebook))
    assert (stub, after) == ("stub()", "## Further reading")
    assert asked.endswith("What is it?\n\n```{exercise-end}\n```")
    assert list(solutions(notebook)) == ["It is so.", SECRET, "More.", "Because of that."]
    assert len(notebook.cells) == 5, "the notebook that was given stays as it is"


def test_a_question_keeps_what_is_right_and_tells_it_nowhere() -> None:
    asked = {**CODE.asked}
    output = nbformat.v4.new_output(
        "display_data",
        {"text/plain": repr(CODE), "text/html": still(asked), WIDGET_VIEW: {"model_id": "m"}},
    )
    notebook = exercise()
    notebook.cells.append(new_code_cell("Question(...)", outputs=[output]))
    state = {"m": {"state": {"asked": asked}}, "of_a_solution": {"state": {}}}
    notebook.metadata["widgets"] = {WIDGET_STATE: {"state": state}}
    found = without_solutions(notebook)
    kept = found.metadata.widgets[WIDGET_STATE].state
    assert list(kept) == ["m"]
    assert (kept.m.state.asked.right, kept.m.state.asked.solution) == ([78], "")
    shown = json.dumps(found.cells[-1].outputs)
    assert "which code does" in shown
    assert "78" not in shown


def test_a_question_without_a_solution_has_none_to_open(node: str) -> None:
    state = {**CODE.state(), "tries": ["1", "2", "3"]}
    with_one, without = state, {**state, "asked": {**state["asked"], "solution": "", "shown": ""}}
    opens = [
        "<summary>Solution</summary>" in markup(node, CODE.entry(), each)[0]
        for each in (with_one, without)
    ]
    assert opens == [True, False]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([START], "the last solution does not end"),
        ([START, START], "cell 2: a solution-start where the solution before has not ended"),
        ([START, END, END], "cell 3: a solution-end where the solution before has ended"),
    ],
)
def test_marks_that_do_not_match_are_named(cells: list[str], message: str) -> None:
    with pytest.raises(OpenSolutionError, match=message):
        without_solutions(new_notebook(cells=[new_markdown_cell(text) for text in cells]))


def test_no_notebook_of_the_book_keeps_a_solution(tmp_path: Path) -> None:
    count = write_notebooks(ROOT / "book", tmp_path / "source" / "book")
    paths = sorted((tmp_path / "source" / "book").rglob("*.ipynb"))
    assert len(paths) == count > 40
    lost = 0
    for path in paths:
        before = nbformat.read(ROOT / path.relative_to(tmp_path / "source"), as_version=4)
        after = nbformat.read(path, as_version=4)
        nbformat.validate(after)
        text, old = "\n".join(sources(after)), "\n".join(sources(before))
        assert "{solution-" not in text
        assert text.count("{exercise-start}") == old.count("{exercise-start}")
        assert text.count("{exercise-end}") == old.count("{exercise-end}")
        assert "Answer: " not in json.dumps(outputs(after))
        lost += len(before.cells) - len(after.cells)
    assert lost > 150


def test_a_solution_that_a_page_shows_is_named(tmp_path: Path) -> None:
    book, handed, site = (tmp_path / name for name in ("book", "handed", "site"))
    for folder in (book, handed, site):
        folder.mkdir()
    notebook = exercise(
        new_code_cell(f"{SECRET}\na_line_that_stands_outside_as_well = stub(1, 2, 3)")
    )
    notebook.cells.append(new_code_cell("a_line_that_stands_outside_as_well = stub(1, 2, 3)"))
    nbformat.write(notebook, book / "x.ipynb")
    nbformat.write(without_solutions(notebook), handed / "x.ipynb")
    page = f"<pre>{{}} = <span>1</span> + 2 + 3 + 4\n{OUTSIDE}</pre>"
    (site / "x.html").write_text(page.format("another"))
    assert list(leaks(book, handed, site)) == []
    (site / "x.html").write_text(page.format("the_secret_of_the_exercise"))
    assert list(leaks(book, handed, site)) == [f"x.html has {SECRET!r}"]


@pytest.mark.parametrize("leak", [True, False])
def test_a_site_that_shows_a_solution_replaces_none(
    leak: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "_build" / "students" / "site"
    site.mkdir(parents=True)
    (site / "index.html").write_text("good, of before")

    def build(source: Path) -> Path:
        built = source / "_build" / "html"
        built.mkdir(parents=True)
        (built / "index.html").write_text(SECRET if leak else "good, and new")
        return built

    (tmp_path / "book").mkdir()
    nbformat.write(exercise(new_code_cell(SECRET)), tmp_path / "book" / "x.ipynb")
    monkeypatch.setattr(students, "ROOT", tmp_path)
    monkeypatch.setattr(students, "build", build)
    said = students.main()
    if leak:
        assert said == f"The students' site shows a solution: index.html has {SECRET!r}"
    else:
        assert said is None and (site.parent / "notebooks" / "x.ipynb").is_file()
    wanted = "good, of before" if leak else "good, and new"
    assert (site / "index.html").read_text() == wanted
