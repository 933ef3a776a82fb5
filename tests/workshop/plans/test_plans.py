"""The plans: what they name is there, they fit their time, and their minutes are counted."""

from __future__ import annotations

import ast
import asyncio
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from site_builder.reading_time import Content
from site_builder.sections import file_of, places, section
from workshop.plans import cell_times, pace, time_cells
from workshop.plans.blocks import ONE_MODEL, ONE_NUMBER
from workshop.plans.plan import Block, Day, Pause, Plan, Step, Way
from workshop.plans.problems import blocks, problems
from workshop.plans.three_plans import PLANS


def planned(block: Block, minutes: int = 90) -> list[Plan]:
    return [Plan("mine", (Day("mine", minutes, (block,)),))]


def with_step(block: Block, step: Step) -> Block:
    return block._replace(steps=(*block.steps, step))


def test_the_plans_have_no_problem() -> None:
    assert problems(PLANS) == []


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (ONE_NUMBER._replace(question="no-such"), "affine-both-ends-decide has no question"),
        (ONE_NUMBER._replace(question="code-of-zero"), "decide has no question 'code-of-zero'"),
        (with_step(ONE_NUMBER, Step(Way.TELL, "start/tonight#no")), "has no section 'no'"),
        (with_step(ONE_NUMBER, Step(Way.TELL, "start/tomorrow")), "no page start/tomorrow"),
        (with_step(ONE_NUMBER, Step(Way.RUN, "intro")), "intro have no times: run `make cell"),
        (with_step(ONE_NUMBER, Step(Way.ASK, "intro")), "2 steps ask"),
    ],
    ids=["no question", "of another section", "no section", "no page", "no times", "two ask"],
)
def test_what_is_not_there_is_named(broken: Block, said: str) -> None:
    found = problems(planned(broken))
    assert len(found) == 1 and said in found[0]
    assert found[0].startswith("One number, by hand: ")


def test_a_plan_that_is_too_full_is_noticed() -> None:
    assert problems(planned(ONE_NUMBER, 30)) == []
    [said] = problems(planned(ONE_NUMBER, 28))
    assert "take 26 of 28 minutes, and 3 are for what nobody foresees: take a block" in said


def test_two_blocks_with_one_key_are_noticed() -> None:
    plan = Plan("mine", (Day("mine", 90, (ONE_NUMBER, ONE_MODEL._replace(key=ONE_NUMBER.key))),))
    assert problems([plan]) == ["2 blocks have the key 'one-number'"]


def test_the_minutes_of_a_step_follow_from_its_section(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "section", lambda name: SimpleNamespace(content=Content(words=1800)))
    found = {way: pace.minutes(Step(way, "any")) for way in Way}
    assert found == {
        Way.TELL: 15,
        Way.SHOW: 15,
        Way.ASK: 8.5 * 1.5 + 5,
        Way.DO: 15 + 3,
        Way.RUN: 15 + 3,
    }


def test_a_block_waits_for_each_page_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = {"a#one": 10.0, "a#two": 20.0, "b": 5.0}
    monkeypatch.setattr(pace, "waiting", seconds.__getitem__)
    monkeypatch.setattr(pace, "section", lambda name: SimpleNamespace(content=Content(words=180)))
    steps = tuple(Step(Way.RUN, name) for name in seconds)
    block = Block("a", "A", "can wait", "none", (*steps, Step(Way.TELL, "a#three", can_wait=True)))
    assert pace.waits(block) == (20 + 5) * 3 / 60
    assert pace.exact(block) == 3 * 4.5 + 1.5 + 1.25
    assert (pace.length(block), pace.saved(block)) == (15, 2)


def test_a_day_rounds_the_time_and_not_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "section", lambda name: SimpleNamespace(content=Content(words=1440)))
    block = Block("a", "A", "can wait", "none", (Step(Way.TELL, "a"),))
    assert (pace.exact(block), pace.length(block)) == (12, 10)
    day = Day("mine", 90, (block, block, Pause("Break", 10), block))
    assert pace.times(day) == [0, 10, 25, 35, 45]


def test_cells_are_counted_from_the_top_of_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    times = {"": 3.0, "eleven-patients": 4.0, "step-4-weights-only-activations-only": 5.0}
    times |= {"take-away": 9.0, "a-section-that-is-gone": 9.0}
    monkeypatch.setattr(cell_times, "record", lambda: {"pages": {"models/debugging": times}})
    assert cell_times.waiting("models/debugging#the-procedure") == 3
    assert cell_times.waiting("models/debugging#eleven-patients") == 12


def test_the_record_has_the_pages_that_are_run() -> None:
    assert sorted(cell_times.record()["pages"]) == time_cells.pages_to_run(PLANS), (
        "the plans let people run other pages than were timed: run `make cell-times`"
    )
    assert all(cell_times.waiting(page) > 0 for page in cell_times.record()["pages"])


def test_cells_are_timed_by_their_sections(tmp_path: Path) -> None:
    busy = "from time import process_time as now\nend = now() + 0.5\nwhile now() < end: pass"
    cells = [new_markdown_cell("# Title"), new_code_cell("1"), new_markdown_cell("## Busy")]
    path = tmp_path / "page.ipynb"
    notebook = new_notebook(cells=[*cells, new_code_cell(busy), new_markdown_cell("## Idle")])
    nbformat.write(notebook, path)
    found = asyncio.run(time_cells.seconds_of(path))
    assert list(found) == ["", "busy", "idle"]
    assert found["idle"] == 0 and found["busy"] >= 0.4


def test_a_cell_that_is_added_uses_what_the_page_has() -> None:
    steps = [step for plan in PLANS for block in plan.blocks() for step in block.steps]
    added = {step.section: step.code for step in steps if step.code}
    assert added
    for name, cell in added.items():
        assert unbound(cell, name) == set()
        assert unbound(f"{cell}\nnobody(wrote, this)", name) == {"nobody", "wrote", "this"}


def unbound(cell: str, name: str) -> set[str]:
    """Return the names that a cell uses, and that no cell binds from the top to a section."""
    page, _, slug = name.partition("#")
    notebook = nbformat.read(file_of(page), as_version=4)
    above = set(cell_times.down_to(page, slug))
    cells = zip(notebook.cells, places(notebook), strict=True)
    sources = [c.source for c, slugs in cells if c.cell_type == "code" and slugs[-1] in above]
    bound = {found for source in sources for found in names(source, ast.Store)}
    return names(cell, ast.Load) - bound - names(cell, ast.Store)


NUMBERS = re.compile(r"\d[\d,.]*\d|\d")
ADDED = [step for block in blocks(PLANS) for step in block.steps if step.code]


@pytest.mark.parametrize("step", ADDED, ids=lambda step: step.section)
def test_what_an_added_cell_finds_is_what_it_prints(step: Step) -> None:
    """Each number of the sentence stands in what the cell gives, or on the page above it."""
    page, _, slug = step.section.partition("#")
    notebook = nbformat.read(file_of(page), as_version=4)
    above = set(cell_times.down_to(page, slug))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    printed = [step.code]
    for cell, slugs in zip(notebook.cells, places(notebook), strict=True):
        if cell.cell_type == "code" and slugs[-1] in above:
            exec(compile(cell.source, cell.id, "exec"), namespace)
            printed += [output.get("text", "") for output in cell.outputs]
    *before, last = ast.parse(step.code).body
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(before, []), step.section, "exec"), namespace)
    found = eval(compile(ast.Expression(last.value), step.section, "eval"), namespace)
    if isinstance(found, dict):  # bytes, decibels, right answers
        found = "{bytes:,} {sqnr:.1f} {right}".format(**found)
    printed.append(str(found))
    numbers = set(NUMBERS.findall(" ".join(printed)))
    assert step.finds and set(NUMBERS.findall(step.finds)) <= numbers


def names(source: str, context: type[ast.expr_context]) -> set[str]:
    """Return the names that are bound, ``ast.Store``, or used, ``ast.Load``."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, context):
            found.add(node.id)
        elif isinstance(node, ast.alias | ast.FunctionDef) and context is ast.Store:
            found.add((getattr(node, "asname", None) or node.name).partition(".")[0])
    return found


def test_a_plan_begins_with_the_whole() -> None:
    for plan in PLANS:
        assert next(plan.blocks()) is ONE_MODEL
    assert section(ONE_MODEL.steps[0].section).page == "start/tonight"
