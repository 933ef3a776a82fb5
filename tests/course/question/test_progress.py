"""What the browser keeps of solved questions: sound, broken, older, or nothing at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from qlearn.course.question import Question
from tests.course.widgets.figures import run

PROGRESS = Question.entry().with_name("progress.js")
KEY = "quantization-bit-by-bit"
COURSE = "Quantization, Bit by Bit"

# A storage as a browser has it, or one that throws; then the calls, and what it holds at the end.
BROWSER = """
import { readFileSync } from "node:fs";
const { record, storage, calls } = JSON.parse(readFileSync(0, "utf8"));
const held = record === null ? {} : { KEY: record };
const full = () => { throw new Error("none"); };
const kinds = {
  "as it is": { getItem: () => held.KEY ?? null, setItem: (_, text) => { held.KEY = text; },
    removeItem: () => { delete held.KEY; } },
  "full": { getItem: () => held.KEY ?? null, setItem: full, removeItem: full },
  "forbidden": null,
};
Object.defineProperty(globalThis, "localStorage", { get: () => kinds[storage] ?? full() });
const module = await import(process.argv[1]);
const answers = calls.map(([name, ...given]) => module[name](...given) ?? null);
console.log(JSON.stringify([answers, held.KEY ?? null]));
"""


def used(
    node: str, *calls: list[str], record: str | None = None, storage: str = "as it is"
) -> tuple[list[Any], Any]:
    """Return what the calls return, and the record that is there afterwards."""
    given = {"record": record, "storage": storage, "calls": calls}
    command = ["--input-type=module", "--eval", BROWSER, PROGRESS.resolve().as_uri()]
    answers, kept = run(node, command, given)
    return answers, kept


def record(*names: str, **others: object) -> str:
    return json.dumps({"course": COURSE, "version": 1, "solved": names} | others)


def test_a_solved_question_is_kept_once(node: str) -> None:
    solved = ["keepSolved", "b"]
    answers, kept = used(
        node, ["isSolved", "b"], solved, solved, ["isSolved", "b"], record=record("a")
    )
    assert (answers[0], answers[-1]) == (False, True)
    assert json.loads(kept) == {"course": COURSE, "version": 1, "solved": ["a", "b"]}


BROKEN = ["", "{", "5", "null", '"a"', "[1]", "{}", '{"solved": 7}', '{"solved": [7, null, "A b"]}']


@pytest.mark.parametrize("broken", [None, *BROKEN], ids=str)
def test_a_broken_record_holds_nothing_and_is_mended(node: str, broken: str | None) -> None:
    answers, kept = used(node, ["solvedNames"], ["keepSolved", "a"], ["solvedNames"], record=broken)
    assert (answers[0], answers[2]) == ([], ["a"])
    assert json.loads(kept)["solved"] == ["a"]


def test_an_older_record_is_read_and_a_newer_one_is_not_cut(node: str) -> None:
    older = json.dumps({"solved": {"a": True, "b": False}})
    assert used(node, ["solvedNames"], record=older)[0] == [["a"]]
    newer = record("a", version=2, dates={"a": "2027"})
    kept = json.loads(used(node, ["keepSolved", "b"], record=newer)[1])
    assert kept == json.loads(record("a", "b", version=2, dates={"a": "2027"}))
    kept = json.loads(used(node, ["keepSolved", "b"], record=record("a", version="x"))[1])
    assert kept["version"] == 1


@pytest.mark.parametrize("storage", ["full", "forbidden"])
def test_without_storage_it_lasts_as_long_as_the_page(node: str, storage: str) -> None:
    calls = [["keepSolved", "a"], ["isSolved", "a"], ["exported"], ["erase"], ["solvedNames"]]
    answers, kept = used(node, *calls, storage=storage)
    assert answers[1] is True and json.loads(answers[2])["solved"] == ["a"]
    assert (answers[4], kept) == ([], None)


def test_a_file_goes_from_one_browser_to_another(node: str) -> None:
    [file], _ = used(node, ["exported"], record=record("a", "b"))
    answers, kept = used(node, ["imported", file], record=record("b", "c"))
    assert answers == ["The file names 2 solved questions. New here: 1."]
    assert json.loads(kept)["solved"] == ["a", "b", "c"]


@pytest.mark.parametrize("text", [*BROKEN, '{"solved": ["z"]}', "PK\u0003", record()[:-4]], ids=str)
def test_what_is_no_file_of_progress_erases_nothing(node: str, text: str) -> None:
    kept = record("a")
    answers, after = used(node, ["imported", text], record=kept)
    assert answers == ["This is no file of progress from this course. Nothing was changed."]
    assert after == kept


def test_erased_is_erased(node: str) -> None:
    answers, kept = used(node, ["erase"], ["solvedNames"], record=record("a"))
    assert (answers[1], kept) == ([], None)
