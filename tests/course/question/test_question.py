"""What an author may give: what becomes of it, and what is refused in a sentence."""

from __future__ import annotations

import pytest
import torch

from qlearn.course.question import Question
from qlearn.course.question.texts import as_html, readable
from tests.course.question.questions import CODE, ENDS, PLACE, RULER, STEPS, UNUSED

GOOD = {"name": "a", "ask": "What?", "because": "It is."}
LINE = {"line": (0, 4), "step": 0.5, "within": 0.25}


def test_a_tensor_is_an_answer() -> None:
    codes = torch.tensor([3, -4], dtype=torch.int8)
    question = Question(**GOOD, codes=codes, wrong={(..., torch.tensor(4)): "The sign."})
    assert question.asked["right"] == [3, -4]
    assert question.asked["known"] == [([None, 4], "The sign.")]
    assert question.asked["wanted"] == "Write 2 whole numbers, with spaces."


def test_options_have_places_and_an_order_is_not_given_away() -> None:
    assert (ENDS.asked["right"], [those for those, _ in ENDS.asked["known"]]) == ([2], [[1], [3]])
    assert UNUSED.asked["shown"] == "a ReLU; pixels"
    steps = STEPS.asked
    assert steps["options"] == sorted(steps["options"])
    assert [steps["options"][i - 1] for i in steps["right"]][::3] == [
        "divide by the scale",
        "clamp",
    ]
    assert steps["shown"].startswith("divide by the scale → round → ")


def test_numbers_are_shown_as_the_pages_print_them() -> None:
    assert RULER.asked["shown"] == "0.267, −4, −2"
    assert Question(**GOOD, number=-0.0004, within=0.001).asked["shown"] == "0"
    assert RULER.asked["within"] == [0.001, 0, 0]
    assert PLACE.asked["line"] == {"start": -3, "end": 3, "step": 0.05}


def test_a_question_is_a_text_where_nothing_runs() -> None:
    assert repr(CODE).endswith("the weight 0.838 get? Answer: 78")
    [data, _] = ENDS._repr_mimebundle_()
    text = data["text/html"]
    assert "<code>clamp</code>" in text and "<li>nowhere</li>" in text
    assert "<details><summary>Solution</summary><p><b>at the nearest end</b>. It gets" in text
    assert data["text/plain"] == repr(ENDS)


def test_python_hears_of_the_answer() -> None:
    question, heard = Question(**GOOD, codes=1), []
    question.observe(lambda change: heard.append(change.new), "solved")
    question.set_state({"tries": ["2", "1"], "solved": True})
    assert heard == [True] and question.tries == ["2", "1"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"codes": 1, "name": "What is it?"}, "small letters and hyphens"),
        ({"codes": 1, "name": "Code"}, "'Code': a name is of small letters"),
        ({}, "give one of .*, not none"),
        ({"code": 1}, "give one of"),
        ({"codes": 1, "number": 1}, "not number, codes"),
        ({"codes": 1, "becuase": "…"}, "takes no becuase beside codes"),
        ({"codes": 1, "within": 1}, "takes no within"),
        ({"number": 0.5}, "0.5 is not whole: say within="),
        ({"number": [1, 0.5], "within": [0]}, "within has 1 numbers, the answer 2"),
        ({"number": 5, "within": -1}, "within=-1 is not how far off"),
        ({"number": 5, "within": float("nan")}, "within=nan is not how far off"),
        ({"number": 5, "within": float("inf")}, "within=inf is not how far off"),
        ({"number": 5, "within": "a"}, "within='a' is not how far off"),
        ({"number": 5, "within": True}, "within=True is not how far off"),
        ({"number": True}, "True is no number"),
        ({"codes": True}, "True is no number"),
        ({"number": 5, "wrong": {"six": "No."}}, "'six' is no number"),
        ({"number": 5, "wrong": {None: "No."}}, "None is no number"),
        ({"number": float("nan")}, "is no number"),
        ({"number": "seven"}, "is no number"),
        ({"number": []}, "is no number"),
        ({"codes": 1.5}, "no codes, which are whole"),
        ({"codes": 1, "wrong": {1: "No."}}, "1 is right"),
        ({"number": 2, "within": 1, "wrong": {3: "No."}}, "3 is right"),
        ({"number": 0.75, "within": 0.05, "wrong": {0.7: "No."}}, "0.7 is right"),
        ({"codes": [1, 2], "wrong": {1: "No."}}, "1 is not as long as"),
        ({"codes": [1, 2], "wrong": {(..., 2): "No."}}, "is right"),
        ({"codes": 1, "wrong": {2: None}}, "None is no sentence"),
        ({"codes": 1, "because": " "}, "' ' is no sentence"),
        ({"codes": 1, "hint": 7}, "7 is no sentence"),
        ({"codes": 1, "otherwise": ""}, "'' is no sentence"),
        ({"codes": 1, "ask": "What is $x?"}, "without its partner"),
        ({"codes": 1, "ask": r"What is $\sum_k x$?"}, "as text: write it more simply"),
        ({"codes": 1, "hint": "The *first* one."}, "between stars"),
        ({"one_of": ["a", "b"]}, "options are a dict"),
        ({"one_of": {"a": "No.", "b": "No."}}, "one option is True, not 0"),
        ({"one_of": {"a": True, "b": True}}, "one option is True, not 2"),
        ({"one_of": {"a": True, "b": False}}, "False is no sentence"),
        ({"one_of": {"a": True}}, "2 to 9 options"),
        ({"one_of": {"a": True, "b": "No."}, "wrong": {"b": "No."}}, "leave wrong= out"),
        ({"any_of": {"a": "No.", "b": "No."}}, "at least one"),
        ({"order": ["a", "a"]}, "are the same"),
        ({"order": 5}, "5 is no list of steps"),
        ({"order": ["a", "b"], "wrong": {("a", "b"): "No."}}, "is right"),
        ({"order": ["a", "b"], "wrong": {("b", "c"): "No."}}, "'c' is none of the steps"),
        ({"order": ["a", "b"], "wrong": {"b": "No."}}, "'b' is no pair"),
        ({"place": 2}, "a place needs line, step, within"),
        ({"place": [1, 2], **LINE}, "is not one place"),
        ({"place": 2, **LINE, "line": 3}, "3 is no line, which has two ends"),
        ({"place": 2, **LINE, "line": ("a", 3)}, "is no number"),
        ({"place": 2, **LINE, "step": "a"}, "'a' is no number"),
        ({"place": 2, **LINE, "step": [1, 2]}, "is not one step"),
        ({"place": 2, **LINE, "within": "a"}, "within='a' is not how far off"),
        ({"place": 2, **LINE, "within": [1, 2]}, "is not one number"),
        ({"place": 5, **LINE}, "5 does not lie within the line"),
        ({"place": 2, **LINE, "within": 0.1}, "a place can be 0.25 off"),
        ({"place": 0.25, **LINE}, "where the mark starts"),
        ({"place": 0.75, "line": (0.7, 2), "step": 0.1, "within": 0.05}, "where the mark starts"),
        ({"place": 2, **LINE, "wrong": {9: "No."}}, "9 does not lie on the line"),
    ],
    ids=str,
)
def test_an_author_is_told_what_is_wrong(given: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"Question .*{sentence}"):
        Question(**GOOD | given)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (r"x / s", "x / s"),
        (r"\hat x = s \cdot (q_{jk} - z)", "x̂ = s · (q_jk − z)"),
        (r"\frac{x}{s} \le 2^{-8}", "x / s ≤ 2^−8"),
        (r"\frac{\text{max} - \text{min}}{255}", "(max − min) / 255"),
    ],
)
def test_a_formula_is_read_as_text(formula: str, text: str) -> None:
    assert readable(formula) == text


def test_html_is_never_an_authors_tag() -> None:
    assert as_html("`a<b>` < $s_x$") == "<code>a&lt;b&gt;</code> &lt; s_x"
