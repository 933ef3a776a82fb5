"""A question on the page: it is answered there, and each answer gets a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from traitlets import Bool, Dict, List, Unicode

from qlearn.course.question.answer import Answer, answer_of, need
from qlearn.course.question.texts import as_html, as_text, formulas_in
from qlearn.course.widgets.shared.figure import Figure

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class Question(Figure):
    """Ask the reader, and say of each answer why it is right, or what it shows.

    Args:
        name: as in ``"affine-code"``: unique in the book, and kept for good, because the reader's
            browser remembers under it that the question is solved.
        ask: the question. Texts may have `code` in backticks and $formulas$ between dollars.
        because: why the right answer is right, in one sentence.
        wrong: for each known wrong answer what it shows. In a list of numbers ``...`` is any.
        otherwise: what is said of all other wrong answers.
        hint: comes with the second different wrong answer.
        solution: can be opened after the third, or without a hint the second; ``because``, if
            there is no other.
        given: the answer, which is one of ``number=`` (one or a list; ``within=`` is how far off
            is still right), ``codes=`` (one or a list), ``one_of=`` and ``any_of=`` (a dict: each
            option True, or what its choice shows), ``order=`` (a list; the key of a wrong one is
            a pair, the first of which came too early), and ``place=`` on a number line (with
            ``line=``, its two ends, ``step=`` and ``within=``).

    Raises:
        ValueError: naming the question and what is wrong with it.

    >>> Question("affine-code", "Which code does 0.838 get?", codes=78, because="21 + 57 = 78.",
    ...          wrong={57: "You counted from 0. Count from the zero point: add 21."})
    Question affine-code: Which code does 0.838 get? Answer: 78
    """

    name = Unicode(help="under which the browser keeps that it is solved").tag(sync=True)
    asked = Dict(help="what the author gave").tag(sync=True)
    formulas = Dict(help="each formula of the texts, and how it is shown").tag(sync=True)
    tries = List(Unicode(), help="the reader's answers").tag(sync=True)
    solved = Bool(False, help="whether one of them was right").tag(sync=True)

    def __init__(
        self,
        name: str,
        ask: str,
        *,
        because: str,
        wrong: Mapping[Any, str] | None = None,
        otherwise: str = "Try once more.",
        hint: str = "",
        solution: str = "",
        **given: Any,
    ) -> None:
        said = {"ask": ask, "because": because, "otherwise": otherwise, "hint": hint}
        said["solution"] = solution or because
        try:
            need(NAME.fullmatch(name), "a name is of small letters and hyphens, as in affine-code")
            kind, answer = answer_of(wrong or {}, given)
            formulas = formulas_in(checked(said, answer))
        except ValueError as error:
            raise ValueError(f"Question {name!r}: {error}") from None
        asked = {"kind": kind, **said, **asdict(answer)}
        super().__init__(name=name, asked=asked, formulas=formulas)

    def __repr__(self) -> str:
        """Say in one line what is asked and what is right; a notebook's re-run compares it."""
        ask, shown = (as_text(self.asked[text]) for text in ("ask", "shown"))
        return f"Question {self.name}: {ask} Answer: {shown}"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Put the question as text beside the widget: for GitHub, and a notebook only read."""
        bundle = super()._repr_mimebundle_(**options)
        if bundle is not None:
            bundle[0]["text/html"] = still(self.asked)
        return bundle


def checked(said: Mapping[str, str], answer: Answer) -> list[str]:
    """Return all texts of a question, each of which is one."""
    given = [text for name, text in said.items() if text or name != "hint"]
    texts = [*given, *answer.options, *(why for _, why in answer.known)]
    for text in texts:
        need(isinstance(text, str) and text.strip(), f"{text!r} is no sentence")
    return texts


def still(asked: Mapping[str, Any]) -> str:
    """Return the question as HTML for where it cannot be answered, its solution folded."""
    options = "".join(f"<li>{as_html(option)}</li>" for option in asked["options"])
    listed = f"<ul>{options}</ul>" if options else ""
    solution = f"<b>{as_html(asked['shown'].removesuffix('.'))}</b>. {as_html(asked['solution'])}"
    return (
        f"<p><b>Question.</b> {as_html(asked['ask'])}</p>{listed}"
        f"<details><summary>Solution</summary><p>{solution}</p></details>"
    )
