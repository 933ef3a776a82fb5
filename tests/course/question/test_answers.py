"""What an answer means and what is said to it: a table, judged by the browser's module in Node."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

import pytest

from qlearn.course.question import Question
from qlearn.course.question.answer import answer_of
from tests.book.test_questions import TABLES, asked_on
from tests.course.question import questions as q
from tests.course.widgets.figures import call, markup, with_other

JUDGE = Question.entry().with_name("answers.js")
MORE = "That is right as far as it goes. Give more digits."
SIGN = "The size is right. Look at the sign."
AGAIN = "Try once more."

RIGHT = [
    *((q.CODE, text) for text in ("78", " +78 ", "78.0", "７８", "78,0", "[78]", "7.8e1", "156/2")),
    *((q.MARK, text) for text in ("−2,678", "-2678", "– 2 678", "−2670,5", "-2'678", "-2_679")),
    *((q.RULER, text) for text in ("0.2667 -4 -2", "0,2667, −4, −2", "0,267; -4; -2")),
    *((q.RULER, text) for text in ("4/15 −4 −2", "4 / 15, -4, -2", ".267 -4 -2")),
    *((q.CODES, text) for text in ("0 -4 127", "[0, −4, 127]", "0;-4;127", "0 − 4 127")),
    (q.ENDS, "2"),
    (q.UNUSED, "2 3"),
    (q.UNUSED, "3 2"),
    (q.STEPS, "3 4 1 2"),
    *((q.PLACE, text) for text in ("-2.25", "-2.2")),
]
STEPS = (0.01, 0.05, 0.1, 0.2, 0.25)


def test_right_options_are_shown_as_a_list_or_as_sentences() -> None:
    for right, shown in ((("a", "b"), "a; b"), (("One.", "Two."), "One. Two.")):
        _, answer = answer_of({}, {"any_of": dict.fromkeys(right, True) | {"c": "No."}})
        assert answer.shown == shown


def between(step: float) -> list[tuple[dict, str]]:
    """Return what asks for places half-way between two steps of a line, with both steps beside it.

    Of the questions on a line one alone is made as a widget, and the others as their answers.
    """
    given = []
    line = {"line": (0, 3), "step": step, "within": step / 2}
    one = Question("half-way", "Where?", place=step, because="There.", **line).asked
    for k in range(3, round(2 / step)):
        _, answer = answer_of({}, {"place": (k + 0.5) * step} | line)
        given += [(one | asdict(answer), f"{mark * step:.12g}") for mark in (k, k + 1)]
    return given


FINE = {"line": (0, 2), "step": 0.02, "within": 0.01}
WRONG = [
    (q.CODE, "57", "Count from the zero point: add 21."),
    (q.CODE, " 49 ", "That is its code on the other ruler."),
    (q.CODE, "-78", SIGN),
    (q.CODE, "80", AGAIN),
    (q.MARK, "−2,550", "You counted from mark 0."),
    (q.MARK, "- 2550", "You counted from mark 0."),
    (q.MARK, "2 430", "Subtract the steps."),
    (q.MARK, "2679", SIGN),
    (q.RULER, "0,2667; −5; −2", "3.75 rounds to 4."),
    (q.RULER, "0.2667, -4, 2", "Add the zero point."),
    (q.RULER, "0.27 -4 -2", MORE),
    (q.RULER, "0.0 -4 -2", AGAIN),
    (q.RULER, "1/0 -4 -2", AGAIN),
    (q.CODES, "0 −4 177", "There is no code 177."),
    (q.ENDS, "1", "That is zero."),
    (q.UNUSED, "2", "Look for a second kind."),
    (q.UNUSED, "1 2 3", "They lie on both sides."),
    (q.STEPS, "3 4 2 1", "Clamp after the shift, or codes leave the ruler."),
    (q.STEPS, "4 3 1 2", AGAIN),
    (q.PLACE, "-2", "You forgot the zero point."),
    (q.PLACE, "2.25", SIGN),
    (Question("fine", "Where?", place=0.73, because="There.", **FINE), "0.7", AGAIN),
]
POWERS = "Write powers and mixed fractions as one number, as 16, 9/4 or 2.5e-3."
UNFIT = [
    (q.CODE, "2¹¹", POWERS),
    (q.CODE, "4¼", POWERS),
    (q.CODE, "2^-8", POWERS),
    (q.CODE, "3.9·10^-3", POWERS),
    (q.CODE, "", "Write a whole number."),
    (q.CODE, "  ", "Write a whole number."),
    (q.CODE, "seven", "Write a whole number."),
    (q.CODE, "7 8", "Write a whole number."),
    (q.CODE, "NaN", "Write a whole number."),
    (q.CODE, "1e999", "A code is a whole number."),
    (q.CODE, "57.4", "A code is a whole number."),
    (q.CODES, "0 -4", "Write 3 whole numbers, with spaces."),
    (q.RULER, "0.2667", "Write 3 numbers, with spaces."),
    (q.PLACE, "", "Drag the blue mark, tap a place, or use the arrow keys."),
    (q.UNUSED, "", None),
    (q.STEPS, "3 4", None),
]


def judged(node: str, given: list[tuple[Question, str]], module: Path = JUDGE) -> list[dict]:
    return judged_of(node, [(question.asked, text) for question, text in given], module)


def judged_of(node: str, given: list[tuple[dict, str]], module: Path = JUDGE) -> list[dict]:
    return call(node, module, [["judge", asked, text] for asked, text in given])


def test_an_answer_is_read_as_it_was_meant(node: str) -> None:
    found = dict(zip([(q.name, text) for q, text in RIGHT], judged(node, RIGHT), strict=True))
    assert [given for given, said in found.items() if said.get("right") is not True] == []


def test_an_answer_just_as_far_off_as_may_be_is_right(node: str) -> None:
    third = Question("third", "How much?", number=0.3, within=0.1, because="So.")
    more = Question("more", "How much?", number=0.267, within=0.001, because="So.")
    ends = [(third, "0.2"), (third, "0,4"), (more, "0.266"), (more, "0.268")]
    given = [(question.asked, text) for question, text in ends]
    given += [each for step in STEPS for each in between(step)]
    verdicts = zip(given, judged_of(node, given), strict=True)
    assert [(asked["right"], text) for (asked, text), said in verdicts if not said["right"]] == []
    beyond = [(third, "0.4001"), (more, "0.26801"), (q.CODE, "78.0000001")]
    assert not any(said.get("right") for said in judged(node, beyond))


@pytest.mark.parametrize("text", ["2,048 128", "2048, 128", "2 048; 128", "2,048 bytes, 128 bytes"])
def test_thousands_may_be_grouped_beside_another_number(node: str, text: str) -> None:
    pair = Question("pair", "How many?", number=[2048, 128], because="So.")
    assert judged(node, [(pair, text)])[0].get("right") is True


@pytest.mark.parametrize("text", ["9.44 MB 16 ms", "9,44MB; 16 s", "9.44 kB, 16 rows"])
def test_units_may_stand_behind_numbers(node: str, text: str) -> None:
    pair = Question("pair", "How many?", number=[9.44, 16], within=[0.01, 0], because="So.")
    assert judged(node, [(pair, text)])[0].get("right") is True
    assert judged(node, [(pair, text.replace("16", "16 sheep"))])[0].get("right") is None


def test_a_unit_that_is_not_the_questions_is_refused(node: str) -> None:
    wrong = {82: "Those are megabytes."}
    size = Question("size", "How many MB?", number=320, wrong=wrong, because="So.")
    found = judged(node, [(size, text) for text in ("320 MB", "320 kB", "320×", "82 kB", "~320")])
    assert [said.get("right", said.get("unfit")) for said in found] == [
        True, "Write it in the unit of the question.", True, False, True,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("ask", "right", "wrong"),
    [
        (
            "Weights have 4 bits. How many bytes are they?",
            ["8", "8 bytes", "8 B", "8 Bytes.", "8 bytes per row", "8×"],
            ["8 bits", "8 b", "8 weights", "8 dB", "8 s"],
        ),
        (
            "64 weights share a byte. How many bits is that for each weight?",
            ["8", "8 bits", "8 b", "8bits/weight", "8 bits per weight.", "8 bits a weight"],
            ["8 bytes", "8 B", "8 weights", "8 bytes per weight"],
        ),
        (
            "A tensor has 6 dB. How many decibels has it with a bit more?",
            ["8 dB", "8 decibels", "8db", "≈ 8 dB"],
            ["8 %", "8 bits", "8 steps"],
        ),
        ("How many times smaller than 9 dB?", ["8 times", "8x", "8 ×"], ["8 dB", "8 bits"]),
        ("Which share have four bits? Write it in percent.", ["8 %", "8 percent"], ["8 bits"]),
        ("At what SQNR, in dB, is it?", ["8 dB", "8"], ["8 %", "8 bytes"]),
        ("Which number comes back in A's row?", ["8", "8 dB", "8 steps"], []),
    ],
    ids=["bytes", "bits", "decibels", "times", "write it in", "named", "none"],
)
def test_only_the_unit_that_is_asked_for_counts(
    node: str, ask: str, right: list[str], wrong: list[str]
) -> None:
    asked = Question("unit", ask, number=8, because="So.").asked
    found = judged_of(node, [(asked, text) for text in right + wrong])
    assert [said.get("right", said.get("unfit")) for said in found] == [
        *[True] * len(right),
        *["Write it in the unit of the question."] * len(wrong),
    ]


UNITS = {"bits": "bits", "bytes": "bytes", "decibels": "dB", "percent": "%", "gigabytes": "GB"}


def test_no_question_of_the_book_takes_another_unit_and_each_takes_its_own(node: str) -> None:
    given = []
    for asked in (asked for page in TABLES for _, asked in asked_on(page).values()):
        units = set(re.findall(r"how many (\w+)", asked["ask"], re.IGNORECASE)) & UNITS.keys()
        for unit, short in UNITS.items() if units and not asked["options"] else ():
            text = "; ".join(f"{number} {short}" for number in asked["right"])
            given.append((asked, text, unit in units))
    found = judged_of(node, [(asked, text) for asked, text, _ in given])
    assert len({asked["ask"] for asked, *_ in given}) > 40
    assert [
        (asked["ask"], text)
        for (asked, text, fits), said in zip(given, found, strict=True)
        if (said.get("right") is True) is not fits
    ] == []


def test_a_final_point_ends_a_sentence(node: str) -> None:
    share = Question("share", "How many?", number=4.25, within=0.01, because="So.").asked
    right = ["4.25.", "4.25 .", "4,25.", "17/4."]
    found = judged_of(node, [(share, text) for text in [*right, "4.25..", "57."]])
    assert [said.get("right") for said in found] == [*[True] * len(right), None, False]
    for text, shown in ((" 57. ", "Not 57."), ("5.5", "Not 5.5.")):
        state = {"name": "a", "asked": share, "formulas": {}, "solved": False, "tries": [text]}
        assert f"<strong>{shown}</strong>" in markup(node, Question.entry(), state)[0]


def test_two_numbers_in_the_other_order_are_told_so(node: str) -> None:
    pair = Question("pair", "How many?", number=[0.92, 450], within=[0.01, 1], because="So.")
    verdicts = judged(node, [(pair, "450 0.92"), (pair, "450 0.5")])
    assert ["the other order" in said["sentence"] for said in verdicts] == [True, False]


def test_zero_is_no_rounding_of_another_wrong_answer(node: str) -> None:
    share = Question(
        "share", "How many?", number=4, within=0.5, wrong={0.04: "A share."}, because="So."
    )
    found = judged(node, [(share, text) for text in ("0.04", "0.03", "0")])
    assert [said["sentence"] == "A share." for said in found] == [True, True, False]


@pytest.mark.parametrize("broken", [False, True], ids=["as it is", "a breakage is seen"])
def test_a_wrong_answer_gets_its_sentence(node: str, tmp_path: Path, broken: bool) -> None:
    mute = "(asked, text) => ({ ...right.judge(asked, text), sentence: asked.otherwise })"
    module = with_other(tmp_path, JUDGE, "judge", mute) if broken else JUDGE
    found = judged(node, [row[:2] for row in WRONG], module)
    right = [(False, sentence) for *_, sentence in WRONG]
    assert ([(said["right"], said["sentence"]) for said in found] == right) is not broken


SAME = [  # each pair is one answer in two texts, the last ones are two answers
    (q.CODE, ["57", "57.0"], 1),
    (q.CODE, ["57", "57 "], 1),
    (q.CODE, ["57", "57 steps"], 1),
    (q.MARK, ["−2,550", "-2550 dB"], 1),
    (q.MARK, ["−2,550", "-2550"], 1),
    (q.RULER, ["0,3 -4 -2", "0.3; -4.0; -2"], 1),
    (q.UNUSED, ["1 2", "2 1"], 1),
    (q.UNUSED, ["1 2", "1 3"], 2),
    (q.CODE, ["57", "58"], 2),
    (q.STEPS, ["1 2 3 4", "2 1 3 4"], 2),
]


def test_the_hint_comes_with_another_answer_not_with_another_text(node: str) -> None:
    given = [(question.asked | {"hint": "Look."}, question.formulas) for question, *_ in SAME]
    states = [
        {"name": "a", "asked": asked, "formulas": formulas, "solved": False, "tries": tries}
        for (asked, formulas), (_, tries, _) in zip(given, SAME, strict=True)
    ]
    pages = markup(node, Question.entry(), *states)
    hinted = [1 + ("Hint." in page) for page in pages]
    assert hinted == [count for *_, count in SAME]


def test_what_is_no_answer_is_told_what_is_wanted(node: str) -> None:
    found = judged(node, [row[:2] for row in UNFIT])
    assert found == [{"unfit": unfit} if unfit else {} for *_, unfit in UNFIT]
